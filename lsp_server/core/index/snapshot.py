"""A store as it was at one moment, and how the documents of one kind of store become that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from lsp_server.core.fingerprint import Fingerprint, fingerprint_of
from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry
from lsp_server.core.model import Problem, Status

Document = TypeVar("Document")
Shown = TypeVar("Shown")
Index = TypeVar("Index")


@dataclass(frozen=True, slots=True)
class Indexing(Generic[Document, Shown, Index]):
    """How the documents of one kind of store are found and shown."""

    entries: Callable[[Sequence[Document]], list[Entry]]
    """What one file's documents are found by, in stored order."""
    decode: Callable[[bytes], Shown]
    """Reads the record of an entry."""
    derive: Callable[[Corpus[Shown]], Index]
    """What lookups need besides the corpus; called whenever that has changed."""


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[Index]):
    """A store as it was at one moment. Never changed, only replaced."""

    index: Index
    status: Status
    problems: tuple[Problem, ...]
    fingerprints: dict[str, Fingerprint | None]
    """`None` for a file that could not be asked, or that may have changed since without a new time stamp."""
    locations: tuple[str, ...]
    read_bytes: int
    unread_bytes: int
    is_complete: bool
    """Whether every file has been read; while it is not, `problems` says how far it got."""

    def is_current(self, path: str) -> bool:
        """Whether a file of the store is certainly still as it was read."""
        known = self.fingerprints.get(path)
        return known is not None and known == fingerprint_of(path)
