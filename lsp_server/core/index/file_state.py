"""What reading one file of a store gave, in memory and as a row of the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lsp_server.core.fingerprint import Fingerprint
from lsp_server.core.index.corpus import handles_of
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.model import Problem, Reading

UNSETTLED_NANOSECONDS = 50_000_000
"""A file modified this short before it was read may change again without a new time stamp; it is read again."""


@dataclass(frozen=True, slots=True, eq=False)
class FileState:
    """A file as it was read."""

    fingerprint: Fingerprint | None
    is_settled: bool
    """False where the same fingerprint may come with another content."""
    problems: tuple[Problem, ...]
    searchable: bool
    handles: Numbers
    """Its documents in stored order."""
    read_at: int = 0
    """Unix time in nanoseconds; 0 for one from the cache."""

    @staticmethod
    def of(
        reading: Reading[Any], fingerprint: Fingerprint | None, read_at: int, handles: Numbers
    ) -> FileState:
        """Take what was read of a file at a moment in nanoseconds, right after its fingerprint was taken."""
        # What makes a file readable leaves no trace in its fingerprint: one that gave nothing is asked again.
        gave_nothing = bool(reading.problems) and not reading.documents
        is_settled = (
            fingerprint is not None
            and not gave_nothing
            and abs(read_at - fingerprint[1]) >= UNSETTLED_NANOSECONDS
        )
        return FileState(fingerprint, is_settled, reading.problems, reading.searchable, handles, read_at)

    @property
    def gave_nothing(self) -> bool:
        """Whether it could not be read."""
        return bool(self.problems) and not len(self.handles)

    def says_the_same_as(self, other: FileState | None) -> bool:
        """Whether no lookup can tell them apart."""
        if other is self:
            return True
        return (
            other is not None
            and self.problems == other.problems
            and self.searchable == other.searchable
            and np.array_equal(self.handles, other.handles)
        )

    def row(self, path: str) -> list[Any]:
        """What `from_row` needs besides the segment, as JSON gives it back."""
        return [
            path,
            list(self.fingerprint) if self.fingerprint and self.is_settled else None,
            [[problem.path, problem.reason, problem.hides_matches] for problem in self.problems],
            self.searchable,
            len(self.handles),
        ]

    @staticmethod
    def from_row(row: list[Any], first: int) -> tuple[str, FileState]:
        """A path and its file, whose documents begin at a number of the only segment."""
        path, fingerprint, problems, searchable, count = row
        return path, FileState(
            fingerprint=tuple(fingerprint) if fingerprint else None,
            is_settled=fingerprint is not None,
            problems=tuple(Problem(*problem) for problem in problems),
            searchable=searchable,
            handles=handles_of(0, count) + first,
        )


def size_of(fingerprint: Fingerprint | None) -> int:
    """The file's size in bytes; 0 where it could not be asked."""
    return fingerprint[0] if fingerprint else 0
