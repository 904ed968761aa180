"""The order in which contracts are shown: what was proven comes first, what is recent never does.

Rule: seeds/search-kg.md, F.1.
"""

from __future__ import annotations

from lsp_server.core.model import ContractMatch, Relevance, Shelf, State

SHELF_RANK: dict[Shelf, int] = {"archive": 0, "live": 1}
STATE_RANK: dict[State, int] = {"SUCCESS": 0, "FAILURE": 1, "—": 2}
RELEVANCE_RANK: dict[Relevance, int] = {"exact": 0, "partial": 1, "weak": 2}


def sort_key(match: ContractMatch) -> tuple[bool, int, int, int, str, int, str, int]:
    """The order of seeds/search-kg.md, F.1, with weak matches after all others."""
    return (
        match.relevance == "weak",
        SHELF_RANK[match.source],
        STATE_RANK[match.wp_state],
        RELEVANCE_RANK[match.relevance],
        match.wp_id,
        match.unit_index,
        match.path,
        match.line,  # only a number printed twice in one plan leaves it to decide
    )
