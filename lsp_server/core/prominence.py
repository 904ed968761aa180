"""How a plain word stands in the stores: as the name of something, singled out in passing, or merely used.

A plain lower-case word under the cursor is looked up by accident more often than by intent, so it is worth
interrupting for only where somebody set it apart (design: hover, "quiet means distinctive"). Page titles, tags
and hearths are names that people chose. A heading, the title of a post or unit, and a code span set a word
apart too, but long pages do that to so many words that only one that few documents single out is telling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lsp_server.core.index.collection import Collection
from lsp_server.core.matching import fold
from lsp_server.core.model import WikiDocument
from lsp_server.core.prior_art import BoardIndex, MemoryIndex
from lsp_server.core.search_kg import ContractIndex

_FENCED_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_CALL = "()"


@dataclass(frozen=True, slots=True)
class Standing:
    """How one word stands in the stores."""

    is_name: bool
    """It is part of a page's title, a tag or a hearth."""
    singled_out_in: int
    """How many documents have it in a heading or title, or as a whole code span."""


@dataclass(frozen=True, slots=True)
class Prominence:
    """The folded words that stand out in one store."""

    names: frozenset[str]
    singled_out: Counter[str]


def standing(word: str, stores: Iterable[Prominence]) -> Standing:
    """How a word stands in several stores, whatever its case."""
    folded = fold(word)
    kept = tuple(stores)
    return Standing(
        is_name=any(folded in store.names for store in kept),
        singled_out_in=sum(store.singled_out[folded] for store in kept),
    )


def of_memory(memory: MemoryIndex) -> Prominence:
    """What stands out in claims: whole code spans."""
    facts = (*memory.ordinary.documents, *(bound.fact for bound in memory.bound.documents))
    return _prominence((), (_spans(fact.text) for fact in facts))


def of_wiki(wiki: Collection[WikiDocument]) -> Prominence:
    """What stands out in pages: titles and tags as names, headings and whole code spans."""
    names = (name for page in wiki.documents for name in (page.title, *page.tags))
    # A `# comment` of a shell example is no heading.
    singled_out = (
        _spans(page.text).union(*map(_words, _HEADING.findall(_FENCED_BLOCK.sub("", page.text))))
        for page in wiki.documents
    )
    return _prominence(names, singled_out)


def of_board(board: BoardIndex) -> Prominence:
    """What stands out in posts: hearths as names, titles and whole code spans."""
    rows = board.rows.documents
    return _prominence(
        (row.post.hearth or "" for row in rows),
        (_spans(row.body).union(_words(row.post.title)) for row in rows),
    )


def of_contracts(contracts: ContractIndex) -> Prominence:
    """What stands out in unit-works: tags as names, titles and whole code spans."""
    units = [(indexed.plan, indexed.unit) for indexed in contracts.units]
    return _prominence(
        (tag for _, unit in units for tag in unit.tags),
        (
            _spans("\n".join((unit.contract.a, unit.contract.b, unit.contract.p))).union(
                _words(unit.title), _words(plan.title)
            )
            for plan, unit in units
        ),
    )


def _prominence(names: Iterable[str], singled_out: Iterable[set[str]]) -> Prominence:
    return Prominence(
        names=frozenset(word for name in names for word in _words(name)),
        singled_out=Counter(word for words in singled_out for word in words),
    )


def _words(phrase: str) -> list[str]:
    return _WORD.findall(fold(phrase))


def _spans(text: str) -> set[str]:
    """The code spans that are one word and nothing else; `retry()` is the word `retry`."""
    spans = (fold(span).strip().removesuffix(_CALL) for span in _CODE_SPAN.findall(text))
    return {span for span in spans if _WORD.fullmatch(span)}
