"""One source's files as they are on disk: read again only where they changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from lsp_server.core.fingerprint import Fingerprint, fingerprint_of
from lsp_server.core.model import Listing, Problem, Reading, SourceStatus, Status
from lsp_server.core.source import Source

Document = TypeVar("Document")
Index = TypeVar("Index")

UNSETTLED_NANOSECONDS = 50_000_000
"""A file modified this short before it was read may change again without a new time stamp; it is read again."""


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[Index]):
    """A store as it was at one moment. Never changed, only replaced."""

    index: Index
    status: Status
    problems: tuple[Problem, ...]
    fingerprints: dict[str, Fingerprint | None]
    """`None` for a file that could not be asked, or that may have changed since without a new time stamp."""
    locations: tuple[str, ...]

    def is_current(self, path: str) -> bool:
        """Whether a file of the store is certainly still as it was read."""
        known = self.fingerprints.get(path)
        return known is not None and known == fingerprint_of(path)


class Store(Generic[Document, Index]):
    """Keeps a snapshot of one source fresh.

    `refresh` is the only method that touches the disk. It must not run twice at once; reading `snapshot`
    is safe from any thread at any time. A source that raises costs its own answer only: what it raised for
    becomes a problem (seeds/prior-art.md, `continue_independent`).
    """

    def __init__(
        self, source: Source[Document], build_index: Callable[[tuple[Document, ...]], Index]
    ) -> None:
        self._source = source
        self._build_index = build_index
        self._read: dict[Path, tuple[Fingerprint | None, Reading[Document]]] = {}
        self._listing = Listing()
        self.snapshot = self._take_snapshot()

    def refresh(self) -> None:
        """List the files, read those that are new or changed, forget those that are gone."""
        listing = self._list_files()
        read = {path: self._reading_of(path) for path in listing.files}
        changed = listing != self._listing or any(
            path not in self._read or reading is not self._read[path][1]
            for path, (_, reading) in read.items()
        )
        self._listing, self._read = listing, read
        if changed:
            self.snapshot = self._take_snapshot()
        else:
            self.snapshot = replace(self.snapshot, fingerprints=self._fingerprints())

    def status(self, count: Callable[[Index], int]) -> SourceStatus:
        """The store as `status` shows it; `count` tells how many documents an index holds."""
        snapshot = self.snapshot
        return SourceStatus(
            name=self._source.name,
            status=snapshot.status,
            document_count=count(snapshot.index),
            file_count=len(snapshot.fingerprints),
            locations=snapshot.locations,
            problems=snapshot.problems,
        )

    def _list_files(self) -> Listing:
        try:
            return self._source.list_files()
        except Exception as error:
            return Listing(problems=(Problem("", f"its files could not be listed: {error}"),))

    def _read_file(self, path: Path) -> Reading[Document]:
        try:
            return self._source.read_file(path)
        except Exception as error:
            return Reading(problems=(Problem(str(path), f"could not be read: {error}"),), searchable=False)

    def _reading_of(self, path: Path) -> tuple[Fingerprint | None, Reading[Document]]:
        known = self._read.get(path)
        fingerprint = fingerprint_of(path)
        if known is not None and fingerprint is not None and known[0] == fingerprint:
            return known
        started = time.time_ns()
        reading = self._read_file(path)
        # What makes a file readable leaves no trace in its fingerprint, so one that gave nothing is asked again.
        gave_nothing = bool(reading.problems) and not reading.documents
        if gave_nothing or (fingerprint and abs(started - fingerprint[1]) < UNSETTLED_NANOSECONDS):
            fingerprint = None
        # The same answer as before is no change.
        return fingerprint, known[1] if known is not None and known[1] == reading else reading

    def _fingerprints(self) -> dict[str, Fingerprint | None]:
        return {str(path): fingerprint for path, (fingerprint, _) in self._read.items()}

    def _take_snapshot(self) -> Snapshot[Index]:
        readings = [self._read[path][1] for path in self._listing.files]
        problems = self._listing.problems + tuple(
            problem for reading in readings for problem in reading.problems
        )
        documents = tuple(document for reading in readings for document in reading.documents)
        searchable = any(reading.searchable for reading in readings)
        return Snapshot(
            index=self._build_index(documents),
            status=_status(bool(self._listing.locations), any(p.hides_matches for p in problems), searchable),
            problems=problems,
            fingerprints=self._fingerprints(),
            locations=self._listing.locations,
        )


def _status(present: bool, troubled: bool, searchable: bool) -> Status:
    if troubled:
        return "incomplete" if searchable else "failed"
    return "complete" if present else "absent"
