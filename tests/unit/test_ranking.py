"""The order of candidates is BM25 over the whole corpus, although only candidates are scored."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from lsp_server.core.index.collection import Collection
from lsp_server.core.matching import Term, contains, fold, terms_of
from lsp_server.core.ranking import inverse_document_frequency, ranked


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


def rank(corpus: Sequence[str], query: str) -> list[int]:
    return ranked(Collection.of(corpus, lambda text: (text,)), terms_of(query))


words = st.sampled_from(
    ["a", "A", "ab", "abc", "b", "B.", "cab", "aaaa", "ß", "ss", "서버", "서버를", "버", "é", "e\u0301"]
)
lines = st.lists(words, max_size=8).flatmap(
    lambda chosen: st.sampled_from([" ", "\n", "\u00a0"]).map(lambda blank: blank.join(chosen))
)


@settings(max_examples=300, deadline=None)
@given(st.lists(lines, min_size=1, max_size=12), st.lists(words, min_size=1, max_size=4).map(" ".join))
@example(["abc", "x"], "abc")  # a term in exactly half of the documents
@example(["abc"], "abc")  # one document
@example(["abc abc", "abc"], "abc b")  # a term in every document
def test_the_order_is_that_of_the_whole_corpus(corpus: list[str], query: str) -> None:
    if not any(text.split() for text in corpus):
        assert rank(corpus, query) == []
        return
    assert rank(corpus, query) == WholeCorpus(corpus, terms_of(query)).order()


@settings(deadline=None)
@given(st.lists(lines, max_size=12), st.lists(words, min_size=1, max_size=4).map(" ".join))
def test_every_candidate_is_returned_once_and_nothing_else(corpus: list[str], query: str) -> None:
    candidates = [n for n, text in enumerate(corpus) if any(contains(fold(text), t) for t in terms_of(query))]
    assert sorted(rank(corpus, query)) == candidates


@pytest.mark.parametrize(
    ("corpus", "query", "order"),
    [
        ([], "alpha", []),
        ([""], "alpha", []),
        (["beta"], "alpha", []),
        (["alpha"], "alpha beta", [0]),
        (["beta", "alpha"], "alpha beta", [0, 1]),
        (["alpha", "beta", "alpha beta"], "alpha beta", [2, 0, 1]),
        # A rare term says more than a frequent one.
        (["alpha x", "alpha y", "alpha z", "rare x"], "alpha rare", [3, 0, 1, 2]),
        # A term that is everywhere still tells a dense document from a sparse one.
        (["alpha x y z", "alpha", "alpha alpha"], "alpha beta", [2, 1, 0]),
        # A frequency counts tokens: one that contains the term twice is one.
        (["cache xx", "cachecache"], "cache", [1, 0]),
        (["cache xx", "cachecache xx"], "cache", [0, 1]),
        # Substring statistics: inflected words count.
        (["서버를 재시작", "서버가 서버에"], "서버 재", [0, 1]),
        # A short term counts where it stands alone.
        (["deprecate x", "PR x", "PRs x"], "pr deploy", [1]),
        # Equal documents stay in stored order.
        (["b alpha", "a alpha", "c alpha"], "alpha zzz", [0, 1, 2]),
    ],
)
def test_orders(corpus: list[str], query: str, order: list[int]) -> None:
    assert rank(corpus, query) == order


def test_a_term_given_twice_weighs_once() -> None:
    corpus = ["alpha x", "beta y z", "beta alpha", "beta q"]
    assert rank(corpus, "alpha beta beta BETA beta") == rank(corpus, "alpha beta")


@given(st.integers(1, 10_000), st.integers(0, 10_000))
def test_a_match_never_counts_against_a_document(corpus_size: int, document_frequency: int) -> None:
    assert inverse_document_frequency(corpus_size, min(document_frequency, corpus_size)) > 0
