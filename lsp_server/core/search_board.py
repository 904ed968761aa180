"""The board node of `prior_art`: live posts, newest first (seeds/prior-art.md, spec/masc.md §2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry, key_of
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.matching import Term, fold
from lsp_server.core.model import Comment, Post, PostRow, SourceAnswer
from lsp_server.core.prominence import code_spans, names, singled_out, words_of

_POST, _COMMENT = 0, 1


@dataclass(frozen=True, slots=True)
class BoardIndex:
    """Rows newest first, ties by id; a row may be expired, or replaced by a later one with its id."""

    corpus: Corpus[PostRow | Comment]
    is_post: Numbers
    """By position."""
    versions: Sequence[Numbers]
    """Of each id that several rows have, their positions in file order."""
    versioned: Mapping[int, int]
    """For the position of each of these rows, the place of its id in `versions`."""


def board_entries(documents: Sequence[PostRow | Comment]) -> list[Entry]:
    """What the rows of one file are found by."""
    rows = [document for document in documents if isinstance(document, PostRow)]
    rows.sort(key=lambda row: (-row.post.created_at, row.post.id))
    comments = [document for document in documents if isinstance(document, Comment)]
    return [*map(_post_entry, rows), *map(_comment_entry, comments)]


def read_row(record: bytes) -> PostRow | Comment:
    """The row of an entry; the record of a post begins with that of its compact form."""
    return from_record(PostRow, record) if record.startswith(b"[[") else from_record(Comment, record)


def index_board(corpus: Corpus[PostRow | Comment]) -> BoardIndex:
    """Find the rows that share their id."""
    is_post = corpus.column("kind") == _POST
    shared = corpus.sharing_a_key()
    shared = shared[is_post[shared]].tolist()
    rows = {position: row for position in shared if isinstance(row := corpus.document(position), PostRow)}
    by_id: dict[str, list[int]] = {}
    for position in sorted(rows, key=lambda position: rows[position].post.line):
        by_id.setdefault(rows[position].post.id, []).append(position)
    versions = [np.array(positions) for positions in by_id.values()]
    versioned = {position: place for place, positions in enumerate(by_id.values()) for position in positions}
    return BoardIndex(corpus, is_post, versions, versioned)


def search_board(
    snapshot: Snapshot[BoardIndex], query: str, limit: int | None, now: float
) -> SourceAnswer[Post]:
    """Live posts with the whole query in title, body, author or hearth, newest first (spec/masc.md §2.4–2.5)."""
    index = snapshot.index
    found = _current(index, index.corpus.holding(Term(fold(query))), now)
    return SourceAnswer(
        status=snapshot.status,
        matches=tuple(_shown(index, position, now) for position in found[:limit]),
        total_count=len(found),
        problems=snapshot.problems,
    )


def post_named(snapshot: Snapshot[BoardIndex], post_id: str, now: float) -> Post | None:
    """The live post with an id."""
    index = snapshot.index
    key = key_of(post_id)
    found = index.corpus.with_keys(key, key)
    posts = (_shown(index, position, now) for position in _current(index, found[index.is_post[found]], now))
    return next((post for post in posts if post.id == post_id), None)


def count_posts(index: BoardIndex, now: float) -> int:
    """How many posts are live."""
    return len(_current(index, np.flatnonzero(index.is_post), now))


def _post_entry(row: PostRow) -> Entry:
    post = row.post
    return Entry(
        record=to_record(replace(row, body="")),
        fields=(post.title, row.body, post.author, post.hearth or ""),
        keywords=(
            *names(words_of(post.hearth or "")),
            *singled_out(code_spans(row.body) | words_of(post.title)),
        ),
        kind=_POST,
        key=key_of(post.id),
        expires_at=row.expires_at,
    )


def _comment_entry(comment: Comment) -> Entry:
    return Entry(
        record=to_record(comment),
        kind=_COMMENT,
        key=_comment_key(comment.post_id),
        expires_at=comment.expires_at,
    )


def _comment_key(post_id: str) -> int:
    return key_of(f"about {post_id}")


def _current(index: BoardIndex, positions: Numbers, now: float) -> list[int]:
    """Those rows that are live and not replaced. An expired row does not hide an earlier live one of its id."""
    live: list[int] = positions[_is_live(index, positions, now)].tolist()
    places = {index.versioned[position] for position in live if position in index.versioned}
    last = {_last_live(index, index.versions[place], now) for place in places}
    return [position for position in live if position not in index.versioned or position in last]


def _last_live(index: BoardIndex, versions: Numbers, now: float) -> int:
    return int(versions[_is_live(index, versions, now)][-1])


def _is_live(index: BoardIndex, positions: Numbers, now: float) -> Numbers:
    expires_at = index.corpus.column("expires_at")[positions]
    is_live: Numbers = (expires_at == 0.0) | (expires_at > now)
    return is_live


def _shown(index: BoardIndex, position: int, now: float) -> Post:
    row = index.corpus.document(position)
    assert isinstance(row, PostRow)
    key = _comment_key(row.post.id)
    about = index.corpus.with_keys(key, key)
    comments = index.corpus.documents(about[_is_live(index, about, now)])
    replies = {
        comment.id for comment in comments if isinstance(comment, Comment) and comment.post_id == row.post.id
    }
    return replace(row.post, reply_count=len(replies))
