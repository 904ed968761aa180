"""Keeping the stores of a root as they are on the disk: when to look, what waits, what goes on beside.

A lookup looks at the disk itself where the last look is too old to answer from, and reads a little; everything
that takes longer (reading much, merging) is done by threads of which there is at most one of each kind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from lsp_server.core.index.store import Store
from lsp_server.core.model import Progress

THROTTLE_SECONDS = 0.5
"""The disk is asked for changes at most this often, and not at all while nobody looks anything up. What was
seen less than twice as long ago answers meanwhile."""

READ_AT_ONCE_BYTES = 262_144
"""A lookup reads changed files of this size together itself; more is read in the background."""

SLICE_BYTES = 1_048_576
"""In the background so much is read before others have their turn."""

_YIELD_SECONDS = 0.001
"""Enough for a thread that waits for the lock to have it first."""


class Freshness:
    """When the stores of one root are read. Safe to use from several threads."""

    def __init__(
        self,
        root_name: str,
        stores: Sequence[Store[Any, Any, Any]],
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._root_name = root_name
        self._stores = stores
        self._on_progress = on_progress
        self._refreshing = threading.Lock()
        self._looking = threading.Lock()
        self._catching_up = threading.Lock()
        self._merging = threading.Lock()
        """Each held while a thread does so in the background; what changes while one merges is still read."""
        self._checked_at = float("-inf")
        self._progress_begun = False
        self.is_closed = False

    def look_when_due(self) -> None:
        """Have the stores be as the disk was less than twice `THROTTLE_SECONDS` ago."""
        self._require_open()
        age = time.monotonic() - self._checked_at
        if age < THROTTLE_SECONDS:
            return
        if age < 2 * THROTTLE_SECONDS:
            # Recent enough to answer from; looking at many files takes longer than a lookup.
            self.in_background(self._looking, self._look)
        else:
            self._look()

    def read_all(self) -> None:
        """Look at the disk now, read all that has changed, merge what should be merged."""
        while not self._read_slice():
            self._report_progress()
        self._tidy()
        self._report_progress()

    def read_again_if_stale(self, files: set[str]) -> bool:
        """Read the stores again in which one of these files is no longer as it was read; whether there was any."""
        stale = [
            store
            for store in self._stores
            if any(
                file in store.snapshot.fingerprints and not store.snapshot.is_current(file) for file in files
            )
        ]
        if not stale:
            return False
        with self._refreshing:
            # The other stores were not looked at, so the time of the last look stays.
            complete = [store.refresh(READ_AT_ONCE_BYTES) for store in stale]
        if not all(complete):
            self.in_background(self._catching_up, self._catch_up)
        return True

    def expect_changes(self) -> None:
        """Have the next lookup look at the disk, whatever the throttle says."""
        self._checked_at = float("-inf")

    def in_background(self, running: threading.Lock, work: Callable[[], None]) -> None:
        """Do some work in a thread, unless one that holds the lock is at it."""

        def run() -> None:
            try:
                work()
            except RuntimeError:
                if not self.is_closed:
                    raise
            finally:
                running.release()

        if running.acquire(blocking=False):
            threading.Thread(target=run, name=f"index {self._root_name}", daemon=True).start()

    def close(self) -> None:
        """Read and merge no more: whatever starts after this raises `RuntimeError`."""
        self.is_closed = True

    def _look(self) -> None:
        """Look at the disk, unless somebody is at it: what is there says itself where it is incomplete."""
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            is_complete = self._refresh(READ_AT_ONCE_BYTES)
        finally:
            self._refreshing.release()
        if not is_complete:
            self.in_background(self._catching_up, self._catch_up)
        elif any(store.is_untidy for store in self._stores):
            self.in_background(self._merging, self._tidy)

    def _refresh(self, budget: int, at_least: int = 0) -> bool:
        self._require_open()
        self._checked_at = time.monotonic()
        complete = [store.refresh(budget, at_least) for store in self._stores]
        return all(complete)

    def _read_slice(self) -> bool:
        with self._refreshing:
            return self._refresh(SLICE_BYTES, at_least=1)

    def _catch_up(self) -> None:
        """Read what lookups did not, a slice at a time, then have it merged."""
        while not self.is_closed and not self._read_slice():
            self._report_progress()
            time.sleep(_YIELD_SECONDS)
        self._report_progress()
        self.in_background(self._merging, self._tidy)

    def _tidy(self) -> None:
        for store in self._stores:
            if not self.is_closed:
                store.tidy()

    def _report_progress(self) -> None:
        snapshots = [store.snapshot for store in self._stores]
        read = sum(snapshot.read_bytes for snapshot in snapshots)
        unread = sum(snapshot.unread_bytes for snapshot in snapshots)
        is_complete = all(snapshot.is_complete for snapshot in snapshots)
        if not is_complete or self._progress_begun:
            self._progress_begun = not is_complete
            self._on_progress(Progress(read, read + unread, is_complete))

    def _require_open(self) -> None:
        if self.is_closed:
            raise RuntimeError(f"the SearchCore of {self._root_name} is closed")
