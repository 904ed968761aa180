"""BM25 order of the documents that contain a query term, by rank-bm25.

rank-bm25 scores; what it lacks is supplied here: corpus statistics, so that only candidates are scored, and
an inverse document frequency that is never negative, so that a match never ranks below a miss. Which few
documents it is worth asking about is found by the same formula over all postings at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.numbers import Numbers, is_few
from lsp_server.core.matching import Term

SPARE_CANDIDATES = 32
"""So many more than are wanted are scored by rank-bm25, whose word is the last."""


@dataclass(frozen=True)
class Collection:
    """The documents of one kind in a corpus: what BM25 has to know of all of them."""

    is_member: Numbers
    """By position: whether the document belongs to the collection."""
    lengths: Numbers
    """By position, in white-space tokens."""
    size: int
    average_length: float
    """0.0 for an empty collection."""
    length_norm: Numbers
    """By position: what BM25 adds to a term's frequency, the more the longer the document is."""
    k1: float
    b: float

    @staticmethod
    def of(corpus: Corpus[Any], kind: int, k1: float = 1.5, b: float = 0.75) -> Collection:
        """The documents of a kind, to be ranked with BM25's two constants; rank-bm25's own are the default."""
        return Collection._of_members(corpus.column("kind") == kind, corpus.column("length"), k1, b)

    def part(self, chosen: Numbers) -> Collection:
        """The members that are chosen by position, with statistics of their own."""
        return self._of_members(self.is_member & chosen, self.lengths, self.k1, self.b)

    @staticmethod
    def _of_members(is_member: Numbers, lengths: Numbers, k1: float, b: float) -> Collection:
        size = int(np.count_nonzero(is_member))
        average = int(lengths[is_member].sum(dtype=np.int64)) / size if size else 0.0
        # Step by step as rank-bm25 does it, so that both come to the same last bit.
        length_norm = k1 * (1 - b + b * lengths / (average or 1.0))
        return Collection(is_member, lengths, size, average, length_norm, k1, b)

    def __len__(self) -> int:
        return self.size


Frequencies = Mapping[Term, tuple[Numbers, Numbers]]
"""For each term the positions of the documents that contain it, and in how many of their tokens they do."""


def ranked(
    collection: Collection, frequencies: Frequencies, wanted: Numbers, limit: int | None
) -> tuple[list[int], int]:
    """Positions of the wanted documents that contain at least one term, best first, and how many these are.

    A term's frequency in a document is the number of white-space tokens that contain it; its document
    frequency is the number of documents of the collection that contain it. Ties are in stored order.

    Parameters
    ----------
    wanted
        By position: whether a document may be in the answer. The statistics count the others too.
    limit
        At most so many; `None` = all.
    """
    mine = _within(collection, frequencies)
    everything = np.concatenate([np.empty(0, np.int64), *(positions for positions, _ in mine.values())])
    # A slot for each candidate where these are few, else simply one for each document.
    few = np.unique(everything) if is_few(len(everything), len(wanted)) else None
    scores = _added_up(collection, mine, few)
    candidates = np.flatnonzero((scores > 0) & wanted) if few is None else few[wanted[few]]
    scores = scores[candidates] if few is None else scores[wanted[few]]
    best = candidates[_best(scores, len(scores) if limit is None else limit + SPARE_CANDIDATES)]
    best = np.sort(best)
    order = np.argsort(-scores_by_rank_bm25(collection, mine, best), kind="stable")
    return best[order][:limit].tolist(), len(candidates)


def scores_of(collection: Collection, frequencies: Frequencies) -> Numbers:
    """By position the BM25 score of each document of a collection, 0 where it has no term.

    The frequencies are those in documents of the collection alone.
    """
    return _added_up(collection, frequencies, None)


def inverse_document_frequency(corpus_size: int, document_frequency: int) -> float:
    """`ln(1 + (N − n + ½) / (n + ½))`: positive for every term that occurs."""
    return math.log(1 + (corpus_size - document_frequency + 0.5) / (document_frequency + 0.5))


class CandidateScorer(BM25Okapi):  # type: ignore[misc]
    """rank-bm25's Okapi scoring over some documents of a corpus whose statistics are known."""

    def __init__(
        self,
        corpus_size: int,
        average_length: float,
        document_frequencies: Mapping[Term, int],
        frequencies: Sequence[Mapping[Term, int]],
        lengths: Sequence[int],
        k1: float,
        b: float,
    ) -> None:
        self._statistics = corpus_size, average_length, document_frequencies
        self._candidates = frequencies, lengths
        super().__init__(corpus=(), k1=k1, b=b)

    def _initialize(self, _corpus: object) -> Mapping[Term, int]:
        _, self.avgdl, document_frequencies = self._statistics
        self.doc_freqs, self.doc_len = self._candidates
        # rank-bm25 sizes its score vector by this; the idf below knows the whole corpus.
        self.corpus_size = len(self.doc_len)
        return document_frequencies

    def _calc_idf(self, document_frequencies: Mapping[Term, int]) -> None:
        corpus_size = self._statistics[0]
        self.idf = {
            term: inverse_document_frequency(corpus_size, frequency)
            for term, frequency in document_frequencies.items()
        }


def _within(collection: Collection, frequencies: Frequencies) -> Frequencies:
    """The same without the documents that are not of the collection."""
    mine: dict[Term, tuple[Numbers, Numbers]] = {}
    for term, (positions, counts) in frequencies.items():
        inside = collection.is_member[positions]
        mine[term] = (positions, counts) if inside.all() else (positions[inside], counts[inside])
    return mine


def _added_up(collection: Collection, frequencies: Frequencies, slots_of: Numbers | None) -> Numbers:
    """The scores of the documents at some positions, or of all; step by step as rank-bm25 adds them up."""
    scores = np.zeros(len(collection.lengths) if slots_of is None else len(slots_of))
    for positions, counts in frequencies.values():
        slots = positions if slots_of is None else np.searchsorted(slots_of, positions)
        numbers = counts.astype(np.float64)
        saturated = numbers * (collection.k1 + 1) / (numbers + collection.length_norm[positions])
        scores[slots] += inverse_document_frequency(len(collection), len(positions)) * saturated
    return scores


def _best(scores: Numbers, count: int) -> Numbers:
    """The places of the highest scores; of equal ones the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    # At least `count` runs have a score as high as the lowest of their maxima taken here, so what is below
    # it need not be sorted.
    runs = len(scores) // count
    maxima = scores[: runs * count].reshape(count, runs).max(axis=1)
    high = scores[scores >= maxima.min()]
    threshold = np.partition(high, len(high) - count)[len(high) - count]
    above = np.flatnonzero(scores > threshold)
    return np.concatenate([above, np.flatnonzero(scores == threshold)[: count - len(above)]])


def scores_by_rank_bm25(collection: Collection, frequencies: Frequencies, candidates: Numbers) -> Numbers:
    """What rank-bm25 says of some documents, given in stored order."""
    if not len(candidates):
        return np.zeros(0)
    frequencies_of: list[dict[Term, int]] = [{} for _ in candidates]
    for term, (positions, counts) in frequencies.items():
        places = np.minimum(np.searchsorted(positions, candidates), max(0, len(positions) - 1))
        for at in np.flatnonzero(positions[places] == candidates).tolist() if len(positions) else ():
            frequencies_of[at][term] = int(counts[places[at]])
    scorer = CandidateScorer(
        corpus_size=len(collection),
        average_length=collection.average_length,
        document_frequencies={term: len(positions) for term, (positions, _) in frequencies.items()},
        frequencies=frequencies_of,
        lengths=collection.lengths[candidates].tolist(),
        k1=collection.k1,
        b=collection.b,
    )
    scores: Numbers = scorer.get_scores(list(frequencies))
    return scores
