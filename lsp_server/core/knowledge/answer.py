"""What `search_knowledge` answers: plain frozen values (seeds/search-knowledge.md, Returns)."""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.knowledge.request import Mode
from lsp_server.core.model import Problem, Status


@dataclass(frozen=True, slots=True)
class Scores:
    """How a result came to its place (spec/knowledge.md §3); `None` for what took no part."""

    mode: Mode
    """The mode in effect."""
    combined: float
    lexical: float | None
    """BM25 divided by the most that the query could reach: from 0 to below 1."""
    semantic: float | None
    """The cosine, 0 where it is negative."""
    lexical_raw: float | None
    semantic_raw: float | None
    lexical_rank: int | None
    """From 1, among the items that may be seen."""
    semantic_rank: int | None
    alpha: float | None
    rrf_k: int | None


@dataclass(frozen=True, slots=True)
class KnowledgeResult:
    """One item, with what its best passage says."""

    item: KnowledgeItem
    """Without its text."""
    excerpt: str
    """At most 300 code points."""
    line: int
    """Where the passage begins in the file."""
    scores: Scores


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """The answer to a query."""

    results: tuple[KnowledgeResult, ...]
    mode: Mode
    mode_effective: Mode
    degraded: str | None
    """Why the mode in effect is another one than was asked for."""
    max_results: int
    status: Status
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeReading:
    """A window of one revision's text."""

    item: KnowledgeItem
    """The revision that was read, with all of its text."""
    content: str
    offset: int
    limit_chars: int

    @property
    def total_chars(self) -> int:
        """Length of the whole text in code points."""
        return len(self.item.text)

    @property
    def is_truncated(self) -> bool:
        """Whether something stands behind the window."""
        return self.offset + len(self.content) < self.total_chars
