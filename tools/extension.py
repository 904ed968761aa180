"""Build and check the VS Code extension, and test it in a real VS Code; run with the Python of .venv.

python tools/extension.py check            types, lint, unit tests
python tools/extension.py audit            known holes of the dependencies, for which npm asks its registry
python tools/extension.py package          build vscode-client/dist/prior-art.vsix
python tools/extension.py test [FILE ...]  build it, then drive it in VS Code; FILE names single test files
python tools/extension.py pictures         build it, then take the README's pictures anew
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import programs

CLIENT = programs.ROOT / "vscode-client"
TESTS = CLIENT / "e2e"
TEST_MILLISECONDS = 600_000

PROGRAMS = {"chromium": "chromium"}
FONTS = {"/usr/share/fonts/truetype/nanum": "fonts-nanum"}
"""Without it Hangul is drawn as empty boxes in the pictures."""


def main(arguments: list[str]) -> int:
    """Run one subcommand and return its exit code."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    commands = {"check": check, "audit": audit, "package": package, "test": test, "pictures": pictures}
    if command not in commands or (rest and command != "test"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        commands[command](*rest)
    except programs.MissingProgramError as error:
        print(f"extension.py: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0


def check() -> None:
    """Run every check that needs no editor."""
    install()
    for script in ("check", "lint", "test"):
        programs.npm("run", "--silent", script, cwd=CLIENT)


def audit() -> None:
    """Ask for holes of the dependencies that are serious. Not every registry answers."""
    install()
    programs.npm("audit", "--audit-level=high", cwd=CLIENT)


def package() -> None:
    """Build the package from nothing: the server's wheel, the bundle, and what goes with them."""
    install()
    for script in ("stage", "bundle", "package"):
        programs.npm("run", "--silent", script, cwd=CLIENT)


def test(*files: str) -> None:
    """Drive the package in a real VS Code."""
    package()
    chosen = [str(Path(file).resolve()) for file in files] or sorted(map(str, TESTS.glob("*.test.mjs")))
    # One file after the other: each has an editor and a browser of its own.
    run_node("--test", "--test-concurrency=1", f"--test-timeout={TEST_MILLISECONDS}", *chosen)


def pictures() -> None:
    """Take the README's pictures."""
    package()
    run_node(str(TESTS / "screenshots.mjs"))


def install() -> None:
    """Bring node_modules up to date, doing nothing when the lock file is the one it was made of."""
    stamp = CLIENT / "node_modules" / ".stamp"
    lock = hashlib.sha256((CLIENT / "package-lock.json").read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
        programs.npm("ci", *programs.QUIET_NPM, cwd=CLIENT)
        stamp.write_text(lock, encoding="utf-8")


def run_node(*arguments: str) -> None:
    """Run our Node with what the tests need at hand."""
    programs.ensure_packages(PROGRAMS, FONTS)
    environment = programs.node_environment() | {
        "CODE_SERVER_MODULES": str(programs.ensure_code_server()),
        "PYTHON": sys.executable,
    }
    node = programs.ensure_node() / "node"
    subprocess.run([str(node), *arguments], cwd=CLIENT, env=environment, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
