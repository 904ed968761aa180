"""What the index has to find and how it has to be ranked, said as plainly as possible."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rank_bm25 import BM25Okapi

from lsp_server.core.matching import Term, contains, fold, terms_of


def naive_holding(documents: Sequence[Sequence[str]], term: Term) -> list[int]:
    """Numbers of the documents that contain a term in one of their fields."""
    return [
        number
        for number, fields in enumerate(documents)
        if term.folded and any(contains(fold(field), term) for field in fields)
    ]


def naive_frequencies(documents: Sequence[Sequence[str]], term: Term) -> dict[int, int]:
    """For each document with a token that contains a term, how many such tokens it has."""
    counts = [sum(contains(token, term) for token in tokens_of(fields)) for fields in documents]
    return {number: count for number, count in enumerate(counts) if count}


def tokens_of(fields: Sequence[str]) -> list[str]:
    """The folded white-space tokens of a document."""
    return [token for field in fields for token in fold(field).split()]


class WholeCorpus(BM25Okapi):  # type: ignore[misc]
    """rank-bm25 over every document, each seen as the terms that its tokens contain."""

    def __init__(self, corpus: Sequence[str], terms: Sequence[Term]) -> None:
        self.terms = terms
        super().__init__([fold(text).split() for text in corpus])

    def _initialize(self, corpus: list[list[str]]) -> dict[Term, int]:
        self.corpus_size = len(corpus)
        self.doc_len = [len(tokens) for tokens in corpus]
        self.avgdl = sum(self.doc_len) / len(corpus)
        self.doc_freqs = [
            {term: sum(contains(token, term) for token in tokens) for term in self.terms} for tokens in corpus
        ]
        return {term: sum(found[term] > 0 for found in self.doc_freqs) for term in self.terms}

    def _calc_idf(self, nd: dict[Term, int]) -> None:
        self.idf = {term: math.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for term, n in nd.items()}

    def order(self) -> list[int]:
        scores = self.get_scores(self.terms)
        return sorted((n for n in range(self.corpus_size) if scores[n] > 0), key=lambda n: (-scores[n], n))


def naive_ranking(texts: Sequence[str], query: str) -> list[int]:
    """Numbers of the documents that contain a term of the query, best first, ties in stored order."""
    return WholeCorpus(texts, terms_of(query)).order() if any(text.split() for text in texts) else []
