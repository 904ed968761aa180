"""The contestants by name, each in a module of its own that is imported only when it takes part."""

from __future__ import annotations

from importlib import import_module

from contestants.contestant import FULL_QUESTIONS, ChangedFile, Contestant, Unsupported

__all__ = [
    "CONTESTANTS",
    "FULL_QUESTIONS",
    "ChangedFile",
    "Contestant",
    "Unsupported",
    "contestant_class",
]

CONTESTANTS = {
    "ours": "contestants.ours:Ours",
    "fts5_trigram": "contestants.fts5_trigram:Fts5Trigram",
    "fts5_long_terms": "contestants.fts5_trigram:Fts5LongTerms",
    "tantivy_trigram": "contestants.tantivy_trigram:TantivyTrigram",
    "bm25s": "contestants.bm25s:Bm25s",
    "bm25s_numba": "contestants.bm25s:Bm25sNumba",
    "rank_bm25": "contestants.rank_bm25:RankBm25",
    "ripgrep": "contestants.ripgrep:Ripgrep",
    "ripgrep_joined": "contestants.ripgrep:RipgrepJoined",
    "simd_scan": "contestants.simd_scan:SimdScan",
}
"""In the order of the tables."""


def contestant_class(name: str) -> type[Contestant]:
    """The class of a contestant, imported now."""
    module, _, attribute = CONTESTANTS[name].partition(":")
    found: type[Contestant] = getattr(import_module(module), attribute)
    return found
