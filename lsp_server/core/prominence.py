"""Which plain words people singled out: in a title, a heading, a tag or a code span.

A plain lower-case word under the cursor is looked up by accident more often than by intent. Only a word
that somebody set apart like this is worth interrupting for (design: hover, "quiet means distinctive").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsp_server.core.index.collection import Collection
from lsp_server.core.matching import fold
from lsp_server.core.model import WikiDocument, WorkPlan
from lsp_server.core.prior_art import BoardIndex, MemoryIndex

_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")


def prominent_words(
    memory: MemoryIndex,
    wiki: Collection[WikiDocument],
    board: BoardIndex,
    contracts: Iterable[WorkPlan],
) -> frozenset[str]:
    """The folded words that stand out in any store."""
    phrases = (*_of_memory(memory), *_of_wiki(wiki), *_of_board(board), *_of_contracts(contracts))
    return frozenset(word for phrase in phrases for word in _WORD.findall(fold(phrase)))


def _of_memory(memory: MemoryIndex) -> Iterator[str]:
    for fact in memory.ordinary.documents:
        yield from _CODE_SPAN.findall(fact.text)
    for bound in memory.bound.documents:
        yield from _CODE_SPAN.findall(bound.fact.text)


def _of_wiki(wiki: Collection[WikiDocument]) -> Iterator[str]:
    for document in wiki.documents:
        yield document.title
        yield from document.tags
        yield from _HEADING.findall(document.text)
        yield from _CODE_SPAN.findall(document.text)


def _of_board(board: BoardIndex) -> Iterator[str]:
    for row in board.rows.documents:
        yield row.post.title
        yield row.post.hearth or ""
        yield from _CODE_SPAN.findall(row.body)


def _of_contracts(contracts: Iterable[WorkPlan]) -> Iterator[str]:
    for plan in contracts:
        yield plan.title
        for unit in plan.units:
            yield unit.title
            yield from unit.tags
            for text in (unit.contract.a, unit.contract.b, unit.contract.p):
                yield from _CODE_SPAN.findall(text)
