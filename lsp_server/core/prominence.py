"""How a plain word stands in the stores: as the name of something, singled out in passing, or merely used.

A plain lower-case word under the cursor is looked up by accident more often than by intent, so it is worth
interrupting for only where somebody set it apart (design: hover, "quiet means distinctive"). Page titles, tags
and hearths are names that people chose. A heading, the title of a post or unit, and a code span set a word
apart too, but long pages do that to so many words that only one that few documents single out is telling.

Each document's entry carries both kinds of words as keywords, so asking how a word stands is a lookup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.matching import fold

_FENCED_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_CALL = "()"
_NAME, _SINGLED_OUT = "name ", "singled out "


@dataclass(frozen=True, slots=True)
class Standing:
    """How one word stands in the stores."""

    is_name: bool
    """It is part of a page's title, a tag or a hearth."""
    singled_out_in: int
    """How many documents have it in a heading or title, or as a whole code span."""


def standing(word: str, stores: Iterable[Corpus[Any]]) -> Standing:
    """How a word stands in several stores, whatever its case."""
    folded = fold(word)
    kept = tuple(stores)
    return Standing(
        is_name=any(len(corpus.with_keyword(_NAME + folded)) for corpus in kept),
        singled_out_in=sum(len(corpus.with_keyword(_SINGLED_OUT + folded)) for corpus in kept),
    )


def names(words: Iterable[str]) -> tuple[str, ...]:
    """The keywords of a document in which some folded words are names."""
    return tuple(_NAME + word for word in words)


def singled_out(words: Iterable[str]) -> tuple[str, ...]:
    """The keywords of a document that singles out some folded words."""
    return tuple(_SINGLED_OUT + word for word in words)


def words_of(*phrases: str) -> set[str]:
    """The folded words of some phrases."""
    return {word for phrase in phrases for word in _WORD.findall(fold(phrase))}


def headings(text: str) -> set[str]:
    """The folded words of a page's headings. A `# comment` of a shell example is no heading."""
    return words_of(*_HEADING.findall(_FENCED_BLOCK.sub("", text))) if "#" in text else set()


def code_spans(text: str) -> set[str]:
    """The code spans that are one word and nothing else; `retry()` is the word `retry`."""
    if "`" not in text:
        return set()
    spans = (fold(span).strip().removesuffix(_CALL) for span in _CODE_SPAN.findall(text))
    return {span for span in spans if _WORD.fullmatch(span)}
