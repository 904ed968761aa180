"""The live documents of a store in stored order, over however many segments hold them.

A document is known by its position, from 0, in stored order. A changed file leaves dead documents in its
segment: they have no position, and no lookup and no statistic sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from lsp_server.core.index.folded_text import SEPARATOR
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.segment import Segment
from lsp_server.core.matching import Term

Document = TypeVar("Document")

DEAD = -1
_SEGMENT_SHIFT = 32


def handles_of(segment: int, count: int) -> Numbers:
    """Name the documents of a whole segment within a store: segment and number in one integer."""
    return np.arange(count, dtype=np.int64) + (segment << _SEGMENT_SHIFT)


def column_of(segments: Sequence[Segment], handles: Numbers, name: str) -> Numbers:
    """A column of some documents of a store."""
    columns = [segment.columns[name] for segment in segments]
    values = np.zeros(len(handles), columns[0].dtype if columns else np.uint8)
    places, numbers = taken_apart(handles)
    for place in np.flatnonzero(np.bincount(places)).tolist():
        mine = places == place
        values[mine] = columns[place][numbers[mine]]
    return values


def taken_apart(handles: Numbers) -> tuple[Numbers, Numbers]:
    """The segments and the numbers that handles stand for."""
    return handles >> _SEGMENT_SHIFT, handles & ((1 << _SEGMENT_SHIFT) - 1)


@dataclass(frozen=True)
class Corpus(Generic[Document]):
    """A view of a store at one moment."""

    segments: Sequence[Segment]
    handles: Numbers
    """What `handles_of` calls each live document, in stored order."""
    decode: Callable[[bytes], Document]
    """Reads a record."""

    def __len__(self) -> int:
        return len(self.handles)

    def holding(self, term: Term) -> Numbers:
        """Positions of the documents that contain a term, white space in it or not, ascending."""
        return self._gathered([segment.holding(term) for segment in self.segments])

    def with_keyword(self, keyword: str) -> Numbers:
        """Positions of the documents that have a keyword, ascending."""
        return self._gathered([segment.with_keyword(keyword) for segment in self.segments])

    def frequencies(self, term: Term) -> tuple[Numbers, Numbers]:
        """Positions of the documents that contain a term, ascending, and in how many tokens each does."""
        return self._frequencies([segment.frequencies(term) for segment in self.segments])

    def _frequencies(self, found: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
        if self._is_one_segment:
            return found[0]
        together = self._positions_of([numbers for numbers, _ in found])
        counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in found)])
        order = np.argsort(together, kind="stable")[np.count_nonzero(together == DEAD) :]
        return together[order], counts[order]

    def token_frequencies(self, token: str) -> tuple[Numbers, Numbers]:
        """The same for a whole white-space token."""
        return self._frequencies([segment.token_frequencies(token) for segment in self.segments])

    def with_keys(self, first: int, last: int) -> Numbers:
        """Positions of the documents whose key lies between two, both included, in stored order."""
        keys = self.column("key")
        return np.flatnonzero((keys >= np.uint64(first)) & (keys <= np.uint64(last)))

    def sharing_a_key(self) -> Numbers:
        """Positions of the documents whose key another one has as well, ascending.

        Only what is in more than one place of the segments' sorted keys is looked at.
        """
        shared = [np.empty(0, np.uint64)]
        for place, segment in enumerate(self.segments):
            keys, _ = segment.keys
            shared.append(keys[1:][keys[1:] == keys[:-1]])
            for other in self.segments[:place]:
                few, many = sorted((keys, other.keys[0]), key=len)
                at = np.minimum(np.searchsorted(many, few), len(many) - 1)
                shared.append(few[many[at] == few])
        wanted = np.unique(np.concatenate(shared))
        positions = self._gathered([segment.with_keys(wanted) for segment in self.segments])
        keys = self.column("key")[positions]
        _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        return np.sort(positions[sizes[groups] > 1])

    def column(self, name: str) -> Numbers:
        """A column of all documents, by position."""
        if name not in self._columns:
            self._columns[name] = self._column(name)
        return self._columns[name]

    def document(self, position: int) -> Document:
        """The document at a position."""
        segment, number = self._place(position)
        return self.decode(segment.record(number))

    def documents(self, positions: Numbers) -> list[Document]:
        """The documents at some positions."""
        return [self.document(position) for position in positions.tolist()]

    def keywords(self, prefix: str) -> set[str]:
        """The keywords that begin with a prefix, without it; some may belong to dead documents only."""
        return {keyword for segment in self.segments for keyword in segment.keywords(prefix)}

    def first_field_of(self, position: int) -> str:
        """The folded text of a document's first field."""
        segment, number = self._place(position)
        return segment.text.document(number).partition(SEPARATOR)[0].decode("utf-8", "surrogatepass")

    def line_of(self, position: int, term: Term) -> int:
        """The 1-based line of a document, of one field, where an unbounded term first stands in it."""
        segment, number = self._place(position)
        return segment.text.line_of(number, term)

    def _place(self, position: int) -> tuple[Segment, int]:
        handle = int(self.handles[position])
        return self.segments[handle >> _SEGMENT_SHIFT], handle & ((1 << _SEGMENT_SHIFT) - 1)

    def _gathered(self, found: Sequence[Numbers]) -> Numbers:
        if self._is_one_segment:
            return found[0]
        together = self._positions_of(found)
        return np.sort(together[together != DEAD])

    def _positions_of(self, found: Sequence[Numbers]) -> Numbers:
        """The positions of numbers in each segment, end to end; `DEAD` for a dead document."""
        positions = (self.positions[place][numbers] for place, numbers in enumerate(found) if len(numbers))
        return np.concatenate([np.empty(0, np.int64), *positions])

    @cached_property
    def positions(self) -> list[Numbers]:
        """For each segment the position of each of its documents, or `DEAD`."""
        positions = [np.full(len(segment), DEAD, np.int64) for segment in self.segments]
        places, numbers = taken_apart(self.handles)
        for place, of_segment in enumerate(positions):
            mine = np.flatnonzero(places == place)
            of_segment[numbers[mine]] = mine
        return positions

    @cached_property
    def _is_one_segment(self) -> bool:
        """Whether positions are the numbers of the one segment."""
        return len(self.segments) == 1 and np.array_equal(self.handles, handles_of(0, len(self.segments[0])))

    @cached_property
    def _columns(self) -> dict[str, Numbers]:
        return {}

    def _column(self, name: str) -> Numbers:
        if self._is_one_segment:
            return self.segments[0].columns[name]
        return column_of(self.segments, self.handles, name)
