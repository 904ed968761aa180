"""Neovim as a person runs it: a real one, headless, in a home of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from programs import furnish

REPOSITORY = Path(__file__).parents[3]
PLUGIN = REPOSITORY / "editors" / "neovim"
PAGE = REPOSITORY / "docs" / "editors" / "neovim.md"
USER = Path(__file__).with_name("user.lua")
RUN_SECONDS = 120

_BLOCK = re.compile(r"^```lua\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[str]:
    """The code blocks of the page, in its order."""
    return _BLOCK.findall(PAGE.read_text("utf-8"))


def block(text: str) -> str:
    """The one code block of the page that has a text."""
    (found,) = (each for each in blocks() if text in each)
    return found


def lua(text: object) -> str:
    """A text as Lua writes it; unlike JSON it knows no `\\u` but letters of every script."""
    return json.dumps(str(text), ensure_ascii=False)


@dataclass
class Neovim:
    """One Neovim with a home of its own, in a copy of examples/harbour."""

    path: str
    home: Path
    init: str
    workspace: Path = field(init=False)

    def __post_init__(self) -> None:
        self.workspace, self.launcher = furnish(self.home)
        (self.home / "prior-art-lsp").symlink_to(REPOSITORY)

    def play(
        self,
        script: str,
        file: str = "src/signing.py",
        init: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Any:
        """Open a file, do what a Lua script does with `user`, and return what it returns."""
        init_file, script_file = self.home / "init.lua", self.home / "script.lua"
        result = self.home / "result.json"
        result.unlink(missing_ok=True)
        init_file.write_text(self.init if init is None else init, "utf-8")
        played = f"local user = dofile({lua(USER)})\nuser.play(function()\n{script}\nend)\n"
        script_file.write_text(played, "utf-8")
        command = [self.path, "--headless", "-u", init_file, "-i", "NONE", "-n"]
        # Scheduled, since a person types when the start is over, and not inside of its autocommand.
        start = f"lua vim.schedule(function() dofile({lua(script_file)}) end)"
        command += [*([file] if file else []), "-c", f"autocmd VimEnter * ++once {start}"]
        ended = subprocess.run(
            command,
            cwd=self.workspace,
            env={**self._environment(result), **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        assert result.exists(), f"Neovim ended with {ended.returncode}: {ended.stderr}"
        played_back = json.loads(result.read_text("utf-8"))
        assert "failure" not in played_back, played_back["failure"]
        return played_back["result"]

    def _environment(self, result: Path) -> dict[str, str]:
        foreign = ("MASC_", "XDG_", "NVIM", "VIM")
        mine = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        return {
            **mine,
            "HOME": str(self.home),
            "PATH": os.pathsep.join([str(self.launcher.parent), os.environ.get("PATH", os.defpath)]),
            "RESULT": str(result),
        }
