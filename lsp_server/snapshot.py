"""A document as it was when somebody asked, and one insertion into it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document for work in another thread, while the person goes on typing in it."""

    uri: str
    text: str
    version: int | None
    language: str | None


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text and the offset that it is inserted at; nothing else of the document changes."""

    offset: int
    text: str

    def into(self, document: str) -> str:
        """The document's text afterwards."""
        return document[: self.offset] + self.text + document[self.offset :]


def line_end_of(text: str) -> str:
    """How a text ends its lines, by its first one."""
    found = _LINE_END.search(text)
    return found[0] if found else "\n"
