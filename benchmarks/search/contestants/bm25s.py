"""bm25s: BM25 scores computed at build time into sparse matrices."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import bm25s

from contestants.contestant import Contestant
from rules import BM25_B, BM25_K1, fold, tokens_of

if TYPE_CHECKING:
    from corpus import Corpus

logging.getLogger("bm25s").setLevel(logging.WARNING)


class Bm25s(Contestant):
    """Top documents by the same BM25 over whole white-space tokens, on NumPy, arrays mapped from disk.

    This is the easier question: "cache" does not find "cache,". It cannot be changed, only built again. Where
    numba is installed bm25s imports it even for NumPy, which its import time and memory show.
    """

    name: ClassVar[str] = "bm25s"
    ranked_question = "bm25 of tokens"
    backend: ClassVar[str] = "numpy"

    def build(self, corpus: Corpus, folder: Path) -> None:
        index = bm25s.BM25(k1=BM25_K1, b=BM25_B, method="lucene", backend=self.backend)
        index.index([fold(text).split() for text in corpus.documents], show_progress=False)
        index.save(folder)

    def open(self, folder: Path) -> None:
        self._index = bm25s.BM25.load(folder, mmap=True)

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        known = [token for token in tokens_of(query) if token in self._index.vocab_dict]
        if not known:
            return []
        k = min(limit, self._index.scores["num_docs"])
        documents, scores = self._index.retrieve([known], k=k, show_progress=False)
        return [int(number) for number, score in zip(documents[0], scores[0], strict=True) if score > 0]


class Bm25sNumba(Bm25s):
    """The same on numba, which compiles at the first query of every process."""

    name = "bm25s_numba"
    starts_slowly = True
    backend = "numba"

    def open(self, folder: Path) -> None:
        super().open(folder)
        token = next(iter(self._index.vocab_dict))
        self._index.retrieve([[token]], k=1, show_progress=False)
