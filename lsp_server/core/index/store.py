"""One source's files as they are on disk: read again only where they changed, indexed only where they differ."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from lsp_server.core.fingerprint import Fingerprint, fingerprint_of
from lsp_server.core.index.cache import Cache
from lsp_server.core.index.corpus import DEAD, Corpus, column_of, handles_of, taken_apart
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.file_state import FileState, size_of
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.segment import Segment, entries_in_chunks, merged
from lsp_server.core.index.snapshot import Indexing, Snapshot
from lsp_server.core.model import Listing, Problem, Progress, Reading, SourceStatus, Status
from lsp_server.core.source import Source

Document = TypeVar("Document")
Shown = TypeVar("Shown")
Index = TypeVar("Index")

CHUNK_DOCUMENTS = 8_192
"""At most so many documents make one new segment, so that what is ready can be searched during a long build."""

MOST_SEGMENTS = 8
"""Each costs every lookup some microseconds; beyond so many the small ones are merged."""

OUTDATED_SHARE = 1 / 8
"""All is merged and cached anew when so much of it was not in the cache, or is dead in it."""

CACHED_BYTES = 131_072
"""Stores with less text are read from their own files as fast as from a cache."""


class Store(Generic[Document, Shown, Index]):
    """Keeps a snapshot of one source fresh.

    `refresh` and `tidy` are the methods that touch the disk. `refresh` must not run twice at once; `tidy`
    may run beside it, and reading `snapshot` is safe from any thread at any time. A source that raises costs
    its own answer only: what it raised for becomes a problem (seeds/prior-art.md, `continue_independent`).
    """

    def __init__(
        self,
        source: Source[Document],
        indexing: Indexing[Document, Shown, Index],
        cache: Cache | None = None,
    ) -> None:
        self._source = source
        self._indexing = indexing
        self._cache = cache
        self._segments: tuple[Segment, ...] = ()
        self._files: dict[str, FileState] = {}
        self._awaiting: dict[str, FileState] = {}
        """What changed files were before, until they are read again; no lookup sees it."""
        self._unread_bytes = 0
        self._listing = Listing()
        self._base_count = 0
        self._swapping = Lock()
        self._tidying = Lock()
        self.cache_problem: str | None = None
        """Why the store could not be cached."""
        self.snapshot = self._take_snapshot()
        self._open_cached()

    def refresh(self, budget: int | None = None, at_least: int = 0) -> bool:
        """List the files, read those that are new or changed, forget those that are gone.

        Parameters
        ----------
        budget
            Read at most so many bytes; `None` = all. What is left is missing from the snapshot, which says so.
        at_least
            Read so many files whatever their size.

        Returns
        -------
        Whether nothing is left to read.
        """
        listing = self._list_files()
        paths = {str(path): path for path in listing.files}
        prints = {path: fingerprint_of(path) for path in paths}
        kept = {path for path, now in prints.items() if self._holds_still(path, now)}
        doubtful = [path for path in paths if path in kept and not self._files[path].is_settled]
        # What gave nothing before is asked again, each in its turn, but holds nothing else up.
        hopeless = [path for path in doubtful if self._files[path].gave_nothing]
        hopeless.sort(key=lambda path: self._files[path].read_at)
        to_read = [path for path in paths if path not in kept]
        to_read += [path for path in doubtful if not self._files[path].gave_nothing]
        read: dict[str, Reading[Document]] = {}
        moments: dict[str, int] = {}
        spent = 0
        for path in (*to_read, *hopeless):
            spent += size_of(prints[path])
            if budget is not None and spent > budget and len(read) >= at_least:
                break
            moments[path] = time.time_ns()
            read[path] = self._read_file(paths[path])
        with self._swapping:
            fresh = self._indexed(read, prints, moments)
            files = {
                path: fresh.get(path) or self._files[path] for path in paths if path in fresh or path in kept
            }
            changed = (
                (listing.locations, listing.problems) != (self._listing.locations, self._listing.problems)
                or list(files) != list(self._files)
                or not all(file.says_the_same_as(self._files[path]) for path, file in files.items())
            )
            unread = {path: prints[path] for path in paths if path not in files}
            known = {**self._awaiting, **self._files}
            self._awaiting = {path: known[path] for path in unread if path in known}
            self._unread_bytes = sum(map(size_of, unread.values()))
            self._listing, self._files = listing, files
            if changed or unread or not self.snapshot.is_complete:
                self.snapshot = self._take_snapshot()
            else:
                self.snapshot = replace(self.snapshot, fingerprints=self._fingerprints())
        return all(path in read for path in to_read)

    def tidy(self) -> None:
        """Merge segments where there are many, and cache the store where much of it is not cached.

        Lookups and `refresh` go on meanwhile; what they change counts. Where another thread is at it, that
        one does it.
        """
        if not self._tidying.acquire(blocking=False):
            return
        try:
            with self._swapping:
                segments, files = self._segments, dict(self._files)
                first = self._first_to_merge()
                if first is not None:
                    # What is dead now will not be in the merged segment, so no file may come back to it.
                    self._awaiting = {}
            if first is not None:
                self._merge(segments, files, first)
        finally:
            self._tidying.release()

    @property
    def is_untidy(self) -> bool:
        """Whether `tidy` has something to do."""
        with self._swapping:
            return self._first_to_merge() is not None

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

    # --- reading ---

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

    def _holds_still(self, path: str, now: Fingerprint | None) -> bool:
        known = self._files.get(path)
        return known is not None and now is not None and known.fingerprint == now

    def _indexed(
        self,
        read: dict[str, Reading[Document]],
        prints: dict[str, Fingerprint | None],
        moments: dict[str, int],
    ) -> dict[str, FileState]:
        """Index what was read. A document that its file held before keeps its place in its segment."""
        entries = {path: self._indexing.entries(reading.documents) for path, reading in read.items()}
        new: list[Entry] = []
        places: dict[str, list[int]] = {}
        for path, of_file in entries.items():
            before = self._handles_by_identity(path)
            places[path] = []
            for entry in of_file:
                known = before.get(entry.identity)
                places[path].append(known.pop(0) if known else -1 - len(new))
                if not known:
                    before.pop(entry.identity, None)
                if places[path][-1] < 0:
                    new.append(entry)
        fresh_handles = self._add(new)
        return {
            path: FileState.of(reading, prints[path], moments[path], _with_fresh(places[path], fresh_handles))
            for path, reading in read.items()
        }

    def _handles_by_identity(self, path: str) -> dict[int, list[int]]:
        known = self._files.get(path) or self._awaiting.get(path)
        by_identity: dict[int, list[int]] = {}
        if known is not None and len(known.handles):
            column = column_of(self._segments, known.handles, "identity")
            for handle, identity in zip(known.handles.tolist(), column.tolist(), strict=True):
                by_identity.setdefault(identity, []).append(handle)
        return by_identity

    def _add(self, entries: Sequence[Entry]) -> Numbers:
        """Append segments of new entries; the handles of these."""
        handles = [np.empty(0, np.int64)]
        for chunk in entries_in_chunks(entries, CHUNK_DOCUMENTS):
            handles.append(handles_of(len(self._segments), len(chunk)))
            self._segments = (*self._segments, Segment.of(chunk, is_transient=True))
        return np.concatenate(handles)

    # --- snapshots ---

    def _fingerprints(self) -> dict[str, Fingerprint | None]:
        return {path: file.fingerprint if file.is_settled else None for path, file in self._files.items()}

    def _take_snapshot(self) -> Snapshot[Index]:
        files = list(self._files.values())
        read_bytes = sum(size_of(file.fingerprint) for file in files)
        is_complete = len(files) == len(self._listing.files)
        problems = self._listing.problems + tuple(problem for file in files for problem in file.problems)
        if not is_complete:
            percentage = Progress(read_bytes, read_bytes + self._unread_bytes, is_complete=False).percentage
            problems = (indexing_problem(percentage), *problems)
        handles = np.concatenate([np.empty(0, np.int64), *(file.handles for file in files)])
        return Snapshot(
            index=self._indexing.derive(Corpus(self._segments, handles, self._indexing.decode)),
            status=_status(
                bool(self._listing.locations),
                any(problem.hides_matches for problem in problems),
                any(file.searchable for file in files) or not is_complete,
            ),
            problems=problems,
            fingerprints=self._fingerprints(),
            locations=self._listing.locations,
            read_bytes=read_bytes,
            unread_bytes=self._unread_bytes,
            is_complete=is_complete,
        )

    # --- merging and the cache ---

    def _first_to_merge(self) -> int | None:
        """The first of the segments that should become one, `None` where they are fine as they are."""
        count = sum(map(len, self._segments))
        live = sum(len(file.handles) for file in self._files.values())
        # What came after the large segment, and what is dead in any.
        outdated = (count - self._base_count) + (count - live)
        is_large = sum(len(segment.text.blob) for segment in self._segments) >= CACHED_BYTES
        is_complete = len(self._files) == len(self._listing.files)
        if live and is_complete and is_large and outdated > OUTDATED_SHARE * live:
            return 0
        if len(self._segments) > MOST_SEGMENTS:
            return 1 if self._base_count else 0
        return None

    def _merge(self, segments: tuple[Segment, ...], files: dict[str, FileState], first: int) -> None:
        """Put one segment in the place of those from `first` on."""
        corpus = Corpus(
            segments,
            np.concatenate([np.empty(0, np.int64), *(file.handles for file in files.values())]),
            self._indexing.decode,
        )
        positions = corpus.positions[first:]
        live = np.sort(np.concatenate([numbers[numbers != DEAD] for numbers in positions]))
        numbers = [np.where(of == DEAD, DEAD, np.searchsorted(live, of)) for of in positions]
        whole = merged(segments[first:], numbers)
        if first == 0 and self._cache is not None and len(whole.text.blob) >= CACHED_BYTES:
            whole = self._cached(self._cache, whole, files)
        with self._swapping:
            later = self._segments[len(segments) :]
            self._segments = (*segments[:first], whole, *later)
            targets = [handles_of(place, len(segment)) for place, segment in enumerate(segments[:first])]
            targets += [np.where(of == DEAD, DEAD, of + handles_of(first, 1)[0]) for of in numbers]
            targets += [handles_of(first + 1 + place, len(segment)) for place, segment in enumerate(later)]
            moved = _Moved(targets)
            self._files = {
                path: replace(file, handles=moved(file.handles)) for path, file in self._files.items()
            }
            if first == 0:
                self._base_count = len(whole)
            self._awaiting = {
                path: replace(file, handles=moved(file.handles)) for path, file in self._awaiting.items()
            }
            self.snapshot = self._take_snapshot()

    def _cached(self, cache: Cache, segment: Segment, files: dict[str, FileState]) -> Segment:
        """The segment as it is mapped from the cache, or itself where it could not be cached."""
        name = self._source.name
        table = [file.row(path) for path, file in files.items()]
        try:
            cache.write(name, segment.arrays(), table)
            self.cache_problem = None
        except OSError as error:
            self.cache_problem = error.strerror or str(error)
            return segment
        kept = cache.read(name)
        return Segment.read(kept[0]) if kept is not None and kept[1] == table else segment

    def _open_cached(self) -> None:
        kept = self._cache.read(self._source.name) if self._cache is not None else None
        if kept is None:
            return
        arrays, table = kept
        segment = Segment.read(arrays)
        first = 0
        for row in table:
            path, file = FileState.from_row(row, first)
            self._files[path] = file
            first += len(file.handles)
        self._segments, self._base_count = (segment,), len(segment)


class _Moved:
    """Where documents went when segments were merged."""

    def __init__(self, targets: Sequence[Numbers]) -> None:
        self._starts = np.cumsum([0, *map(len, targets)])
        self._targets = np.concatenate(targets)

    def __call__(self, handles: Numbers) -> Numbers:
        segments, numbers = taken_apart(handles)
        moved: Numbers = self._targets[self._starts[segments] + numbers]
        return moved


def indexing_problem(percentage: int) -> Problem:
    """What a store says while part of it is not read yet."""
    return Problem("", f"indexing {percentage} %, the rest is not searched yet", passes=True)


def _with_fresh(places: Iterable[int], fresh: Numbers) -> Numbers:
    """Handles, where -1 - i stands for the i-th fresh one."""
    given = np.fromiter(places, np.int64)
    is_fresh = given < 0
    given[is_fresh] = fresh[-1 - given[is_fresh]]
    return given


def _status(present: bool, troubled: bool, searchable: bool) -> Status:
    if troubled:
        return "incomplete" if searchable else "failed"
    return "complete" if present else "absent"
