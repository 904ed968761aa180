"""prior_art: one query to memory, wiki and board, each failing alone (seeds/prior-art.md).

Each function here takes what was read of one store and a checked query, and answers for that store only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lsp_server.core.index.collection import Collection
from lsp_server.core.index.store import Snapshot
from lsp_server.core.matching import Term, as_term, fold, terms_of
from lsp_server.core.model import (
    BoundFact,
    Comment,
    Fact,
    Page,
    Post,
    PostRow,
    Problem,
    SourceAnswer,
    WikiDocument,
)
from lsp_server.core.source import Verify

Document = TypeVar("Document")

# --- memory ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """Facts of all keepers; ordinary and source-bound ones have statistics of their own (§1.7)."""

    ordinary: Collection[Fact]
    bound: Collection[BoundFact]

    def __len__(self) -> int:
        return len(self.ordinary) + len(self.bound)


_MEMORY_ID = re.compile(r"sha256:[0-9a-f]{8,64}")


def index_memory(documents: Sequence[Fact | BoundFact]) -> MemoryIndex:
    """Lay out what the memory source read."""
    return MemoryIndex(
        ordinary=Collection.of(
            (fact for fact in documents if isinstance(fact, Fact)), lambda fact: (fact.text,)
        ),
        bound=Collection.of(
            (bound for bound in documents if isinstance(bound, BoundFact)),
            lambda bound: (bound.fact.text,),
        ),
    )


def search_memory(
    snapshot: Snapshot[MemoryIndex],
    query: str,
    limit: int | None,
    verify: Verify,
    *,
    by_word: bool = True,
) -> SourceAnswer[Fact]:
    """Claims with the whole query in stored order, then, if `by_word`, claims with a term of it in BM25 order.

    In each tier ordinary facts stand before source-bound ones (spec/masc.md §1.7). A source-bound fact that
    the query matches is checked against its file: changed or gone drops it, unreadable withholds it and makes
    the answer incomplete.
    """
    index = snapshot.index
    whole_query = as_term(query)
    terms = terms_of(query) if by_word else ()
    first, second = _tiers(index.ordinary, whole_query, terms)
    bound_first, bound_second = _tiers(index.bound, whole_query, terms)
    verdicts = verify((*bound_first, *bound_second))
    matches = _distinct(
        (
            *first,
            *(bound.fact for bound in bound_first if verdicts[bound] == "verified"),
            *second,
            *(bound.fact for bound in bound_second if verdicts[bound] == "verified"),
        )
    )
    withheld = tuple(_withheld(bound) for bound, verdict in verdicts.items() if verdict == "unverified")
    return SourceAnswer(
        status="incomplete" if withheld and snapshot.status == "complete" else snapshot.status,
        matches=matches[:limit],
        total_count=len(matches),
        problems=snapshot.problems + withheld,
    )


def fact_named(snapshot: Snapshot[MemoryIndex], memory_id: str, verify: Verify) -> Fact | None:
    """The fact with a memory id, or with one that begins so; a source-bound one only while it holds."""
    if not _MEMORY_ID.fullmatch(memory_id):
        return None
    index = snapshot.index
    for fact in index.ordinary.documents:
        if fact.memory_id.startswith(memory_id):
            return fact
    for bound in index.bound.documents:
        if bound.fact.memory_id.startswith(memory_id) and verify((bound,))[bound] == "verified":
            return bound.fact
    return None


def _tiers(
    collection: Collection[Document], whole_query: Term, terms: Sequence[Term]
) -> tuple[list[Document], list[Document]]:
    first = list(collection.text.documents_with(whole_query))
    taken = set(first)
    documents = collection.documents
    if not terms or terms == (whole_query,):
        # A single term that equals the whole query cannot find anything more.
        return [documents[number] for number in first], []
    # Imported late: rank-bm25 brings numpy, half of the time that the command line needs to start.
    from lsp_server.core.ranking import ranked

    second = (number for number in ranked(collection, terms) if number not in taken)
    return [documents[number] for number in first], [documents[number] for number in second]


def _distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    by_id: dict[str, Fact] = {}
    for fact in facts:
        by_id.setdefault(fact.memory_id, fact)
    return tuple(by_id.values())


def _withheld(bound: BoundFact) -> Problem:
    return Problem(
        bound.fact.path,
        f"source_verification: a fact that matches was withheld, its source {bound.source_path} "
        "could not be checked",
    )


# --- wiki ------------------------------------------------------------------------------------------------


def index_wiki(documents: Sequence[WikiDocument]) -> Collection[WikiDocument]:
    """Lay out what the wiki source read."""
    return Collection.of(documents, lambda document: (document.text,))


def search_wiki(
    snapshot: Snapshot[Collection[WikiDocument]], query: str, limit: int | None
) -> SourceAnswer[Page]:
    """Pages whose text contains the whole query, case-insensitively, in stored order (spec/masc.md §3)."""
    needle = Term(fold(query))
    text = snapshot.index.text
    found = list(text.documents_with(needle))
    pages = ((snapshot.index.documents[number], text.line_of(number, needle)) for number in found[:limit])
    return SourceAnswer(
        status=snapshot.status,
        matches=tuple(Page(document.title, document.path, line) for document, line in pages),
        total_count=len(found),
        problems=snapshot.problems,
    )


# --- board -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardIndex:
    """Rows newest first, ties by id; a row may be expired, or replaced by a later one with its id."""

    rows: Collection[PostRow]
    versions: Mapping[str, Sequence[PostRow]]
    """The rows of each post id in file order."""
    comments: Mapping[str, Sequence[Comment]]
    """The rows of the comments on each post; an id may repeat."""


def index_board(documents: Sequence[PostRow | Comment]) -> BoardIndex:
    """Lay out what the board source read."""
    rows = [row for row in documents if isinstance(row, PostRow)]
    versions: dict[str, list[PostRow]] = defaultdict(list)
    for row in rows:
        versions[row.post.id].append(row)
    comments: dict[str, list[Comment]] = defaultdict(list)
    for comment in documents:
        if isinstance(comment, Comment):
            comments[comment.post_id].append(comment)
    return BoardIndex(
        rows=Collection.of(
            sorted(rows, key=lambda row: (-row.post.created_at, row.post.id)), _searched_fields
        ),
        versions=dict(versions),
        comments=dict(comments),
    )


def search_board(
    snapshot: Snapshot[BoardIndex], query: str, limit: int | None, now: float
) -> SourceAnswer[Post]:
    """Live posts with the whole query in title, body, author or hearth, newest first (spec/masc.md §2.4–2.5)."""
    index = snapshot.index
    found = [row for row in index.rows.containing(Term(fold(query))) if _is_current(index, row, now)]
    return SourceAnswer(
        status=snapshot.status,
        matches=tuple(_shown(index, row, now) for row in found[:limit]),
        total_count=len(found),
        problems=snapshot.problems,
    )


def post_named(snapshot: Snapshot[BoardIndex], post_id: str, now: float) -> Post | None:
    """The live post with an id."""
    index = snapshot.index
    rows = index.versions.get(post_id, ())
    return next((_shown(index, row, now) for row in rows if _is_current(index, row, now)), None)


def count_posts(index: BoardIndex, now: float) -> int:
    """How many posts are live."""
    return sum(_is_current(index, row, now) for row in index.rows.documents)


def _shown(index: BoardIndex, row: PostRow, now: float) -> Post:
    comments = index.comments.get(row.post.id, ())
    live = {comment.id for comment in comments if _is_live(comment, now)}
    return replace(row.post, reply_count=len(live))


def _is_current(index: BoardIndex, row: PostRow, now: float) -> bool:
    # The last live line of an id wins; an expired line does not hide an earlier live one.
    live = (version for version in reversed(index.versions[row.post.id]) if _is_live(version, now))
    return next(live, None) is row


def _is_live(row: PostRow | Comment, now: float) -> bool:
    return row.expires_at == 0.0 or row.expires_at > now


def _searched_fields(row: PostRow) -> tuple[str, ...]:
    post = row.post
    return post.title, row.body, post.author, post.hearth or ""
