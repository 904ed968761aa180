"""How a plain word stands in the stores: as the name of something, singled out in passing, or merely used.

A plain lower-case word under the cursor is looked up by accident more often than by intent, so it is worth
interrupting for only where somebody set it apart (design: hover, "quiet means distinctive"). Page titles, tags
and hearths are names that people chose. A heading, the title of a post or unit, and a code span set a word
apart too, but long pages do that to so many words that only one that few documents single out is telling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsp_server.core.index.collection import Collection
from lsp_server.core.matching import fold
from lsp_server.core.model import WikiDocument, WorkPlan
from lsp_server.core.prior_art import BoardIndex, MemoryIndex

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
    """The folded words that stand out in any store."""

    names: frozenset[str]
    singled_out: Counter[str]

    def standing(self, word: str) -> Standing:
        """How a word stands, whatever its case."""
        folded = fold(word)
        return Standing(folded in self.names, self.singled_out[folded])


def find_prominence(
    memory: MemoryIndex,
    wiki: Collection[WikiDocument],
    board: BoardIndex,
    contracts: Iterable[WorkPlan],
) -> Prominence:
    """Collect the words that stand out, document by document."""
    plans = tuple(contracts)
    documents = (*_of_memory(memory), *_of_wiki(wiki), *_of_board(board), *_of_contracts(plans))
    return Prominence(
        names=frozenset(word for name in _names(wiki, board, plans) for word in _words(name)),
        singled_out=Counter(word for words in documents for word in words),
    )


def _names(wiki: Collection[WikiDocument], board: BoardIndex, plans: Iterable[WorkPlan]) -> Iterator[str]:
    for page in wiki.documents:
        yield page.title
        yield from page.tags
    for row in board.rows.documents:
        yield row.post.hearth or ""
    for plan in plans:
        for unit in plan.units:
            yield from unit.tags


def _of_memory(memory: MemoryIndex) -> Iterator[set[str]]:
    for fact in memory.ordinary.documents:
        yield _spans(fact.text)
    for bound in memory.bound.documents:
        yield _spans(bound.fact.text)


def _of_wiki(wiki: Collection[WikiDocument]) -> Iterator[set[str]]:
    for page in wiki.documents:
        # A `# comment` of a shell example is no heading.
        headings = _HEADING.findall(_FENCED_BLOCK.sub("", page.text))
        yield _spans(page.text).union(*map(_words, headings))


def _of_board(board: BoardIndex) -> Iterator[set[str]]:
    for row in board.rows.documents:
        yield _spans(row.body).union(_words(row.post.title))


def _of_contracts(plans: Iterable[WorkPlan]) -> Iterator[set[str]]:
    for plan in plans:
        for unit in plan.units:
            contract = unit.contract
            spans = _spans("\n".join((contract.a, contract.b, contract.p)))
            yield spans.union(_words(unit.title), _words(plan.title))


def _words(phrase: str) -> list[str]:
    return _WORD.findall(fold(phrase))


def _spans(text: str) -> set[str]:
    """The code spans that are one word and nothing else; `retry()` is the word `retry`."""
    spans = (fold(span).strip().removesuffix(_CALL) for span in _CODE_SPAN.findall(text))
    return {span for span in spans if _WORD.fullmatch(span)}
