"""Cutting an item into passages: what is ranked, embedded, and shown as an excerpt.

A passage is one or several paragraphs below the same heading, of about as many characters as an embedder
takes in without diluting (spec/knowledge.md §2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_PASSAGE = 500
"""In code points. A paragraph that is longer is cut at blanks."""

_LINE_END = r"(?:\r\n|\n|\r(?!\n))"
_BLANK_LINES = re.compile(rf"{_LINE_END}[^\S\r\n]*{_LINE_END}\s*")
_NOT_BLANK = re.compile(r"\S")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an item's text."""

    start: int
    """In code points of the item's text."""
    text: str


def passages_of(text: str) -> list[Passage]:
    """The passages of an item in order. Blank text has none."""
    passages: list[Passage] = []
    start = end = -1
    for piece_start, piece_end in _pieces(text):
        is_new_section = _HEADING.match(text, piece_start) is not None
        if start >= 0 and not is_new_section and piece_end - start <= LONGEST_PASSAGE:
            end = piece_end
            continue
        if start >= 0:
            passages.append(Passage(start, text[start:end]))
        start, end = piece_start, piece_end
    return [*passages, Passage(start, text[start:end])] if start >= 0 else []


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs without the blanks around them, long ones cut."""
    for start, end in _paragraphs(text):
        rest = start
        while end - rest > LONGEST_PASSAGE:
            cut = max(text.rfind(blank, rest, rest + LONGEST_PASSAGE) for blank in (" ", "\n"))
            cut = cut if cut > rest else rest + LONGEST_PASSAGE
            yield rest, rest + len(text[rest:cut].rstrip())
            rest = _next_not_blank(text, cut)
        yield rest, end


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = _next_not_blank(text, 0)
    while start < len(text):
        gap = _BLANK_LINES.search(text, start)
        end = gap.start() if gap else len(text)
        yield start, start + len(text[start:end].rstrip())
        start = gap.end() if gap else end


def _next_not_blank(text: str, start: int) -> int:
    found = _NOT_BLANK.search(text, start)
    return found.start() if found else len(text)
