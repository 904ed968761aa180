"""What tells one content of a file from the next without reading it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

Fingerprint: TypeAlias = tuple[int, int, int, int]
"""Size, times of modification and of the last change of any kind in nanoseconds, inode."""


def fingerprint_of(path: str | Path) -> Fingerprint | None:
    """The file's fingerprint, or `None` when it cannot be asked."""
    try:
        status = os.stat(path)  # noqa: PTH116 - Path.stat costs an object for each of many files
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
