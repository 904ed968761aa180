"""Emacs in batch mode, in a home of its own, set up by the code blocks of docs/editors/emacs.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from programs import furnish

REPOSITORY = Path(__file__).parents[3]
PAGE = REPOSITORY / "docs" / "editors" / "emacs.md"
USER = Path(__file__).with_name("user.el")
RUN_SECONDS = 120

_BLOCK = re.compile(r"^```elisp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def block(text: str) -> str:
    """The one code block of the page that has a text."""
    (found,) = (each for each in _BLOCK.findall(PAGE.read_text("utf-8")) if text in each)
    return found


@dataclass
class Emacs:
    """One Emacs in a copy of examples/harbour; its set-up is what a person's init file holds."""

    path: str
    home: Path
    setup: str
    workspace: Path = field(init=False)
    file: Path = field(init=False)

    def __post_init__(self) -> None:
        self.workspace, _ = furnish(self.home)
        self.file = self.workspace / "src" / "signing.py"

    def play(self, script: str, file: Path | None = None) -> Any:
        """Open a file, evaluate a script and return its value as JSON gives it."""
        setup, played, result = self.home / "init.el", self.home / "script.el", self.home / "result.json"
        result.unlink(missing_ok=True)
        setup.write_text(self.setup, "utf-8")
        played.write_text(f"(user-play (lambda ()\n{script}\n))\n", "utf-8")
        command = [self.path, "-Q", "--batch", "-l", USER, "-l", setup, "-l", played]
        ended = subprocess.run(
            command,
            cwd=self.workspace,
            env=self._environment(file or self.file, result),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        assert result.exists(), f"Emacs ended with {ended.returncode}: {ended.stderr[-4000:]}"
        played_back = json.loads(result.read_text("utf-8"))
        assert "failure" not in played_back, f"{played_back['failure']}\n{ended.stderr[-4000:]}"
        return played_back["result"]

    def _environment(self, file: Path, result: Path) -> dict[str, str]:
        foreign = ("MASC_", "XDG_", "EMACS")
        mine = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        return {
            **mine,
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PATH": os.pathsep.join([str(self.home / "bin"), os.environ.get("PATH", os.defpath)]),
            "FILE": str(file),
            "RESULT": str(result),
        }
