"""Folded documents as one file that is mapped into memory, for those that scan it or verify against it."""

from __future__ import annotations

import mmap
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path

from rules import fold

SEPARATOR = b"\xff"
"""Between documents; never part of UTF-8, so no needle reaches across it."""

_TEXT, _STARTS = "text.bin", "starts.bin"


class FoldedTexts:
    """`blob` holds all documents, each followed by the separator; `starts` the offset of each, and the end."""

    def __init__(self, folder: Path) -> None:
        with (folder / _TEXT).open("rb") as file:
            self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.blob = memoryview(self._mapped)
        self.starts = array("Q")
        self.starts.frombytes((folder / _STARTS).read_bytes())

    def folded(self, number: int) -> bytes:
        """One document, without the separator."""
        return self._mapped[self.starts[number] : self.starts[number + 1] - 1]

    def number_at(self, offset: int) -> int:
        """The document that an offset of the blob is in."""
        return bisect_right(self.starts, offset) - 1

    def close(self) -> None:
        """Give the mapping back."""
        self.blob.release()
        self._mapped.close()


def write_folded_texts(documents: Iterable[str], folder: Path) -> None:
    """Fold documents and write them to `folder`."""
    starts = array("Q", [0])
    with (folder / _TEXT).open("wb") as file:
        for text in documents:
            file.write(fold(text).encode() + SEPARATOR)
            starts.append(file.tell())
    (folder / _STARTS).write_bytes(starts.tobytes())
