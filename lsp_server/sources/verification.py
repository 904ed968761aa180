"""Whether a source-bound fact still holds: the sha256 of the file it was taken from (spec/masc.md §1.6)."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from lsp_server.core.model import BoundFact
from lsp_server.core.source import Verdict
from lsp_server.sources.text_file import open_without_waiting

MAX_SOURCE_BYTES = 1_048_576


def verify(base: Path, bound: BoundFact) -> Verdict:
    """`verified`, `invalidated` (changed, gone, too large, not a file) or `unverified` (no answer).

    A path that does not lead to a place below `base` cannot be judged here, since the keeper's own read
    policy is not known: it is `unverified`, which never claims that the fact no longer holds.
    """
    path = _below(base, bound.source_path)
    if path is None:
        return "unverified"
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_SOURCE_BYTES:
            return "invalidated"
        with open_without_waiting(path) as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return "invalidated"
    except (OSError, ValueError):
        return "unverified"
    return "verified" if digest == bound.sha256 else "invalidated"


def _below(base: Path, source_path: str) -> Path | None:
    """The real place of a source path, or `None` when that is not below `base`."""
    try:
        root = base.resolve()
        place = (root / source_path).resolve()
    except (OSError, ValueError, RuntimeError):
        # RuntimeError: a loop of links, before Python 3.13.
        return None
    return place if place.is_relative_to(root) else None
