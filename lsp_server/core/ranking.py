"""BM25 order of the documents that contain a query term, by rank-bm25.

rank-bm25 scores; what it lacks is supplied here: corpus statistics, so that only candidates are scored, and
an inverse document frequency that is never negative, so that a match never ranks below a miss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rank_bm25 import BM25Okapi

from lsp_server.core.index.collection import Collection
from lsp_server.core.matching import Term, contains


def ranked(collection: Collection[Any], terms: Sequence[Term]) -> list[int]:
    """Numbers of the documents that contain at least one term, best first, ties in stored order.

    A term's frequency in a document is the number of white-space tokens that contain it; its document
    frequency is the number of documents that contain it.
    """
    postings = {term: list(collection.text.documents_with(term)) for term in terms}
    candidates = sorted(set().union(*postings.values()))
    if not candidates:
        return []
    scorer = CandidateScorer(
        corpus_size=len(collection),
        average_length=collection.average_length,
        document_frequencies={term: len(numbers) for term, numbers in postings.items()},
        frequencies=[
            {term: _term_frequency(folded, term) for term in terms}
            for folded in map(collection.text.document, candidates)
        ],
        lengths=[collection.lengths[number] for number in candidates],
    )
    scores = scorer.get_scores(list(terms))
    order = sorted(range(len(candidates)), key=lambda position: -scores[position])
    return [candidates[position] for position in order]


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
    ) -> None:
        self._statistics = corpus_size, average_length, document_frequencies
        self._candidates = frequencies, lengths
        super().__init__(corpus=())

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


def _term_frequency(folded: str, term: Term) -> int:
    # Most terms stand in a document once at most; overlapping occurrences are in one token.
    if folded.count(term.folded) <= 1:
        return int(contains(folded, term))
    return sum(contains(token, term) for token in folded.split() if term.folded in token)
