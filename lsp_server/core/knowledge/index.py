"""Knowledge items and their passages in the index of a store.

Only published items are here, so nothing else can be found, counted or told apart from what does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry, key_of
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.knowledge.item import LINE_END, KnowledgeItem
from lsp_server.core.knowledge.passages import passages_of
from lsp_server.core.knowledge.tokens import tokens_of
from lsp_server.core.matching import Term, find
from lsp_server.core.model import Problem
from lsp_server.core.prominence import code_spans, headings, names, singled_out, words_of
from lsp_server.core.ranking import Collection

ITEM, PASSAGE = 0, 1
K1, B = 1.2, 0.75
"""BM25's constants for passages (spec/knowledge.md §3)."""

EMBEDDED_TITLE_CHARACTERS = 200
"""Of a title so much is part of every passage; a heading may be as long as its file."""

_ID, _BASE, _SCOPE = "id ", "base ", "scope "
"""What the keywords of an item begin with."""


@dataclass(frozen=True, slots=True)
class KnowledgePassage:
    """A passage of the item that stands before it in stored order."""

    line: int
    """Of the file, where the passage begins."""
    text: str


@dataclass(frozen=True)
class KnowledgeIndex:
    """Items in stored order, each followed by its passages."""

    corpus: Corpus[KnowledgeItem | KnowledgePassage]
    items: Numbers
    """Positions of all items."""
    item_of: Numbers
    """By position: which of `items` a document is or belongs to."""
    is_repeated: Numbers
    """By item: whether another one of its base that may be seen has had its id before."""
    is_hidden: Numbers
    """By item: whether it is repeated, or outside the allowed scopes."""
    passages: Numbers
    """Positions of all passages."""
    passage_keys: Numbers

    collection: Collection
    """What ranking has to know of all passages that are not hidden."""

    def __len__(self) -> int:
        return int(np.count_nonzero(~self.is_hidden))


def knowledge_entries(documents: Sequence[KnowledgeItem]) -> list[Entry]:
    """What the item of one file and its passages are found by; nothing if it is not published."""
    return [entry for item in documents if item.status == "published" for entry in _entries(item)]


def read_knowledge_record(record: bytes) -> KnowledgeItem | KnowledgePassage:
    """The item or passage of an entry; the record of an item begins with a text, its base's id."""
    if record.startswith(b'["'):
        return from_record(KnowledgeItem, record)
    return from_record(KnowledgePassage, record)


def index_knowledge(
    corpus: Corpus[KnowledgeItem | KnowledgePassage], scopes: Sequence[str] = ()
) -> KnowledgeIndex:
    """Find out which passages belong to which item, and which items may not be seen.

    An item outside the allowed scopes takes nobody's id and is named in no problem. No scopes allow all.
    """
    is_item = corpus.column("kind") == ITEM
    items, passages = np.flatnonzero(is_item), np.flatnonzero(~is_item)
    item_of = np.cumsum(is_item) - 1
    keys = corpus.column("key")
    shared = corpus.sharing_a_key()
    in_scope = np.ones(len(items), bool)
    if scopes:
        in_scope = _having(corpus, item_of, len(items), [_SCOPE + scope for scope in ("", *scopes)])
    shared = shared[is_item[shared]]
    shared = shared[in_scope[item_of[shared]]]
    _, firsts = np.unique(keys[shared], return_index=True)
    is_repeated = np.zeros(len(items), bool)
    is_repeated[item_of[np.delete(shared, firsts)]] = True
    is_hidden = is_repeated | ~in_scope
    collection = Collection.of(corpus, PASSAGE, K1, B)
    if is_hidden.any():
        # No score tells of what may not be seen.
        collection = collection.part(~is_hidden[item_of])
    return KnowledgeIndex(
        corpus, items, item_of, is_repeated, is_hidden, passages, keys[passages], collection
    )


def repeated_ids(index: KnowledgeIndex) -> tuple[Problem, ...]:
    """A problem for each item that is hidden because its id is taken."""
    repeated = index.corpus.documents(index.items[index.is_repeated])
    return tuple(
        Problem(item.path, f"the id {item.item_id!r} is another item's of the base {item.base_id!r}")
        for item in repeated
        if isinstance(item, KnowledgeItem)
    )


def find_item(index: KnowledgeIndex, item_id: str, base_id: str | None) -> KnowledgeItem | None:
    """The item with an id, without its text; of several bases' the first in stored order."""
    found = index.corpus.with_keyword(_ID + item_id)
    may_be_seen = items_in(index, base_id)
    for position in found.tolist():
        item = index.corpus.document(position)
        if isinstance(item, KnowledgeItem) and may_be_seen[index.item_of[position]]:
            return item
    return None


def items_in(index: KnowledgeIndex, base_id: str | None) -> Numbers:
    """By item: whether it may be seen, in a base or in all."""
    seen = ~index.is_hidden
    if base_id is None:
        return seen
    return seen & _having(index.corpus, index.item_of, len(seen), [_BASE + base_id])


def item_at(index: KnowledgeIndex, position: int) -> KnowledgeItem:
    """The item at a position, or the one that the passage there belongs to, without its text."""
    item = index.corpus.document(int(index.items[index.item_of[position]]))
    assert isinstance(item, KnowledgeItem)
    return item


def passage_at(index: KnowledgeIndex, position: int) -> tuple[KnowledgeItem, KnowledgePassage]:
    """The passage at a position, with its item."""
    passage = index.corpus.document(position)
    assert isinstance(passage, KnowledgePassage)
    return item_at(index, position), passage


def line_in_file(index: KnowledgeIndex, position: int, term: Term) -> int:
    """The line of the file where a term first stands in the text of the item at a position.

    1 if it stands in the title alone, which the header or the name of the file says.
    """
    text = index.corpus.first_field_of(position)
    at = find(text, term)
    return item_at(index, position).body_line + text.count("\n", 0, at) if at >= 0 else 1


def text_to_embed(item: KnowledgeItem, passage: KnowledgePassage) -> str:
    """A passage as an embedder reads it: below the title of its item."""
    return f"{item.title[:EMBEDDED_TITLE_CHARACTERS]}\n{passage.text}"


def _having(corpus: Corpus[Any], item_of: Numbers, count: int, keywords: Sequence[str]) -> Numbers:
    """By item: whether it has one of some keywords."""
    having: Numbers = np.zeros(count, bool)
    for keyword in keywords:
        having[item_of[corpus.with_keyword(keyword)]] = True
    return having


def _entries(item: KnowledgeItem) -> list[Entry]:
    head = replace(item, text="")
    entries = [_item_entry(item, head)]
    line, seen = item.body_line, 0
    for passage in passages_of(item.text):
        line += len(LINE_END.findall(item.text, seen, passage.start))
        seen = passage.start
        entries.append(_passage_entry(head, KnowledgePassage(line, passage.text)))
    return entries


def _item_entry(item: KnowledgeItem, head: KnowledgeItem) -> Entry:
    return Entry(
        record=to_record(head),
        fields=(item.text, item.title),
        keywords=(
            _ID + item.item_id,
            _BASE + item.base_id,
            # An item without a scope is in every scope.
            _SCOPE + (item.scope or ""),
            *names(words_of(item.title)),
            *singled_out(code_spans(item.text) | headings(item.text)),
        ),
        kind=ITEM,
        key=key_of(f"{item.base_id}\n{item.item_id}"),
    )


def _passage_entry(item: KnowledgeItem, passage: KnowledgePassage) -> Entry:
    embedded = text_to_embed(item, passage)
    return Entry(
        record=to_record(passage),
        fields=(" ".join(tokens_of(embedded)),),
        kind=PASSAGE,
        # What is embedded decides which vector it has.
        key=key_of(embedded),
    )
