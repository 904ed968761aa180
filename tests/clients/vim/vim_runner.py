"""Vim in a terminal of its own and in a home of its own, set up by the code blocks of docs/editors/vim.md."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from programs import furnish

REPOSITORY = Path(__file__).parents[3]
PAGE = REPOSITORY / "docs" / "editors" / "vim.md"
USER = Path(__file__).with_name("user.vim")
RUN_SECONDS = 120

_BLOCK = re.compile(r"^```vim\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def vimrc() -> str:
    """The code blocks of the page."""
    return "\n".join(_BLOCK.findall(PAGE.read_text("utf-8")))


@dataclass
class Vim:
    """One Vim in a copy of examples/harbour, with the vimrc of the page."""

    path: str
    home: Path
    workspace: Path = field(init=False)
    file: Path = field(init=False)

    def __post_init__(self) -> None:
        self.workspace, _ = furnish(self.home)
        self.file = self.workspace / "src" / "signing.py"

    def play(self, script: str, file: Path | None = None, more_vimrc: str = "") -> Any:
        """Open a file, run a script as a function and return what it returns."""
        init, played, result = self.home / "vimrc", self.home / "script.vim", self.home / "result.json"
        result.unlink(missing_ok=True)
        init.write_text(f"set nocompatible encoding=utf-8\nfiletype on\n{vimrc()}\n{more_vimrc}\n", "utf-8")
        played.write_text(f"function! UserScript() abort\n{script}\nendfunction\n", "utf-8")
        command = [self.path, "-u", init, "-i", "NONE", "-n", "-S", USER, "-S", played, file or self.file]
        screen, terminal = pty.openpty()
        with subprocess.Popen(
            command,
            cwd=self.workspace,
            env=self._environment(result),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        ) as running:
            os.close(terminal)
            drawn = bytearray()
            reader = threading.Thread(target=_read_all, args=(screen, drawn), daemon=True)
            reader.start()
            try:
                running.wait(RUN_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
            reader.join()
            os.close(screen)
        assert result.exists(), f"Vim ended with {running.returncode}: {bytes(drawn[-4000:])!r}"
        played_back = json.loads(result.read_text("utf-8"))
        assert "failure" not in played_back, played_back["failure"]
        return played_back["result"]

    def _environment(self, result: Path) -> dict[str, str]:
        foreign = ("MASC_", "XDG_", "VIM")
        mine = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        return {
            **mine,
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm",
            "PATH": os.pathsep.join([str(self.home / "bin"), os.environ.get("PATH", os.defpath)]),
            "RESULT": str(result),
        }


def _read_all(screen: int, drawn: bytearray) -> None:
    # Linux says that the other end is closed with an error.
    with suppress(OSError):
        while chunk := os.read(screen, 65536):
            drawn += chunk
