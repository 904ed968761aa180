"""One document as the index takes it: what it is found by, and what is shown of it."""

from __future__ import annotations

from dataclasses import dataclass

import stringzilla

from lsp_server.core.matching import encode


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of a store on its way into a segment."""

    record: bytes
    """The document itself, as `records.to_record` wrote it."""
    fields: tuple[str, ...] = ()
    """Original texts, each searched for itself; no match reaches from one into the next."""
    keywords: tuple[str, ...] = ()
    """Folded phrases that only `Corpus.with_keyword` finds, each as a whole. Never blank."""
    kind: int = 0
    """Documents of different kinds in one store have corpus statistics of their own."""
    key: int = 0
    """64 bits by which `Corpus.with_keys` finds it."""
    expires_at: float = 0.0
    """Unix seconds; 0.0 = never."""

    @property
    def identity(self) -> int:
        """64 bits that differ between any two documents that differ in what is found or shown."""
        return int(stringzilla.hash(b"\xff".join((self.record, *map(encode, self.fields)))))


def key_of(text: str) -> int:
    """A key for a text that names a document."""
    return int(stringzilla.hash(encode(text)))
