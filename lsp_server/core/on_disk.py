"""What is at a path, asked so that any path gets an answer.

`Path`'s own questions raise for a folder that may not be entered and for a name that is too long.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there, links followed."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Whether a file is there, links followed."""
    return os.path.isfile(path)  # noqa: PTH113


def is_there(path: str | Path) -> bool:
    """Whether anything is there, links followed."""
    return os.path.exists(path)  # noqa: PTH110
