"""Whether a source-bound fact still holds: the sha256 of the file it was taken from (spec/masc.md §1.6)."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Collection
from pathlib import Path

from lsp_server.core.model import BoundFact
from lsp_server.core.source import Verdict
from lsp_server.sources.text_file import open_without_waiting

MAX_SOURCE_BYTES = 1_048_576
GONE = "gone"
NO_ANSWER = "no answer"


def verify_all(base: Path, facts: Collection[BoundFact]) -> dict[BoundFact, Verdict]:
    """The verdict on each fact; a file that several facts are bound to is read once."""
    contents: dict[str, str] = {}
    for fact in facts:
        if fact.source_path not in contents:
            contents[fact.source_path] = _content(base, fact.source_path)
    return {fact: _verdict(fact, contents[fact.source_path]) for fact in facts}


def verify(base: Path, fact: BoundFact) -> Verdict:
    """`verified`, `invalidated` (changed, gone, too large, not a file) or `unverified` (no answer).

    A path that does not lead to a place below `base` cannot be judged here, since the keeper's own read
    policy is not known: it is `unverified`, which never claims that the fact no longer holds.
    """
    return _verdict(fact, _content(base, fact.source_path))


def _verdict(fact: BoundFact, content: str) -> Verdict:
    if content == NO_ANSWER:
        return "unverified"
    return "verified" if content == fact.sha256 else "invalidated"


def _content(base: Path, source_path: str) -> str:
    """The sha256 of a source file, `GONE` where there is no such file, or `NO_ANSWER`."""
    path = _below(base, source_path)
    if path is None:
        return NO_ANSWER
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_SOURCE_BYTES:
            return GONE
        with open_without_waiting(path) as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return GONE
    except (OSError, ValueError):
        return NO_ANSWER


def _below(base: Path, source_path: str) -> Path | None:
    """The real place of a source path, or `None` when that is not below `base`."""
    try:
        root = base.resolve()
        place = (root / source_path).resolve()
    except (OSError, ValueError, RuntimeError):
        # RuntimeError: a loop of links, before Python 3.13.
        return None
    return place if place.is_relative_to(root) else None
