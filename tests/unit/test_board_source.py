"""The board's two files: every row of every version, and bad lines that cost themselves only."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from files_on_disk import link
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import Comment, Listing, PostRow, Reading
from lsp_server.sources.board import derive_title, list_board, read_board_file
from lsp_server.sources.layout import MascLayout, masc_layout

POST: dict[str, Any] = {
    "id": "p-1",
    "author": "keeper-a",
    "title": "Clock drift",
    "body": "Signing fails when the clock drifts.",
    "post_kind": "automation",
    "content": "Signing fails when the clock drifts.",
    "visibility": "internal",
    "created_at": 1000.5,
    "updated_at": 1000.5,
    "expires_at": 0.0,
    "votes_up": 3,
    "votes_down": 1,
    "score": 2,
    "reply_count": 9,
    "pinned": False,
    "hearth": "ops",
    "origin": {"turn_ref": "t#1", "fusion_producer": "x"},
    "meta": {"anything": [1, {"at": "all"}]},
}
COMMENT: dict[str, Any] = {
    "id": "c-1",
    "post_id": "p-1",
    "parent_id": None,
    "author": "keeper-b",
    "content": "Seen here too.",
    "created_at": 1010.0,
    "expires_at": 0.0,
}


def without(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in keys}


def write_lines(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    encoded = (
        line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() for line in lines
    )
    path.write_bytes(b"".join(line + b"\n" for line in encoded))
    return path


@pytest.fixture
def layout(tmp_path: Path) -> MascLayout:
    return masc_layout(tmp_path, {})


def read_posts(folder: Path, *lines: Any) -> Reading[Any]:
    return read_board_file(write_lines(folder / "board_posts.jsonl", *lines))


def read_post(folder: Path, row: dict[str, Any]) -> PostRow:
    reading = read_posts(folder, row)
    assert reading.problems == ()
    (document,) = reading.documents
    assert isinstance(document, PostRow)
    return document


# Which files


def test_without_posts_there_is_no_board(layout: MascLayout) -> None:
    assert list_board(layout) == Listing()
    write_lines(layout.board / "board_comments.jsonl", COMMENT)
    assert list_board(layout) == Listing()


def test_comments_stand_beside_posts_and_no_other_file_is_read(layout: MascLayout) -> None:
    posts = write_lines(layout.board / "board_posts.jsonl", POST)
    for name in ("board_posts.jsonl.1", "board_posts.jsonl.2", "board_votes.jsonl", "board_comments.jsonl.1"):
        write_lines(layout.board / name, POST)
    assert list_board(layout).files == (posts,)
    comments = write_lines(layout.board / "board_comments.jsonl", COMMENT)
    assert list_board(layout) == Listing((posts, comments), (str(posts),))


def test_a_cluster_has_a_board_of_its_own(tmp_path: Path) -> None:
    write_lines(tmp_path / ".masc" / "board_posts.jsonl", POST)
    posts = write_lines(tmp_path / ".masc" / "clusters" / "north" / "board_posts.jsonl", POST)
    assert list_board(masc_layout(tmp_path, {"MASC_CLUSTER_NAME": "north"})).files == (posts,)
    assert list_board(masc_layout(tmp_path, {"MASC_CLUSTER_NAME": "south"})) == Listing()


@pytest.mark.parametrize("target", ["nowhere", "board_posts.jsonl"])
def test_a_broken_link_is_a_board_that_cannot_be_read(layout: MascLayout, target: str) -> None:
    posts = link(layout.board / "board_posts.jsonl", target)
    assert list_board(layout).locations == (str(posts),)
    reading = read_board_file(posts)
    assert not reading.searchable
    assert [problem.path for problem in reading.problems] == [str(posts)]


def test_a_board_on_a_drive_that_is_gone_is_not_absent(layout: MascLayout) -> None:
    link(layout.board, "nowhere")
    assert list_board(layout).locations == (str(layout.board / "board_posts.jsonl"),)


def test_comments_that_are_a_broken_link_are_named(layout: MascLayout) -> None:
    write_lines(layout.board / "board_posts.jsonl", POST)
    comments = link(layout.board / "board_comments.jsonl", "nowhere")
    assert comments in list_board(layout).files
    assert [problem.path for problem in read_board_file(comments).problems] == [str(comments)]


@pytest.mark.skipif(os.name == "nt", reason="such a name is merely missing there")
def test_a_cluster_name_that_is_too_long_does_not_stop_the_board(tmp_path: Path) -> None:
    listing = list_board(masc_layout(tmp_path, {"MASC_CLUSTER_NAME": "x" * 5000}))
    assert listing.locations
    assert all(read_board_file(file).problems for file in listing.files)


def test_a_folder_in_place_of_the_posts_is_named(layout: MascLayout) -> None:
    (layout.board / "board_posts.jsonl").mkdir(parents=True)
    (file,) = list_board(layout).files
    reading = read_board_file(file)
    assert not reading.searchable and len(reading.problems) == 1


# Rows of all versions


def test_a_full_row(tmp_path: Path) -> None:
    row = read_post(tmp_path, POST)
    post = row.post
    assert (post.id, post.title, post.hearth, post.author) == ("p-1", "Clock drift", "ops", "keeper-a")
    assert (post.created_at, post.score, post.line) == (1000.5, 2, 1)
    assert (row.body, row.expires_at) == ("Signing fails when the clock drifts.", 0.0)
    assert post.path == str(tmp_path / "board_posts.jsonl")


def test_the_stored_reply_count_is_not_trusted(tmp_path: Path) -> None:
    assert read_post(tmp_path, POST).post.reply_count == 0


@pytest.mark.parametrize(
    ("row", "body", "score"),
    [
        (without(POST, "content", "score"), POST["body"], 2),
        (without(POST, "body"), POST["body"], 2),
        ({**POST, "body": ""}, POST["body"], 2),
        ({**POST, "body": None}, POST["body"], 2),
        (without(POST, "pinned", "score"), POST["body"], 2),
        ({**without(POST, "votes_up", "votes_down"), "score": -4}, POST["body"], -4),
        ({**POST, "score": 77}, POST["body"], 2),
        (without(POST, "votes_up"), POST["body"], -1),
        (without(POST, "votes_up", "votes_down", "score"), POST["body"], 0),
        ({**POST, "meta": None, "origin": 5, "unknown": {}}, POST["body"], 2),
    ],
)
def test_rows_of_other_versions(tmp_path: Path, row: dict[str, Any], body: str, score: int) -> None:
    read = read_post(tmp_path, row)
    assert (read.body, read.post.score) == (body, score)


def test_times_may_be_integers_or_missing(tmp_path: Path) -> None:
    row = read_post(tmp_path, {**POST, "created_at": 1000, "expires_at": 2000})
    assert (row.post.created_at, row.expires_at) == (1000.0, 2000.0)
    assert read_post(tmp_path, without(POST, "created_at", "expires_at")).expires_at == 0.0


def test_a_row_without_author_and_hearth(tmp_path: Path) -> None:
    post = read_post(tmp_path, without(POST, "author", "hearth")).post
    assert (post.author, post.hearth) == ("", None)
    assert read_post(tmp_path, {**POST, "hearth": ""}).post.hearth is None


def test_numbers_that_are_not_needed_may_be_of_any_size(tmp_path: Path) -> None:
    line = json.dumps(POST)[:-1] + f',"unknown":{"9" * 6000},"reply_count":1e999}}'
    assert read_posts(tmp_path, line.encode()).problems == ()


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("one line", "one line"),
        ("\n \r\n\t first \r\nsecond", "first"),
        ("", "Untitled post"),
        (" \n\t\n", "Untitled post"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 77 + "..."),
        ("가" * 26 + "xx", "가" * 26 + "xx"),
        ("가" * 27, "가" * 25 + "..."),
        ("x" * 76 + "😀😀", "x" * 76 + "..."),
        ("a" * 77 + "\ud800" * 20, "a" * 77 + "..."),
    ],
)
def test_a_title_is_the_first_line_of_the_body_within_80_bytes(body: str, title: str) -> None:
    assert derive_title(body) == title


@given(st.text(st.characters(codec="utf-8")))
def test_a_derived_title_is_never_blank_never_long_and_stands_in_the_body(body: str) -> None:
    title = derive_title(body)
    assert title.strip() and "\n" not in title
    assert len(title.encode()) <= 80
    assert title == "Untitled post" or title.removesuffix("...") in body


@pytest.mark.parametrize("title", [None, "", "  ", "missing"])
def test_a_row_without_a_title_gets_one(tmp_path: Path, title: str | None) -> None:
    row = without(POST, "title") if title == "missing" else {**POST, "title": title}
    assert read_post(tmp_path, row).post.title == POST["body"]


def test_rows_stay_in_file_order_so_that_the_last_line_of_an_id_can_win(tmp_path: Path) -> None:
    reading = read_posts(tmp_path, POST, {**POST, "id": "p-2"}, {**POST, "title": "Later"})
    assert [(row.post.id, row.post.title, row.post.line) for row in reading.documents] == [
        ("p-1", "Clock drift", 1),
        ("p-2", "Clock drift", 2),
        ("p-1", "Later", 3),
    ]


def test_blank_lines_and_carriage_returns_cost_nothing_and_lines_are_still_counted(tmp_path: Path) -> None:
    reading = read_posts(tmp_path, b"", json.dumps(POST).encode() + b"\r", b"  ", {**POST, "id": "p-2"})
    assert reading.problems == ()
    assert [row.post.line for row in reading.documents] == [2, 4]


def test_a_line_separator_within_a_text_ends_no_line(tmp_path: Path) -> None:
    assert read_post(tmp_path, {**POST, "body": "a\u2028b\x85c"}).body == "a\u2028b\x85c"


def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    file = tmp_path / "board_posts.jsonl"
    file.write_bytes(json.dumps(POST).encode())
    assert len(read_board_file(file).documents) == 1


# Lines that cost themselves only

BAD_LINES = {
    "no JSON": b"{",
    "cut off": json.dumps(POST).encode()[:40],
    "no object": b"[1]",
    "null": b"null",
    "two objects": b"{}{}",
    "no id": json.dumps(without(POST, "id")).encode(),
    "a blank id": json.dumps({**POST, "id": " "}).encode(),
    "an id that is a number": json.dumps({**POST, "id": 5}).encode(),
    "neither title nor body": json.dumps(without(POST, "title", "body", "content")).encode(),
    "a title that is a list": json.dumps({**POST, "title": []}).encode(),
    "a body that is an object": json.dumps({**POST, "body": {}}).encode(),
    "a time that is text": json.dumps({**POST, "created_at": "now"}).encode(),
    "a time that is true": json.dumps({**POST, "created_at": True}).encode(),
    "a time that is NaN": json.dumps({**POST, "expires_at": float("nan")}).encode(),
    "a time that is infinite": json.dumps({**POST, "expires_at": float("inf")}).encode(),
    "a time of 400 digits": json.dumps({**POST, "created_at": 10**400}).encode(),
    "a time of 5000 digits": b'{"id":"p","title":"t","created_at":' + b"9" * 5000 + b"}",
    "votes without a difference": json.dumps({**POST, "votes_up": 1.7e308, "votes_down": -1.7e308}).encode(),
    "nested too deeply": b"[" * 200_000,
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_malformed_line_costs_that_line_only(tmp_path: Path, line: bytes) -> None:
    reading = read_posts(tmp_path, POST, line, {**POST, "id": "p-2"})
    assert [row.post.id for row in reading.documents] == ["p-1", "p-2"]
    assert reading.searchable
    (problem,) = reading.problems
    assert problem.path == str(tmp_path / "board_posts.jsonl")
    assert problem.reason.startswith("1 malformed line skipped, the first is line 2: ")


def test_malformed_lines_are_counted_in_one_problem(tmp_path: Path) -> None:
    reading = read_posts(tmp_path, b"x", POST, b"y", b"z")
    (problem,) = reading.problems
    assert problem.reason.startswith("3 malformed lines skipped, the first is line 1: ")


def test_nothing_but_malformed_lines_is_a_failure_and_an_empty_file_is_not(tmp_path: Path) -> None:
    assert not read_posts(tmp_path, b"x", b"y").searchable
    empty = read_posts(tmp_path)
    assert (empty.documents, empty.problems, empty.searchable) == ((), (), True)


def test_invalid_bytes_are_named_and_the_row_is_kept(tmp_path: Path) -> None:
    line = json.dumps(POST).encode().replace(b"Signing", b"Sign\xffing")
    reading = read_posts(tmp_path, line, {**POST, "id": "p-2"})
    assert [row.post.id for row in reading.documents] == ["p-1", "p-2"]
    assert len(reading.problems) == 1 and "UTF-8" in reading.problems[0].reason


# Comments


def test_comments_are_rows_that_are_never_searched_themselves(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "board_comments.jsonl", COMMENT, {**COMMENT, "id": "c-2", "expires_at": 7}, b"x"
    )
    reading = read_board_file(file)
    assert reading.documents == (Comment("c-1", "p-1", 0.0), Comment("c-2", "p-1", 7.0))
    assert not reading.searchable
    assert [problem.reason for problem in reading.problems] == [
        "1 malformed line skipped, the first is line 3: invalid JSON"
    ]


# Anything at all

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("name", ["board_posts.jsonl", "board_comments.jsonl"])
@given(
    rows=st.lists(
        st.fixed_dictionaries({}, optional=dict.fromkeys((*POST, *COMMENT), json_values)) | json_values,
        max_size=3,
    )
)
def test_no_json_makes_it_raise(tmp_path_factory: pytest.TempPathFactory, name: str, rows: list[Any]) -> None:
    file = tmp_path_factory.getbasetemp() / name
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    reading = read_board_file(file)
    assert len(reading.documents) == len(rows) if not reading.problems else len(reading.documents) < len(rows)


@pytest.mark.parametrize("name", ["board_posts.jsonl", "board_comments.jsonl"])
@given(data=st.binary() | st.text('{}[]",:1e-\n\r id').map(str.encode))
def test_no_bytes_make_it_raise(tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / name
    file.write_bytes(data)
    assert all(problem.path == str(file) for problem in read_board_file(file).problems)
