"""Emacs with its two clients, set up as docs/editors/emacs.md says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from emacs_runner import USER, Emacs, block
from programs import program

LOAD_SECONDS = 30


@pytest.fixture(scope="session")
def emacs_program() -> str:
    """The path of Emacs."""
    path = program("EMACS", "emacs")
    if path is None:
        pytest.fail("needs Emacs, found none: apt-get install emacs-nox", pytrace=False)
    return path


@pytest.fixture
def eglot(emacs_program: str, tmp_path: Path) -> Emacs:
    """Emacs with eglot, for Python too."""
    _need(emacs_program, "eglot", "elpa-eglot")
    blocks = [block("defun prior-art-search"), block("defclass prior-art-server"), block("'(python-mode")]
    return Emacs(emacs_program, tmp_path, "\n".join(blocks))


@pytest.fixture
def lsp_mode(emacs_program: str, tmp_path: Path) -> Emacs:
    """Emacs with lsp-mode."""
    _need(emacs_program, "lsp-mode", "elpa-lsp-mode")
    return Emacs(
        emacs_program, tmp_path, "\n".join([block("defun prior-art-search"), block("lsp-register-client")])
    )


def _need(emacs: str, library: str, package: str) -> None:
    command = [emacs, "-Q", "--batch", "-l", USER, "--eval", f"(require '{library})"]
    loaded = subprocess.run(command, capture_output=True, timeout=LOAD_SECONDS, check=False)
    if loaded.returncode != 0:
        pytest.fail(f"needs {library} for Emacs, found none: apt-get install {package}", pytrace=False)
