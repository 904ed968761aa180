"""What takes part in the benchmark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from corpus import Corpus


RankedQuestion: TypeAlias = Literal[
    "bm25 of terms",
    "bm25 of tokens",
    "bm25okapi of tokens",
    "any term",
    "any token",
    "any term, unranked",
    "any long term",
]
"""What `ranked` answers, and so what it is checked against (reference.py).

- `bm25 of terms`: BM25 where a term is a substring, as `lsp_server.core.ranking` defines it. The whole question.
- `bm25 of tokens`, `bm25okapi of tokens`: a term is a whole white-space token, which is easier; the second
  with rank-bm25's own inverse document frequency.
- `any term`, `any token`: some BM25 of its own over all documents that contain a term, as a substring or as a
  whole token. The documents are checked, the order is not.
- `any term, unranked`: the first documents that contain a term, in stored order.
- `any long term`: as `any term`, of the terms with three characters or more alone.
"""
FULL_QUESTIONS: tuple[RankedQuestion, ...] = ("bm25 of terms", "any term")
"""All others are easier, and marked so."""


class Unsupported(Exception):  # noqa: N818 - it is no mistake
    """The contestant cannot do this; the table shows a dash."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of the workspace with other documents, as many as before.

    For a contestant that `reads_root` the file has been rewritten on disk.
    """

    path: str
    """Relative to the root of the corpus."""
    first: int
    """Number of its first document; the others follow. Numbers stay as they were."""
    documents: tuple[str, ...]


class Contestant(ABC):
    """One search engine. A module imports all that it needs, since imports are timed apart from `open`.

    An instance either builds or is opened once, not both. No contestant may keep answers from one query for
    another one that is the same. Documents are numbered from 0 in the corpus's stored order.
    """

    name: ClassVar[str]
    ranked_question: ClassVar[RankedQuestion]
    reads_root: ClassVar[bool] = False
    """Whether it reads the files of the workspace itself; others are given the documents."""
    is_subprocess: ClassVar[bool] = False
    """Whether each query is a process of its own, so that there is no memory to measure."""
    starts_slowly: ClassVar[bool] = False
    """Whether a process needs seconds to open it; then there are few cold starts, and `--quick` leaves it out."""
    slow_from: ClassVar[int | None] = None
    """From this many documents on it gets fewer queries and repetitions."""
    max_documents: ClassVar[int | None] = None
    """With more documents than this it does not take part."""

    @abstractmethod
    def build(self, corpus: Corpus, folder: Path) -> None:
        """Read `corpus.root` or `corpus.documents` and leave the index in the empty `folder`; timed.

        The documents have been read before, unless the contestant `reads_root`.
        """

    @abstractmethod
    def open(self, folder: Path) -> None:
        """Get ready to answer from what `build` left; timed together with the first answer."""

    def first(self, query: str, limit: int = 10) -> list[int]:  # noqa: ARG002
        """The first documents in stored order that contain the whole query as one term (rules.py)."""
        raise Unsupported

    def ranked(self, query: str, limit: int = 10) -> list[int]:  # noqa: ARG002
        """The best documents for the query's terms, best first, ties in stored order."""
        raise Unsupported

    def matching(self, query: str) -> list[int]:  # noqa: ARG002
        """All documents that `ranked` would order, ascending; for the check alone, never timed."""
        raise Unsupported

    def update(self, changed: ChangedFile) -> None:  # noqa: ARG002
        """Take a changed file in, so that the next answer knows it and a later `open` does too; timed."""
        raise Unsupported

    def disk_bytes(self, folder: Path) -> int:
        """Size of the index on disk."""
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def close(self) -> None:  # noqa: B027
        """Let go of files and processes."""
