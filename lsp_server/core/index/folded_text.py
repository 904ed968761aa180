"""All documents of a segment as one folded UTF-8 blob that a single SIMD pass searches.

Documents and their fields are joined by the byte 0xFF, which is never part of valid UTF-8, so no needle can
reach from one into the next. This is the reference path: exact for every script and every needle length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import stringzilla

from lsp_server.core.index.numbers import Numbers, offsets_of
from lsp_server.core.matching import Term, encode, is_ascii_word

SEPARATOR = b"\xff"

CHECK_COST_BYTES = 32_768
"""Asking one document by itself takes about as long as scanning so many bytes more."""


@dataclass(frozen=True)
class FoldedText:
    """Folded documents, numbered from 0 in stored order."""

    blob: bytes | memoryview
    starts: Numbers
    """Byte offset of each document, and the blob's length as the last entry."""

    @staticmethod
    def of(documents: Sequence[Sequence[str]]) -> FoldedText:
        """Join documents, each a sequence of folded fields that are searched separately."""
        parts = [b"".join(encode(field) + SEPARATOR for field in fields) for fields in documents]
        return FoldedText(b"".join(parts), offsets_of([len(part) for part in parts]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def documents_with(self, term: Term) -> Iterator[int]:
        """Numbers of the documents that contain the term, ascending. A blank term is in none."""
        needle = encode(term.folded)
        at = stringzilla.find(self.blob, needle) if needle else -1
        while at >= 0:
            if term.bounded and not self._stands_alone(at, at + len(needle)):
                at = stringzilla.find(self.blob, needle, at + 1)
                continue
            document = bisect_right(self._offsets, at) - 1
            yield document
            at = stringzilla.find(self.blob, needle, self._offsets[document + 1])

    def keep_those_with(self, term: Term, candidates: Numbers) -> Numbers:
        """Those candidates, in ascending order, that contain an unbounded term."""
        size = self.starts[1:][candidates].astype(np.int64) - self.starts[candidates]
        if int(size.sum()) + len(candidates) * CHECK_COST_BYTES > len(self.blob):
            return np.fromiter(self.documents_with(term), np.int64)
        needle, offsets = encode(term.folded), self._offsets
        found = [
            number
            for number in candidates.tolist()
            if stringzilla.find(self.blob, needle, offsets[number], offsets[number + 1]) >= 0
        ]
        return np.array(found, np.int64)

    def line_of(self, number: int, term: Term) -> int:
        """The 1-based line of a document, of one field, where an unbounded term first stands in it.

        Folding keeps line breaks, so it is also the line in the original.
        """
        start = self._offsets[number]
        at = stringzilla.find(self.blob, encode(term.folded), start)
        return bytes(self.blob[start:at]).count(b"\n") + 1

    def document(self, number: int) -> bytes:
        """The folded bytes of one document, a separator behind each field."""
        return bytes(self.blob[self._offsets[number] : self._offsets[number + 1]])

    @cached_property
    def _offsets(self) -> memoryview:
        # Single elements of a memoryview come without the cost of numpy's own number objects.
        return self.starts.data

    def _stands_alone(self, start: int, end: int) -> bool:
        # Every document ends with the separator, so `end` is always inside the blob. A byte of a longer
        # character is never an ASCII letter or digit.
        before = chr(self.blob[start - 1]) if start else "\n"
        return not is_ascii_word(before) and not is_ascii_word(chr(self.blob[end]))
