"""The vectors of passages, kept in memory and in the cache by what each passage says.

A passage that is still the same after its file has changed keeps its vector; one that says the same in two
places has one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from lsp_server.core.index.cache import Cache
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.knowledge.embedder import Embedder

BATCH_PASSAGES = 32
"""Between two batches others have their turn."""

KEPT_PASSAGES = 2_048
"""After so many the cache is written, so that a process that ends has not worked in vain."""

_CACHED_NAME = "vectors"

Unavailable: TypeAlias = Literal["semantic_unavailable", "semantic_loading"]


@dataclass(frozen=True)
class VectorTable:
    """Vectors by the keys of passages. Never changed, only replaced."""

    keys: Numbers
    """Ascending."""
    vectors: Numbers
    """One row of 32-bit floats per key."""

    def missing(self, keys: Numbers) -> Numbers:
        """Those keys that have no vector."""
        return np.setdiff1d(keys, self.keys)

    def with_more(self, keys: Numbers, vectors: Numbers) -> VectorTable:
        """The same with the vectors of new keys."""
        all_keys = np.concatenate([self.keys, keys])
        order = np.argsort(all_keys)
        return VectorTable(all_keys[order], np.concatenate([self.vectors, vectors])[order])

    def only(self, keys: Numbers) -> VectorTable:
        """Nothing but the vectors of some keys."""
        wanted = np.isin(self.keys, keys)
        return self if wanted.all() else VectorTable(self.keys[wanted], self.vectors[wanted])


class Vectors:
    """The vectors of one store's passages, made where they are missing. Safe to use from several threads."""

    def __init__(self, embedder: Embedder, cache: Cache | None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._making = threading.Lock()
        self._table: VectorTable | None = None
        self._ready: tuple[Numbers, VectorTable, Numbers] | None = None
        """The array that was looked at last, its vectors and their rows; most questions are about the same."""

    def ready_for(self, keys: Numbers) -> VectorTable | None:
        """A table in which each of the keys has a vector, whatever other threads make meanwhile."""
        ready = self._ready
        if ready is not None and ready[0] is keys:
            return ready[1]
        table = self._table
        if table is None or len(table.missing(keys)):
            return None
        self._ready = keys, table, np.searchsorted(table.keys, keys)
        return table

    def similarities(self, query: str, table: VectorTable, keys: Numbers) -> Numbers:
        """The cosine of the query and the passage of each key, as 64-bit floats; the table has them all."""
        vector = self._embedder.embed([query])[0]
        cosines: Numbers = (table.vectors @ vector).astype(np.float64)
        ready = self._ready
        if ready is not None and ready[0] is keys and ready[1] is table:
            return cosines[ready[2]]
        return cosines[np.searchsorted(table.keys, keys)]

    def make(self, keys: Numbers, texts: Callable[[Numbers], list[str]], keep_on: Callable[[], bool]) -> None:
        """Make the missing vectors and keep them in the cache; another thread that is at it is waited for.

        What is no longer asked for is forgotten. Afterwards no question waits for the embedder to load.

        Parameters
        ----------
        texts
            The texts of some of the keys.
        keep_on
            Asked between two batches.
        """
        with self._making:
            table = (self._table or self._read()).only(keys)
            missing = table.missing(keys)
            if len(keys) and not len(missing) and keep_on():
                self._embedder.load()
            self._table = table
            for start in range(0, len(missing), KEPT_PASSAGES):
                self._add(missing[start : start + KEPT_PASSAGES], texts, keep_on)

    def _add(self, keys: Numbers, texts: Callable[[Numbers], list[str]], keep_on: Callable[[], bool]) -> None:
        """Make the vectors of some keys. Whatever ends that, what was made is kept."""
        assert self._table is not None
        made: list[Numbers] = []
        try:
            for start in range(0, len(keys), BATCH_PASSAGES):
                if not keep_on():
                    break
                made.append(self._embedder.embed(texts(keys[start : start + BATCH_PASSAGES])))
        finally:
            if made:
                vectors = np.concatenate(made)
                self._table = self._table.with_more(keys[: len(vectors)], vectors)
                self._write(self._table)

    def _read(self) -> VectorTable:
        kept = self._cache.read(_CACHED_NAME) if self._cache is not None else None
        if kept is None or kept[1] != self._embedder.name:
            return VectorTable(np.empty(0, np.uint64), np.empty((0, self._embedder.dimension), np.float32))
        arrays = kept[0]
        rows = arrays["vectors"].reshape(-1, self._embedder.dimension)
        return VectorTable(arrays["keys"], rows.astype(np.float32))

    def _write(self, table: VectorTable) -> None:
        if self._cache is None:
            return
        # Half the size; what that changes is far below what separates two passages (spec/knowledge.md §2).
        arrays = {"keys": table.keys, "vectors": table.vectors.astype(np.float16).reshape(-1)}
        with suppress(OSError):
            self._cache.write(_CACHED_NAME, arrays, self._embedder.name)
