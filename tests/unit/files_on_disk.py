"""Files and links for tests that read what is really on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def write(path: Path, content: str | bytes = "text\n") -> Path:
    """Write a file, with its folders; line ends stay as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def link(at: Path, target: str | Path) -> Path:
    """Make a symbolic link, with its folders, where the system lets us."""
    at.parent.mkdir(parents=True, exist_ok=True)
    try:
        at.symlink_to(target, target_is_directory=os.path.isdir(at.parent / target))  # noqa: PTH112 - never raises
    except (OSError, NotImplementedError):
        pytest.skip("links cannot be made here")
    return at
