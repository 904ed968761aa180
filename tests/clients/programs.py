"""Where the editors are on this machine, and which versions."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
VERSION_SECONDS = 20


def program(variable: str, *names: str) -> str | None:
    """The path of a program: from the environment, beside this Python, or on the PATH."""
    named = os.environ.get(variable, "")
    # Neovim's own terminal sets NVIM to a socket.
    if named and Path(named).is_file():
        return named
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return next((found for name in names if (found := shutil.which(name, path=folders))), None)


def version(path: str) -> str:
    """The first line of what a program says of its version."""
    said = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS, check=False
    )
    return (said.stdout or said.stderr).partition("\n")[0].strip()


def package_version(name: str) -> str | None:
    """The version of a Debian package; nothing on other systems."""
    if shutil.which("dpkg-query") is None:
        return None
    said = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", name],
        capture_output=True,
        text=True,
        timeout=VERSION_SECONDS,
        check=False,
    )
    return said.stdout.strip() or None


def furnish(home: Path) -> tuple[Path, Path]:
    """Put a copy of examples/harbour and a program `prior-art-lsp` into a home; return where both are.

    The program runs the server of this Python, whose path may hold blanks.
    """
    workspace, launcher = home / "harbour", home / "bin" / "prior-art-lsp"
    shutil.copytree(REPOSITORY / "examples" / "harbour", workspace)
    launcher.parent.mkdir()
    launcher.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lsp_server serve\n", "utf-8")
    launcher.chmod(0o755)
    return workspace, launcher
