"""The real editors: their versions stand at the end of every run."""

from __future__ import annotations

import pytest
from programs import package_version, program, version

CLIENT_PACKAGES = ("elpa-eglot", "elpa-lsp-mode", "vim-ale")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the editors that the tests have run; a header would appear only where these tests are named."""
    programs = {
        "nvim": program("NVIM", "nvim"),
        "nvim, old": program("NVIM_OLD", "/usr/bin/nvim"),
        "emacs": program("EMACS", "emacs"),
        "vim": program("VIM_PROGRAM", "vim.nox", "vim"),
    }
    terminalreporter.section("editors")
    for name, path in programs.items():
        terminalreporter.write_line(f"{name}: {version(path)}" if path else f"{name}: not installed")
    for package in CLIENT_PACKAGES:
        terminalreporter.write_line(f"{package}: {package_version(package) or 'no package'}")
