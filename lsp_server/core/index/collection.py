"""Documents together with the folded text they are found by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from lsp_server.core.index.folded_text import FoldedText
from lsp_server.core.matching import Term

Document = TypeVar("Document")


@dataclass(frozen=True)
class Collection(Generic[Document]):
    """Documents in stored order; `text` numbers them alike."""

    documents: tuple[Document, ...]
    text: FoldedText

    @staticmethod
    def of(
        documents: Iterable[Document], fields: Callable[[Document], Sequence[str]]
    ) -> Collection[Document]:
        """Index `documents` by the texts that `fields` names."""
        kept = tuple(documents)
        return Collection(kept, FoldedText.of(map(fields, kept)))

    def __len__(self) -> int:
        return len(self.documents)

    def containing(self, term: Term) -> Iterator[Document]:
        """The documents that contain the term, in stored order."""
        return (self.documents[number] for number in self.text.documents_with(term))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Number of white-space tokens of each document."""
        return tuple(len(self.text.document(number).split()) for number in range(len(self)))

    @cached_property
    def average_length(self) -> float:
        """Mean of `lengths`; 0.0 for an empty collection."""
        return sum(self.lengths) / len(self) if len(self) else 0.0
