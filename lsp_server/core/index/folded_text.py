"""All documents of a store as one folded UTF-8 blob that a single SIMD pass searches.

Documents and their fields are joined by the byte 0xFF, which is never part of valid UTF-8, so no needle can
reach from one into the next. This is the exact path for every script and every needle length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import stringzilla

from lsp_server.core.matching import Term, fold, is_ascii_word

_SEPARATOR = b"\xff"


@dataclass(frozen=True, slots=True)
class FoldedText:
    """Folded documents, numbered from 0 in stored order."""

    blob: bytes
    starts: tuple[int, ...]
    """Byte offset of each document, and the blob's length as the last entry."""

    @staticmethod
    def of(documents: Iterable[Sequence[str]]) -> FoldedText:
        """Fold and join documents, each a sequence of fields that are searched separately."""
        parts: list[bytes] = []
        starts = [0]
        for fields in documents:
            part = b"".join(_encode(fold(text)) + _SEPARATOR for text in fields)
            parts.append(part)
            starts.append(starts[-1] + len(part))
        return FoldedText(b"".join(parts), tuple(starts))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def documents_with(self, term: Term) -> Iterator[int]:
        """Numbers of the documents that contain the term, ascending. A blank term is in none."""
        needle = _encode(term.folded)
        at = stringzilla.find(self.blob, needle) if needle else -1
        while at >= 0:
            if term.bounded and not self._stands_alone(at, at + len(needle)):
                at = stringzilla.find(self.blob, needle, at + 1)
                continue
            document = bisect_right(self.starts, at) - 1
            yield document
            at = stringzilla.find(self.blob, needle, self.starts[document + 1])

    def line_of(self, number: int, term: Term) -> int:
        """The 1-based line of a document, of one field, where an unbounded term first stands in it.

        Folding keeps line breaks, so it is also the line in the original.
        """
        start = self.starts[number]
        return self.blob.count(b"\n", start, stringzilla.find(self.blob, _encode(term.folded), start)) + 1

    def document(self, number: int) -> str:
        """The folded text of one document, its fields on lines of their own."""
        raw = self.blob[self.starts[number] : self.starts[number + 1]]
        return "\n".join(part.decode("utf-8", "surrogatepass") for part in raw.split(_SEPARATOR)[:-1])

    def _stands_alone(self, start: int, end: int) -> bool:
        # Every document ends with the separator, so `end` is always inside the blob. A byte of a longer
        # character is never an ASCII letter or digit.
        before = chr(self.blob[start - 1]) if start else "\n"
        return not is_ascii_word(before) and not is_ascii_word(chr(self.blob[end]))


def _encode(text: str) -> bytes:
    # JSON may hold lone surrogates; they are as searchable as any other character.
    return text.encode("utf-8", "surrogatepass")
