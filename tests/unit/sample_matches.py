"""Matches and answers for more than one test."""

from __future__ import annotations

from lsp_server.core.model import (
    Contract,
    ContractMatch,
    Fact,
    KnowledgeGraphAnswer,
    KnowledgeMatch,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceAnswer,
)
from lsp_server.lookup import AnyMatch, Lookup

CONTRACT = ContractMatch(
    wp_id="WP-ST-1",
    wp_title="",
    wp_state="SUCCESS",
    source="archive",
    unit_index=2,
    unit_title="Refuse",
    unit_state="SUCCESS",
    contract=Contract("a", "b", "p"),
    result_summary=None,
    relevance="exact",
    tags=("refusing-rotation", "checking-clock"),
    path="/w/.gem-squared/archive/WP-ST-1.md",
    line=7,
)


def lookup_of(*matches: AnyMatch, query: str = "E1", problems: tuple[Problem, ...] = ()) -> Lookup:
    """An answer that holds these matches and no more; the problems are those of memory."""

    def answer(kind: type) -> SourceAnswer:
        found = tuple(match for match in matches if isinstance(match, kind))
        mine = problems if kind is Fact else ()
        return SourceAnswer("incomplete" if mine else "complete", found, len(found), mine)

    contracts = tuple(match for match in matches if isinstance(match, ContractMatch))
    return Lookup(
        query,
        PriorArt(query, answer(Fact), answer(Page), answer(Post)),
        KnowledgeGraphAnswer("s", "", query, contracts, len(contracts), (), "complete"),
        answer(KnowledgeMatch),
    )
