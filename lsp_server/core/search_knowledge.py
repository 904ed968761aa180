"""`search_knowledge`: published knowledge, ranked (seeds/search-knowledge.md, Parameters and Returns).

What is ranked are passages, what is answered are items: an item counts as much as its best passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeResult, Scores
from lsp_server.core.knowledge.fusion import RRF_K, convex_combination, reciprocal_rank_fusion
from lsp_server.core.knowledge.index import (
    ITEM,
    KnowledgeIndex,
    item_at,
    items_in,
    line_in_file,
    passage_at,
)
from lsp_server.core.knowledge.request import KnowledgeQuery, Mode
from lsp_server.core.knowledge.tokens import tokens_of
from lsp_server.core.matching import Term, as_term
from lsp_server.core.model import KnowledgeMatch, SourceAnswer
from lsp_server.core.ranking import (
    Collection,
    Frequencies,
    inverse_document_frequency,
    scores_by_rank_bm25,
    scores_of,
)

DECIMALS = 6
"""Scores are rounded before ties are told: one text embedded alone or in a batch differs by less."""

RRF_DEPTH = 50
"""At least so many items of each order take part in `rrf`, and four times as many as are wanted."""

EXCERPT_CHARACTERS = 300
LEAD_CHARACTERS = 60
"""How much of a long passage is shown before a word of the query."""

_WORD = re.compile(r"\S+")

Similarities = Callable[[Numbers], Numbers]
"""The cosine of the query and each passage, by the passages' keys."""


def search_knowledge(
    snapshot: Snapshot[KnowledgeIndex],
    query: KnowledgeQuery,
    similarities: Similarities | None = None,
    degraded: str | None = None,
) -> KnowledgeAnswer:
    """Rank the published items that may be seen.

    Parameters
    ----------
    similarities
        `None` = lexically only.
    degraded
        Why the mode that was asked for is not the one in effect.
    """
    index = snapshot.index
    mode: Mode = "lexical" if similarities is None else query.mode
    legs = _Legs.of(index, query.query, similarities)
    seen = items_in(index, query.base_id)
    lexical, semantic = (
        np.where(seen, _best_of_items(index, leg), 0.0) for leg in (legs.lexical, legs.semantic)
    )
    lexical, semantic = np.round(lexical, DECIMALS), np.round(semantic, DECIMALS)
    alpha = {"lexical": 1.0, "semantic": 0.0}.get(mode, query.alpha if mode == "hybrid" else 0.5)
    by_passage = convex_combination(legs.lexical, legs.semantic, alpha)
    if mode == "rrf":
        depth = max(RRF_DEPTH, 4 * query.max_results)
        ranks = _ranks(lexical), _ranks(semantic)
        within = [np.where(of_leg <= depth, of_leg, 0) for of_leg in ranks]
        combined = reciprocal_rank_fusion(*within)
    else:
        combined = np.where(seen, _best_of_items(index, by_passage), 0.0)
    combined = np.round(combined, DECIMALS)
    best = [
        (int(number), _best_passage(index, by_passage, int(number))) for number in _highest(combined, query)
    ]
    raw = legs.raw_lexical([passage for _, passage in best])
    results = []
    for number, passage in best:
        scores = Scores(
            mode=mode,
            combined=float(combined[number]),
            lexical=_rounded(legs.lexical[passage]) if mode != "semantic" else None,
            semantic=_rounded(legs.semantic[passage]) if mode != "lexical" else None,
            lexical_raw=_rounded(raw[passage]) if mode != "semantic" else None,
            semantic_raw=_rounded(legs.cosines[passage]) if mode != "lexical" else None,
            lexical_rank=_rank(lexical, number) if mode != "semantic" else None,
            semantic_rank=_rank(semantic, number) if mode != "lexical" else None,
            alpha=query.alpha if mode == "hybrid" else None,
            rrf_k=RRF_K if mode == "rrf" else None,
        )
        results.append(_result(index, passage, query.query, scores))
    # Equal scores go by id (spec/knowledge.md §3).
    results.sort(key=lambda result: (-result.scores.combined, result.item.item_id, result.item.base_id))
    return KnowledgeAnswer(
        results=tuple(results[: query.max_results]),
        mode=query.mode,
        mode_effective=mode,
        degraded=degraded,
        max_results=query.max_results,
        status=snapshot.status,
        problems=snapshot.problems,
    )


def items_about(
    snapshot: Snapshot[KnowledgeIndex],
    phrase: str,
    limit: int | None,
    similarities: Similarities | None = None,
) -> SourceAnswer[KnowledgeMatch]:
    """Items that contain a phrase as it stands, best first, for somebody who reads.

    A cosine alone is no evidence (spec/knowledge.md §2): what does not contain the phrase is not here, however
    near it is; semantics only re-rank.
    """
    index, term = snapshot.index, as_term(phrase)
    found = index.corpus.holding(term)
    found = found[index.corpus.column("kind")[found] == ITEM]
    found = found[items_in(index, None)[index.item_of[found]]]
    matches: list[KnowledgeMatch] = []
    if len(found):
        legs = _Legs.of(index, phrase, similarities)
        best = _best_of_items(index, convex_combination(legs.lexical, legs.semantic, 0.5))
        order = np.argsort(-np.round(best[index.item_of[found]], DECIMALS), kind="stable")
        matches = [_match(index, position, term) for position in found[order][:limit].tolist()]
    return SourceAnswer(snapshot.status, tuple(matches), len(found), snapshot.problems)


class _Legs:
    """Both scores of every passage for one query, by position."""

    def __init__(self, passages: Collection, frequencies: Frequencies, cosines: Numbers) -> None:
        most = sum(
            inverse_document_frequency(len(passages), len(positions)) * (passages.k1 + 1)
            for positions, _ in frequencies.values()
        )
        self._passages, self._frequencies = passages, frequencies
        self.lexical: Numbers = scores_of(passages, frequencies) / (most or 1.0)
        self.cosines = cosines
        self.semantic: Numbers = np.maximum(cosines, 0.0)

    @staticmethod
    def of(index: KnowledgeIndex, text: str, similarities: Similarities | None) -> _Legs:
        passages = index.collection
        frequencies = {}
        for token in dict.fromkeys(tokens_of(text)):
            positions, counts = index.corpus.token_frequencies(token)
            # Items have white-space tokens as well, which are not what is ranked.
            inside = passages.is_member[positions]
            frequencies[Term(token)] = positions[inside], counts[inside]
        cosines = np.zeros(len(index.corpus))
        if similarities is not None and len(index.passages):
            cosines[index.passages] = similarities(index.passage_keys)
        return _Legs(passages, frequencies, cosines)

    def raw_lexical(self, positions: Sequence[int]) -> dict[int, float]:
        """What rank-bm25 gives some passages."""
        if not self._passages.average_length:
            # rank-bm25 divides by it. No passage has a word, a row of signs or function words for one.
            return dict.fromkeys(positions, 0.0)
        in_order = np.array(sorted(positions), np.int64)
        scores = scores_by_rank_bm25(self._passages, self._frequencies, in_order)
        return dict(zip(in_order.tolist(), scores.tolist(), strict=True))


def _best_of_items(index: KnowledgeIndex, by_position: Numbers) -> Numbers:
    """By item the score of its best passage; an item's own position has none."""
    best: Numbers = np.maximum.reduceat(by_position, index.items) if len(index.items) else np.zeros(0)
    return best


def _best_passage(index: KnowledgeIndex, by_position: Numbers, number: int) -> int:
    start = int(index.items[number])
    end = int(index.items[number + 1]) if number + 1 < len(index.items) else len(by_position)
    # Its own position stands before its passages; without one it would have no score.
    return start + 1 + int(np.argmax(by_position[start + 1 : end]))


def _ranks(scores: Numbers) -> Numbers:
    """From 1 for the highest rounded score; equal scores share a rank; 0 for a score of 0."""
    higher = len(scores) - np.searchsorted(np.sort(scores), scores, "right")
    ranks: Numbers = np.where(scores > 0, higher + 1, 0)
    return ranks


def _rank(scores: Numbers, number: int) -> int | None:
    """The same for one item; `None` for a score of 0."""
    return int(np.count_nonzero(scores > scores[number])) + 1 if scores[number] > 0 else None


def _highest(scores: Numbers, query: KnowledgeQuery) -> Numbers:
    """The items with the highest scores, and all that are equal to the last of them."""
    found: Numbers = np.flatnonzero(scores > 0)
    if len(found) <= query.max_results:
        return found
    threshold = np.partition(scores[found], len(found) - query.max_results)[len(found) - query.max_results]
    highest: Numbers = found[scores[found] >= threshold]
    return highest


def _result(index: KnowledgeIndex, position: int, text: str, scores: Scores) -> KnowledgeResult:
    item, passage = passage_at(index, position)
    return KnowledgeResult(item, excerpt_of(passage.text, text), passage.line, scores)


def excerpt_of(passage: str, query: str) -> str:
    """A passage, or the part of a long one that begins a little before a word of the query."""
    spare = len(passage) - EXCERPT_CHARACTERS
    if spare <= 0:
        return passage
    # One character more may be left out at the beginning, for the sign that something is.
    start = max(0, min(_first_place(passage, query) - LEAD_CHARACTERS, spare + 1))
    if start:
        start = passage.find(" ", start, start + LEAD_CHARACTERS // 2) + 1 or start
    before = "…" if start else ""
    room = EXCERPT_CHARACTERS - len(before)
    if len(passage) - start <= room:
        return before + passage[start:]
    return f"{before}{passage[start : start + room - 1]}…"


def _first_place(passage: str, query: str) -> int:
    """Where a word of the query first stands in a passage; 0 if it is in the title alone."""
    wanted = frozenset(tokens_of(query))
    for word in _WORD.finditer(passage):
        found = wanted.intersection(tokens_of(word[0]))
        if found:
            # What is written without blanks may be one word of many hundred characters.
            lowered = word[0].lower()
            return word.start() + max(0, min(lowered.find(token) for token in found))
    return 0


def _match(index: KnowledgeIndex, position: int, term: Term) -> KnowledgeMatch:
    item = item_at(index, position)
    return KnowledgeMatch(
        item_id=item.item_id,
        base_id=item.base_id,
        revision_id=item.revision_id,
        title=item.title,
        source=item.source or item.citation,
        path=item.path,
        line=line_in_file(index, position, term),
    )


def _rounded(score: float) -> float:
    return round(float(score), DECIMALS)
