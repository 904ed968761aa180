"""Install the editors that tests drive; run with the Python of .venv. Neovim's newest is among its packages."""

from __future__ import annotations

import sys

import programs

PROGRAMS = {
    "chromium": "chromium",
    "emacs": "emacs-nox",
    "vim.nox": "vim-nox",
}
FILES = {
    "/usr/bin/nvim": "neovim",
    "/usr/share/emacs/site-lisp/elpa-src/eglot-*": "elpa-eglot",
    "/usr/share/emacs/site-lisp/elpa-src/lsp-mode-*": "elpa-lsp-mode",
    "/usr/share/vim-ale": "vim-ale",
}
"""`nvim` is a file, since Neovim of .venv may be on the PATH as well."""


def main() -> int:
    """Install what is missing and return the exit code."""
    try:
        programs.ensure_packages(PROGRAMS, FILES)
    except programs.MissingProgramError as error:
        print(f"editors.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
