"""rank-bm25 as its documentation uses it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rank_bm25 import BM25Okapi

from contestants.contestant import Contestant
from rules import BM25_B, BM25_K1, fold, tokens_of

if TYPE_CHECKING:
    from corpus import Corpus


class RankBm25(Contestant):
    """`BM25Okapi.get_scores` over whole white-space tokens, then the highest of all scores.

    This is the easier question: "cache" does not find "cache," and "서버" does not find "서버를". It cannot be
    persisted or changed; its state is a pickle, and a change means building it again.
    """

    name = "rank_bm25"
    ranked_question = "bm25okapi of tokens"
    slow_from = 100_000

    def build(self, corpus: Corpus, folder: Path) -> None:
        index = BM25Okapi([fold(text).split() for text in corpus.documents], k1=BM25_K1, b=BM25_B)
        with (folder / "bm25.pickle").open("wb") as file:
            pickle.dump(index, file, protocol=pickle.HIGHEST_PROTOCOL)

    def open(self, folder: Path) -> None:
        with (folder / "bm25.pickle").open("rb") as file:
            self._index = pickle.load(file)

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        scores = self._index.get_scores(tokens_of(query))
        found = np.flatnonzero(scores > 0)
        # Only among the non-zeros: argpartition is slow where most values are the same.
        if len(found) > limit:
            found = found[np.argpartition(scores[found], -limit)[-limit:]]
        return [int(number) for number in found[np.lexsort((found, -scores[found]))]]
