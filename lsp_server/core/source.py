"""What the core needs of a store: which files it has now, and what one file holds.

The sources implement this; the core never knows a file format. A source reads and never writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar

from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.model import (
    BoundFact,
    Comment,
    Fact,
    Listing,
    PostRow,
    Reading,
    SourceName,
    WikiDocument,
    WorkPlan,
)

Document = TypeVar("Document")

Verdict: TypeAlias = Literal["verified", "invalidated", "unverified"]
Verify: TypeAlias = Callable[[Collection[BoundFact]], Mapping[BoundFact, Verdict]]
"""Checks facts against the files that they are bound to, each file once."""

ReadRevision: TypeAlias = Callable[[KnowledgeItem, str], Reading[KnowledgeItem]]
"""Reads an item as it was in an older revision; an empty reading where it had no such revision."""


@dataclass(frozen=True, slots=True)
class Source(Generic[Document]):
    """One store format at one root."""

    name: SourceName
    list_files: Callable[[], Listing]
    """Lists the files as they are now. Never raises for what is on disk."""
    read_file: Callable[[Path], Reading[Document]]
    """Reads one file. Never raises for its content."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Every store of a root, and the check of facts that are bound to a file's content."""

    memory: Source[Fact | BoundFact]
    wiki: Source[WikiDocument]
    board: Source[PostRow | Comment]
    contracts: Source[WorkPlan]
    knowledge: Source[KnowledgeItem]
    verify: Verify
    read_revision: ReadRevision
