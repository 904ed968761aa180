"""Install the editors that tests drive; run with the Python of .venv. Neovim's newest is among its packages."""

from __future__ import annotations

import sys

import programs

PROGRAMS = {
    "chromium": "chromium",
    "emacs": "emacs-nox",
    "nvim": "neovim",
    "vim.nox": "vim-nox",
    "tmux": "tmux",
}
FILES = {
    "/usr/share/emacs/site-lisp/elpa-src/eglot-1.9": "elpa-eglot",
}


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
