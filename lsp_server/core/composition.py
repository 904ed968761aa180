"""How many matches each lookup gives, stated as data (seeds/prior-art.md, table of nodes).

A limit that was left to a tool's default would change the size of an answer without a word here.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core.model import SourceName

PRIOR_ART_SOURCES: tuple[SourceName, ...] = ("memory", "wiki", "board")
ALL_SOURCES: tuple[SourceName, ...] = (*PRIOR_ART_SOURCES, "contracts", "knowledge")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many matches of each source an answer holds; `None` = all."""

    memory: int | None
    wiki: int | None
    board: int | None
    contracts: int
    knowledge: int = 10


LIMITS = Limits(memory=5, wiki=None, board=10, contracts=5)
"""For programs and people who ask. The wiki node has no count parameter; seeds/search-kg.md, A.limit;
seeds/search-knowledge.md, max_results."""

EDITOR_LIMITS = Limits(memory=8, wiki=8, board=8, contracts=8, knowledge=8)
"""For hovers and code actions, which show no more than this in all."""
