#!/usr/bin/env python3
"""Set up, try, test and check the project; needs nothing but Python 3.10 or newer.

python3 dev.py demo            install into .venv, then show a hover in this terminal
python3 dev.py test            install with the development tools, then run every test, those in real editors too
python3 dev.py test ARG ...    the same, but run only pytest with ARG ..., such as tests/unit
python3 dev.py lint            the same, then run ruff check, ruff format --check and mypy
"""

# An older Python has to get as far as the message that it is too old: no newer syntax than 3.6 knows, and
# annotations that it would evaluate stand in quotes.

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "dev-stamp"
"""What the last finished installation was made of."""
UNFINISHED = VENV / "dev-unfinished"
"""There while .venv is being made or filled; found at the start, it means that this was interrupted."""

OLDEST_PYTHON = (3, 10)
NEWER_PYTHONS = (["python3.14"], ["python3.13"], ["python3.12"], ["python3.11"], ["python3.10"], ["py", "-3"])


class SetUpError(Exception):
    """Something that only the person can put right; the message is one line and says how."""


def main(arguments: "list[str]") -> int:
    """Run one subcommand and return its exit code."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0
    if command not in ("demo", "test", "lint") or (rest and command != "test"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        if sys.version_info[:2] < OLDEST_PYTHON:
            newer = newer_python()
            if newer is None:
                raise SetUpError(too_old_message(sys.version_info[:2]))
            return subprocess.call([*newer, str(Path(__file__).resolve()), *arguments])
        return {"demo": demo, "test": test, "lint": lint}[command](*rest)
    except SetUpError as error:
        print("dev.py: " + str(error), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def demo() -> int:
    """Show a hover of the real server on the example workspace."""
    install(extras=())
    return run_python(str(ROOT / "examples" / "hover_over_stdio.py"))


def test(*pytest_arguments: str) -> int:
    """Run the tests: all of them, of both languages, or what pytest's arguments choose."""
    install(extras=("dev",))
    if pytest_arguments:
        return run_python("-m", "pytest", *pytest_arguments, cwd=ROOT)
    editors = run_python(str(ROOT / "tools" / "editors.py"))
    if editors != 0:
        return editors
    extension = str(ROOT / "tools" / "extension.py")
    # Most of the tests wait for a process of their own, so one for each core is not too many at once.
    pytest = ["-m", "pytest", "--numprocesses", "logical", "--dist", "worksteal"]
    steps = ([extension, "check"], pytest, [extension, "test"])
    exit_codes = [run_python(*step, cwd=ROOT) for step in steps]
    return next((code for code in exit_codes if code != 0), 0)


def lint() -> int:
    """Run every check, also after one has failed."""
    install(extras=("dev",))
    checks = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])
    exit_codes = [run_python("-m", *check, cwd=ROOT) for check in checks]
    return next((code for code in exit_codes if code != 0), 0)


# Installing


def install(extras: "tuple[str, ...]") -> None:
    """Bring .venv up to date, doing nothing when nothing changed."""
    ensure_venv()
    # The package's version is among what an installation writes down.
    made_of = ("pyproject.toml", "constraints.txt", "lsp_server/__init__.py")
    inputs = digest(ROOT, tuple(ROOT / name for name in made_of))
    if STAMP.exists() and is_current(STAMP.read_text(encoding="utf-8"), inputs, extras):
        return
    target = ".[{}]".format(",".join(extras)) if extras else "."
    say("installing {} into .venv".format("with " + ", ".join(extras) if extras else "the package"))
    UNFINISHED.touch()
    STAMP.unlink(missing_ok=True)
    pip = [str(venv_python(VENV)), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    if not run_quietly([*pip, "install", "-c", "constraints.txt", "-e", target], show_failure=True):
        raise SetUpError("pip could not install the package; its output stands above")
    UNFINISHED.unlink()
    STAMP.write_text(stamp(inputs, extras), encoding="utf-8")


def digest(root: Path, files: "tuple[Path, ...]") -> str:
    """Name what an installation depends on: the files, and the place, which .venv points to."""
    contents = hashlib.sha256(str(root).encode("utf-8", "surrogateescape"))
    for file in files:
        contents.update(b"\0" + file.read_bytes())
    return contents.hexdigest()


def stamp(inputs: str, extras: "tuple[str, ...]") -> str:
    """Return the stamp's text: one line for the inputs, one for each extra."""
    return "\n".join([inputs, *sorted(extras)]) + "\n"


def is_current(stamped: str, inputs: str, extras: "tuple[str, ...]") -> bool:
    """Whether the stamped installation has the same inputs and at least these extras."""
    stamped_inputs, *stamped_extras = stamped.splitlines() or [""]
    return stamped_inputs == inputs and set(extras) <= set(stamped_extras)


# The virtual environment


def ensure_venv() -> None:
    """Leave a .venv that runs and has pip, making it anew when it is missing or half made."""
    if is_usable(VENV):
        return
    if Path(sys.prefix).resolve() == VENV.resolve():
        raise SetUpError("the active .venv has to be made again; run `deactivate`, then try again")
    if VENV.exists() or VENV.is_symlink():
        say("making .venv again, it is unfinished or its Python is gone")
    else:
        say("making .venv")
    for way in (with_venv, with_venv_and_outer_pip, with_virtualenv, with_apt):
        remove(VENV)
        VENV.mkdir()
        UNFINISHED.touch()
        if not way():
            continue
        UNFINISHED.unlink()
        if is_usable(VENV):
            return
    remove(VENV)
    raise SetUpError(no_venv_message(is_debian()))


def is_usable(venv: Path) -> bool:
    """Whether an environment is finished, runs a Python that is new enough, and has pip."""
    if UNFINISHED.exists() or not (venv / "pyvenv.cfg").is_file():
        return False
    check = f"import pip, sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    return run_quietly([str(venv_python(venv)), "-c", check])


def with_venv() -> bool:
    """Make it the usual way."""
    return can_import("venv", "ensurepip") and run_quietly([sys.executable, "-m", "venv", str(VENV)])


def with_venv_and_outer_pip() -> bool:
    """Make it without ensurepip, which Debian keeps in python3-venv, and let another pip put pip into it."""
    outer_pips = [[sys.executable, "-m", "pip"]] if can_import("pip") else []
    outer_pips += [[found] for found in map(shutil.which, ("pip3", "pip")) if found]
    if not outer_pips or not can_import("venv"):
        return False
    if not run_quietly([sys.executable, "-m", "venv", "--without-pip", str(VENV)]):
        return False
    python = str(venv_python(VENV))
    return any(run_quietly([*outer_pip, "--python", python, "install", "pip"]) for outer_pip in outer_pips)


def with_virtualenv() -> bool:
    """Make it with virtualenv, where that is installed."""
    return can_import("virtualenv") and run_quietly([sys.executable, "-m", "virtualenv", str(VENV)])


def with_apt() -> bool:
    """Install Debian's missing package, only where that needs no password, then make it the usual way."""
    if not (is_debian() and shutil.which("apt-get") and os.geteuid() == 0 and not can_import("ensurepip")):
        return False
    apt_get = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    say("installing python3-venv with apt-get, as this Python cannot make virtual environments")
    run_quietly([*apt_get, "update"])
    install_package = [*apt_get, "install", "--yes", "--no-install-recommends", "python3-venv"]
    return run_quietly(install_package, show_failure=True) and with_venv()


def is_debian() -> bool:
    """Whether packages come from apt: Debian, Ubuntu and their kin."""
    return Path("/etc/debian_version").exists()


def no_venv_message(debian: bool) -> str:
    """Say in one line what is missing."""
    if debian:
        return "this Python cannot make virtual environments; run: sudo apt-get install python3-venv"
    return "this Python cannot make virtual environments; install its venv and ensurepip modules"


def venv_python(venv: Path) -> Path:
    """Return where an environment keeps its Python."""
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def remove(venv: Path) -> None:
    """Remove an environment, or what there is of one."""
    try:
        if venv.is_symlink() or venv.is_file():
            venv.unlink()
        elif venv.exists():
            shutil.rmtree(str(venv))
    except OSError as error:
        raise SetUpError(f"cannot remove .venv, please do it by hand ({error})") from error


# Other Pythons and child processes


def newer_python() -> "list[str] | None":
    """Find a Python on the PATH that is new enough, and that runs: a shim alone is not enough."""
    check = f"import sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    for command in NEWER_PYTHONS:
        if shutil.which(command[0]) and run_quietly([*command, "-c", check]):
            return command
    return None


def too_old_message(version: "tuple[int, int]") -> str:
    """Say in one line which Python is needed."""
    return "Python {}.{} is too old and no newer one is on the PATH; Python {}.{} or newer is needed".format(
        *version, *OLDEST_PYTHON
    )


def can_import(*modules: str) -> bool:
    """Whether this Python has the modules; a new process knows, as apt may just have installed them."""
    return run_quietly([sys.executable, "-c", "import " + ", ".join(modules)])


def run_python(*arguments: str, cwd: "Path | None" = None) -> int:
    """Run the environment's Python in this terminal, and in the current folder unless told otherwise."""
    sys.stdout.flush()
    return subprocess.call([str(venv_python(VENV)), *arguments], cwd=cwd and str(cwd), env=environment())


def run_quietly(command: "list[str]", show_failure: bool = False) -> bool:
    """Run a command, keeping its output for the case that it fails; return whether it succeeded."""
    try:
        done = subprocess.run(
            command,
            cwd=str(ROOT),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError:
        return False
    if done.returncode != 0 and show_failure:
        print(done.stdout.decode("utf-8", "replace"), file=sys.stderr)
    return done.returncode == 0


def environment() -> "dict[str, str]":
    """Return the environment for child processes.

    An editable installation writes its folder into a .pth file in UTF-8; before 3.13 Python reads that file
    in the locale's encoding. UTF-8 mode makes the two agree where the folder's name is not ASCII.
    """
    inherited = dict(os.environ)
    if any(ord(character) > 127 for character in str(ROOT)):
        inherited["PYTHONUTF8"] = "1"
    return inherited


def say(text: str) -> None:
    """Tell the person what takes time."""
    print("dev.py: " + text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
