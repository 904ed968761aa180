"""What the answers have to be, computed naively: every document looked at for every term.

`expected_answers` writes down once per corpus what each kind of question (contestants/contestant.py) has for an
answer; `verdict` compares a contestant's answer with it.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from rules import BM25_B, BM25_K1, Term, contains, fold, term_of, terms_of, tokens_of

LIMIT = 10
KEPT_SCORES = 40
"""So many of the best scores are kept, to tell a wrong order from another order of equals."""
OKAPI_FLOOR = 0.25
SAME_SCORE = 1e-9
SAME_FLOAT32_SCORE = 1e-4
LONG_TERM_CHARACTERS = 3

Frequencies = Mapping[int, int]
"""Of a term: document number to the number of the document's tokens that contain it."""


@dataclass(frozen=True)
class Expected:
    """The right answers to one query, as JSON can hold them."""

    first: list[int] | None = None
    scores: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """By question: the best documents with their scores, best first, ties in stored order."""
    matching: dict[str, str] = field(default_factory=dict)
    """By question: a digest of all documents that match."""
    unranked: list[int] = field(default_factory=list)
    """The first documents with any term, in stored order."""


class Reference:
    """Naive answers over the folded documents of a corpus."""

    def __init__(self, documents: Iterable[str]) -> None:
        self.folded = [fold(text) for text in documents]
        self._lengths = [len(folded.split()) for folded in self.folded]
        self._average_length = sum(self._lengths) / len(self._lengths)
        self._term_frequencies: dict[Term, Frequencies] = {}
        self._token_frequencies: dict[str, Frequencies] = {}

    def document_frequency(self, term: Term) -> int:
        """Number of documents that contain the term."""
        return sum(contains(folded, term) for folded in self.folded)

    def first(self, query: str, limit: int = LIMIT) -> list[int]:
        """The first documents that contain the whole query as one term."""
        term = term_of(query)
        found: list[int] = []
        for number, folded in enumerate(self.folded):
            if contains(folded, term):
                found.append(number)
                if len(found) == limit:
                    break
        return found

    def expected_first(self, query: str) -> Expected:
        """What `first` has to answer."""
        return Expected(first=self.first(query))

    def expected_ranked(self, query: str) -> Expected:
        """What `ranked` and `matching` have to answer, whatever the question."""
        terms = terms_of(query)
        of_terms = [self._of_term(term) for term in terms]
        of_long_terms = [self._of_term(term) for term in terms if len(term.folded) >= LONG_TERM_CHARACTERS]
        of_tokens = [self._of_token(token) for token in tokens_of(query)]
        return Expected(
            scores={
                "bm25 of terms": self._best(of_terms, self._idf),
                "bm25 of tokens": self._best(of_tokens, self._idf),
                "bm25okapi of tokens": self._best(of_tokens, self._okapi_idf),
            },
            matching={
                "any term": digest(_union(of_terms)),
                "any long term": digest(_union(of_long_terms)),
                "any token": digest(_union(of_tokens)),
            },
            unranked=_union(of_terms)[:LIMIT],
        )

    def _best(
        self, all_frequencies: Sequence[Frequencies], idf: Callable[[Frequencies], float]
    ) -> list[tuple[int, float]]:
        scores: dict[int, float] = {}
        for frequencies in all_frequencies:
            weight = idf(frequencies)
            for number, frequency in frequencies.items():
                norm = BM25_K1 * (1 - BM25_B + BM25_B * self._lengths[number] / self._average_length)
                gain = weight * frequency * (BM25_K1 + 1) / (frequency + norm)
                scores[number] = scores.get(number, 0.0) + gain
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:KEPT_SCORES]

    def _idf(self, frequencies: Frequencies) -> float:
        """Of the rule in `lsp_server.core.ranking`; bm25s calls it lucene's."""
        return math.log(1 + (len(self.folded) - len(frequencies) + 0.5) / (len(frequencies) + 0.5))

    def _okapi_idf(self, frequencies: Frequencies) -> float:
        """Of rank-bm25: a negative one becomes a quarter of the mean of all."""
        idf = self._raw_okapi_idf(len(frequencies))
        return idf if idf >= 0 else OKAPI_FLOOR * self._mean_okapi_idf

    def _raw_okapi_idf(self, document_frequency: int) -> float:
        return math.log(len(self.folded) - document_frequency + 0.5) - math.log(document_frequency + 0.5)

    @cached_property
    def _mean_okapi_idf(self) -> float:
        counts = Counter(token for folded in self.folded for token in set(folded.split()))
        return sum(self._raw_okapi_idf(count) for count in counts.values()) / len(counts)

    def _of_term(self, term: Term) -> Frequencies:
        if term not in self._term_frequencies:
            self._term_frequencies[term] = {
                number: frequency
                for number, folded in enumerate(self.folded)
                if term.folded in folded and (frequency := _tokens_with(folded, term))
            }
        return self._term_frequencies[term]

    def _of_token(self, token: str) -> Frequencies:
        if token not in self._token_frequencies:
            self._token_frequencies[token] = {
                number: frequency
                for number, folded in enumerate(self.folded)
                if token in folded and (frequency := folded.split().count(token))
            }
        return self._token_frequencies[token]


def expected_answers(
    reference: Reference, first: Iterable[str], ranked: Iterable[str]
) -> dict[str, dict[str, Expected]]:
    """By operation and query."""
    return {
        "first": {query: reference.expected_first(query) for query in first},
        "ranked": {query: reference.expected_ranked(query) for query in ranked},
    }


def verdict(
    question: str, expected: Expected, ranked: list[int], matching: Callable[[], list[int]]
) -> str | None:
    """What is wrong with an answer of `ranked` to one of the questions, or `None`."""
    if question == "any term, unranked":
        return _difference(ranked, expected.unranked)
    if question in expected.matching:
        found = matching()
        if digest(found) != expected.matching[question]:
            return f"another set of {len(found)} matching documents"
        if not set(ranked) <= set(found) or len(set(ranked)) != min(LIMIT, len(found)):
            return f"{ranked} are not {LIMIT} of them"
        return None
    best = expected.scores[question]
    if question == "bm25 of terms":
        return _wrong_order(ranked, best)
    return _wrong_scores(ranked, best)


def digest(numbers: list[int]) -> str:
    """A short stand-in for a long list of document numbers."""
    return f"{len(numbers)}:{hashlib.sha256(array('Q', numbers).tobytes()).hexdigest()[:16]}"


def _tokens_with(folded: str, term: Term) -> int:
    # Where a term stands only once there is one token around it, so that most texts need not be split.
    if folded.count(term.folded) == 1:
        return int(contains(folded, term))
    return sum(contains(token, term) for token in folded.split())


def _union(all_frequencies: Iterable[Frequencies]) -> list[int]:
    return sorted(set().union(*all_frequencies))


def _difference(found: list[int], wanted: list[int]) -> str | None:
    return None if found == wanted else f"{found} instead of {wanted}"


def _wrong_order(ranked: list[int], best: list[tuple[int, float]]) -> str | None:
    """Only the very order is right: by score, and equals in stored order.

    Sums in another order differ in their last digits, so that scores within `SAME_SCORE` of each other count as
    equal where the documents are in stored order.
    """
    wanted = [number for number, _ in best[:LIMIT]]
    if ranked == wanted:
        return None
    problem = _wrong_scores(ranked, best, SAME_SCORE)
    if problem:
        return problem
    scores = dict(best)
    for before, after in pairwise(ranked):
        if math.isclose(scores[before], scores[after], rel_tol=SAME_SCORE) and before > after:
            return f"{before} before {after}, which has the same score"
    return None


def _wrong_scores(
    ranked: list[int], best: list[tuple[int, float]], tolerance: float = SAME_FLOAT32_SCORE
) -> str | None:
    """Documents with equal scores may stand in any order."""
    if len(set(ranked)) != min(LIMIT, len(best)):
        return f"{ranked} are not {min(LIMIT, len(best))} documents"
    scores = dict(best)
    for number, (wanted, score) in zip(ranked, best, strict=False):
        # A document beyond the kept ones is right only if the kept ones all have the same score.
        found = scores.get(number, best[-1][1] if len(best) == KEPT_SCORES else -math.inf)
        if not math.isclose(found, score, rel_tol=tolerance):
            return f"{number} with the score {found:.6f} instead of {wanted} with {score:.6f}"
    return None
