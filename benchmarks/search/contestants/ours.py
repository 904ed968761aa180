"""This package's own search index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contestants.contestant import ChangedFile, Contestant
from lsp_server.core.index.cache import CACHE_VARIABLE
from lsp_server.core.index.corpus import Corpus as Indexed
from lsp_server.core.matching import as_term, terms_of
from lsp_server.core.ranking import Collection, ranked
from lsp_server.core.search_core import SearchCore
from lsp_server.sources import composition  # noqa: F401 - `open` would import it late

if TYPE_CHECKING:
    from corpus import Corpus

_ROOT_NAME = "root.txt"


class Ours(Contestant):
    """Reads the workspace itself, as the server does, and asks the one store that the corpus is.

    `open` looks at every file's fingerprint, and `update` is the first lookup after a change, with its look at
    the disk: both as a person has them.
    """

    name = "ours"
    ranked_question = "bm25 of terms"
    reads_root = True

    def build(self, corpus: Corpus, folder: Path) -> None:
        (folder / _ROOT_NAME).write_text(str(corpus.root), encoding="utf-8")
        self.open(folder)

    def open(self, folder: Path) -> None:
        os.environ[CACHE_VARIABLE] = str(folder / "cache")
        root = (folder / _ROOT_NAME).read_text(encoding="utf-8")
        self._core = SearchCore.open(root)
        self._take_corpus()

    def first(self, query: str, limit: int = 10) -> list[int]:
        found: list[int] = self._corpus.holding(as_term(query))[:limit].tolist()
        return found

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        frequencies = {term: self._corpus.frequencies(term) for term in terms_of(query)}
        if self._collection is None:
            self._collection = Collection.of(self._corpus, kind=0)
        everything = np.ones(len(self._corpus), bool)
        return ranked(self._collection, frequencies, everything, limit)[0]

    def matching(self, query: str) -> list[int]:
        found = [self._corpus.frequencies(term)[0] for term in terms_of(query)]
        together: list[int] = np.unique(np.concatenate(found)).tolist()
        return together

    def update(self, changed: ChangedFile) -> None:  # noqa: ARG002 - it finds out itself what changed
        self._core.expect_changes()
        self._core.prior_art("no_such_word")
        self._take_corpus()

    def close(self) -> None:
        self._core.close()

    def _take_corpus(self) -> None:
        stores: Any = self._core
        memory: Indexed[Any] = stores._memory.snapshot.index.corpus
        self._corpus = memory if len(memory) else stores._wiki.snapshot.index
        self._collection: Collection | None = None
