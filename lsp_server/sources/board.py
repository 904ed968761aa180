"""The board: `board_posts.jsonl` and, for reply counts, `board_comments.jsonl` (spec/masc.md §2).

A line that cannot be read costs that line only; it is counted in a problem of its file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from lsp_server.core.model import Comment, Listing, Post, PostRow, Problem, Reading
from lsp_server.sources.layout import MascLayout
from lsp_server.sources.text_file import is_absent, read_text

POSTS_NAME = "board_posts.jsonl"
COMMENTS_NAME = "board_comments.jsonl"
DERIVED_TITLE_BYTES = 80
CUT_MARK = "..."
UNTITLED = "Untitled post"

Row = TypeVar("Row")


class RowError(ValueError):
    """What makes one line unusable, in a few words."""


def list_board(layout: MascLayout) -> Listing:
    """The posts file and, beside it, the comments file where there is one."""
    posts, comments = layout.board / POSTS_NAME, layout.board / COMMENTS_NAME
    if is_absent(posts):
        return Listing()
    return Listing((posts,) if is_absent(comments) else (posts, comments), (str(posts),))


def read_board_file(path: Path) -> Reading[PostRow | Comment]:
    """Every well-formed row of one of the two files, in file order."""
    if path.name == COMMENTS_NAME:
        comments = _read_rows(path, lambda row, _line: _comment(row))
        # Comments are counted and never searched, so no match is missing because of them.
        problems = tuple(replace(problem, hides_matches=False) for problem in comments.problems)
        return Reading(comments.documents, problems, searchable=False)
    posts = _read_rows(path, lambda row, line: _post_row(row, str(path), line))
    return Reading(posts.documents, posts.problems, posts.searchable)


def derive_title(body: str) -> str:
    """The first line of the body that is not blank, cut to 80 bytes, dots included (spec/masc.md §2.2)."""
    line = next((line.strip() for line in body.split("\n") if line.strip()), UNTITLED)
    encoded = line.encode("utf-8", "replace")
    if len(encoded) <= DERIVED_TITLE_BYTES:
        return line
    return encoded[: DERIVED_TITLE_BYTES - len(CUT_MARK)].decode("utf-8", "ignore") + CUT_MARK


def _read_rows(path: Path, as_row: Callable[[dict[str, Any], int], Row]) -> Reading[Row]:
    text, problem = read_text(path)
    if text is None:
        return Reading(problems=(problem,) if problem else (), searchable=False)
    rows: list[Row] = []
    malformed: list[tuple[int, str]] = []
    for line, raw in _lines(text):
        try:
            rows.append(as_row(_parse_object(raw), line))
        except RowError as error:  # noqa: PERF203 - one bad line costs that line only
            malformed.append((line, str(error)))
    problems = [problem] if problem else []
    if malformed:
        first, why = malformed[0]
        count = "1 malformed line" if len(malformed) == 1 else f"{len(malformed)} malformed lines"
        problems.append(Problem(str(path), f"{count} skipped, the first is line {first}: {why}"))
    return Reading(tuple(rows), tuple(problems), searchable=bool(rows) or not malformed)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _post_row(row: dict[str, Any], path: str, line: int) -> PostRow:
    body = _text(row, "body") or _text(row, "content")
    title = _text(row, "title").strip()
    if not row.keys() & {"title", "body", "content"}:
        raise RowError("neither title nor body")
    return PostRow(
        post=Post(
            id=_required_id(row, "id"),
            title=title or derive_title(body),
            hearth=_text(row, "hearth") or None,
            author=_text(row, "author"),
            created_at=_number(row, "created_at"),
            score=_score(row),
            reply_count=0,
            path=path,
            line=line,
        ),
        body=body,
        expires_at=_number(row, "expires_at"),
    )


def _comment(row: dict[str, Any]) -> Comment:
    return Comment(_required_id(row, "id"), _required_id(row, "post_id"), _number(row, "expires_at"))


def _score(row: dict[str, Any]) -> int:
    if "votes_up" in row or "votes_down" in row:
        difference = _number(row, "votes_up") - _number(row, "votes_down")
        if not math.isfinite(difference):
            raise RowError("votes_up and votes_down are too large")
        return int(difference)
    return int(_number(row, "score"))


def _required_id(row: dict[str, Any], key: str) -> str:
    value = _text(row, key)
    if not value.strip():
        raise RowError(f"no {key}")
    return value


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RowError(f"{key} is not text")
    return value


def _number(row: dict[str, Any], key: str) -> float:
    value = row.get(key)
    if value is None:
        return 0.0
    if not isinstance(value, float) or not math.isfinite(value):
        raise RowError(f"{key} is not a number")
    return value


def _parse_object(raw: str) -> dict[str, Any]:
    try:
        # Every number as a float: Python refuses to read, or to compare, integers that are very long.
        value = json.loads(raw, parse_int=float)
    except (json.JSONDecodeError, RecursionError):
        raise RowError("invalid JSON") from None
    if not isinstance(value, dict):
        raise RowError("not an object")
    return value
