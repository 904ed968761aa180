"""One answer out of the answers of several roots, each still reporting for itself.

Roots may share a store, such as one that `$MASC_BASE_PATH` names; what stands in it is still told once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from lsp_server.core.composition import LIMITS, Limits
from lsp_server.core.contract_order import sort_key
from lsp_server.core.matching import as_term, contains, fold
from lsp_server.core.model import (
    KnowledgeGraphAnswer,
    KnowledgeMatch,
    Post,
    PriorArt,
    SourceAnswer,
    overall_status,
)

Item = TypeVar("Item")


def merge_prior_art(answers: Sequence[PriorArt], limits: Limits = LIMITS) -> PriorArt:
    """Whole-query matches of all roots before the others, posts newest first; within the limits.

    There has to be at least one answer, and all answer the same query.
    """
    if len(answers) == 1:
        return answers[0]
    query = answers[0].query
    memory = _merge((answer.memory for answer in answers), attrgetter("memory_id"))
    board = _merge(answer.board for answer in answers)
    whole_query = as_term(query.strip())
    return PriorArt(
        query=query,
        memory=_limited(
            _sorted(memory, lambda fact: not contains(fold(fact.text), whole_query)), limits.memory
        ),
        wiki=_limited(_merge(answer.wiki for answer in answers), limits.wiki),
        board=_limited(_sorted(board, _newest_first), limits.board),
    )


def merge_knowledge_graph(answers: Sequence[KnowledgeGraphAnswer], limit: int) -> KnowledgeGraphAnswer:
    """The results of all roots in the one order of `search_kg`; there has to be at least one answer."""
    first = answers[0]
    if len(answers) == 1:
        return first
    merged = _merge(
        SourceAnswer(answer.status, answer.results, answer.total_count, answer.problems) for answer in answers
    )
    return replace(
        first,
        results=tuple(sorted(merged.matches, key=sort_key)[:limit]),
        total_count=merged.total_count,
        sources_searched=distinct(place for answer in answers for place in answer.sources_searched),
        status=merged.status,
        problems=merged.problems,
    )


def merge_knowledge(
    answers: Sequence[SourceAnswer[KnowledgeMatch]], limit: int
) -> SourceAnswer[KnowledgeMatch]:
    """The items of all roots, those of the first root first; within the limit."""
    return _limited(_merge(answers), limit)


def _merge(
    answers: Iterable[SourceAnswer[Item]], identity: Callable[[Item], Hashable] = lambda match: match
) -> SourceAnswer[Item]:
    # The same answer twice comes from the same store.
    kept = distinct(answers)
    matches = [match for answer in kept for match in answer.matches]
    kept_matches = distinct(matches, identity)
    return SourceAnswer(
        status=overall_status(answer.status for answer in kept),
        matches=kept_matches,
        total_count=sum(answer.total_count for answer in kept) - (len(matches) - len(kept_matches)),
        problems=distinct(problem for answer in kept for problem in answer.problems),
    )


def distinct(
    items: Iterable[Item], identity: Callable[[Item], Hashable] = lambda item: item
) -> tuple[Item, ...]:
    """Each item once, in the order of first appearance."""
    by_identity: dict[Hashable, Item] = {}
    for item in items:
        by_identity.setdefault(identity(item), item)
    return tuple(by_identity.values())


def _sorted(answer: SourceAnswer[Item], key: Callable[[Item], Any]) -> SourceAnswer[Item]:
    return replace(answer, matches=tuple(sorted(answer.matches, key=key)))


def _limited(answer: SourceAnswer[Item], limit: int | None) -> SourceAnswer[Item]:
    return replace(answer, matches=answer.matches[:limit])


def _newest_first(post: Post) -> tuple[float, str]:
    return -post.created_at, post.id
