"""The order of candidates is BM25 over the whole corpus, although only candidates are scored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from indexed import text_corpus
from naive import naive_ranking

from lsp_server.core.matching import contains, fold, terms_of
from lsp_server.core.ranking import Collection, inverse_document_frequency, ranked


def rank(texts: Sequence[str], query: str, limit: int | None = None) -> list[int]:
    corpus = text_corpus(texts)
    frequencies = {term: corpus.frequencies(term) for term in terms_of(query)}
    return ranked(Collection.of(corpus, kind=0), frequencies, np.ones(len(texts), bool), limit)[0]


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
    assert rank(corpus, query) == naive_ranking(corpus, query)


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
