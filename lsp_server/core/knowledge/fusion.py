"""Two ways to make one order of a lexical and a semantic one (spec/knowledge.md §3).

Both scores of the convex combination are bounded by what they can be at most, not by the other hits of the
query, so a score means the same in every answer, and a weak best hit stays weak.
"""

from __future__ import annotations

from lsp_server.core.index.numbers import Numbers

RRF_K = 60
"""Cormack, Clarke and Büttcher, SIGIR 2009."""


def convex_combination(lexical: Numbers, semantic: Numbers, alpha: float) -> Numbers:
    """`alpha` times the bounded lexical score plus the rest times the bounded semantic one."""
    combined: Numbers = alpha * lexical + (1 - alpha) * semantic
    return combined


def reciprocal_rank_fusion(lexical_ranks: Numbers, semantic_ranks: Numbers) -> Numbers:
    """The sum of 1 / (60 + rank); ranks are counted from 1, and 0 stands for not being in a list."""
    fused: Numbers = sum(
        (ranks > 0) / (RRF_K + ranks.astype(float)) for ranks in (lexical_ranks, semantic_ranks)
    )
    return fused
