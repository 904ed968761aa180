"""Vim with ALE, set up as docs/editors/vim.md says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from programs import program
from vim_runner import Vim

LOAD_SECONDS = 30


@pytest.fixture(scope="session")
def vim_program() -> str:
    """The path of a Vim that has jobs, popups and ALE."""
    path = program("VIM_PROGRAM", "vim.nox", "vim")
    if path is None:
        pytest.fail("needs Vim, found none: apt-get install vim-nox", pytrace=False)
    loads = "if !has('job') || !has('popupwin') | cquit 3 | endif | packadd ale | qall!"
    command = [path, "-es", "-u", "NONE", "-i", "NONE", "-n", "-N", "-c", loads, "-c", "cquit 4"]
    loaded = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LOAD_SECONDS, check=False
    )
    if loaded.returncode == 3:
        pytest.fail("needs a Vim with jobs and popups: apt-get install vim-nox", pytrace=False)
    if loaded.returncode != 0:
        pytest.fail("needs ALE for Vim, found none: apt-get install vim-ale", pytrace=False)
    return path


@pytest.fixture
def vim(vim_program: str, tmp_path: Path) -> Vim:
    """Vim in a home of its own."""
    return Vim(vim_program, tmp_path)
