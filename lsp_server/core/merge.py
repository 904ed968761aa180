"""One answer out of the answers of several roots, each still reporting for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lsp_server.core import composition
from lsp_server.core.model import (
    KnowledgeGraphAnswer,
    Post,
    PriorArt,
    SourceAnswer,
    overall_status,
)
from lsp_server.core.search_kg import sort_key

Match = TypeVar("Match")


def merge_prior_art(answers: Sequence[PriorArt]) -> PriorArt:
    """Matches of the first root before those of the next, posts newest first; within the usual limits."""
    if len(answers) == 1:
        return answers[0]
    return PriorArt(
        query=answers[0].query,
        memory=_merge((answer.memory for answer in answers), composition.MEMORY_LIMIT),
        wiki=_merge((answer.wiki for answer in answers), composition.WIKI_LIMIT),
        board=_merge((answer.board for answer in answers), composition.BOARD_LIMIT, _newest_first),
    )


def merge_knowledge_graph(answers: Sequence[KnowledgeGraphAnswer], limit: int) -> KnowledgeGraphAnswer:
    """The results of all roots in the one order of `search_kg`."""
    first = answers[0]
    if len(answers) == 1:
        return first
    results = sorted((match for answer in answers for match in answer.results), key=sort_key)
    return KnowledgeGraphAnswer(
        project_slug=first.project_slug,
        searched_at=first.searched_at,
        query=first.query,
        results=tuple(results[:limit]),
        total_count=sum(answer.total_count for answer in answers),
        sources_searched=tuple(place for answer in answers for place in answer.sources_searched),
        status=overall_status(answer.status for answer in answers),
        problems=tuple(problem for answer in answers for problem in answer.problems),
    )


def _merge(
    answers: Iterable[SourceAnswer[Match]],
    limit: int | None,
    arrange: Callable[[list[Match]], list[Match]] = list,
) -> SourceAnswer[Match]:
    kept = list(answers)
    return SourceAnswer(
        status=overall_status(answer.status for answer in kept),
        matches=tuple(arrange([match for answer in kept for match in answer.matches])[:limit]),
        total_count=sum(answer.total_count for answer in kept),
        problems=tuple(problem for answer in kept for problem in answer.problems),
    )


def _newest_first(posts: list[Post]) -> list[Post]:
    return sorted(posts, key=lambda post: (-post.created_at, post.id))
