"""Reading one text file: encodings, line ends, sizes, and what is no file."""

from __future__ import annotations

import codecs
import os
import threading
from pathlib import Path

import pytest
from files_on_disk import link
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.sources.text_file import is_absent, is_by_product, open_without_waiting, read_bytes, read_text

TEXT = "Größe 배포 😀\nsecond line\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_the_encoding_and_is_no_text(
    tmp_path: Path, mark: bytes, encoding: str
) -> None:
    file = tmp_path / "page.md"
    file.write_bytes(mark + TEXT.encode(encoding))
    assert read_text(file) == (TEXT, None)


@pytest.mark.parametrize("data", [b"a\r\nb\rc\n", b"a\nb\r\nc\r"])
def test_every_line_end_becomes_a_line_feed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "page.md").write_bytes(data)
    assert read_text(tmp_path / "page.md") == ("a\nb\nc\n", None)


def test_line_separators_and_form_feeds_are_no_line_ends(tmp_path: Path) -> None:
    text = "a\u2028b\x0cc\x85d\n"
    (tmp_path / "page.md").write_bytes(text.encode())
    assert read_text(tmp_path / "page.md") == (text, None)


def test_an_empty_file_and_a_lone_mark_are_empty_texts(tmp_path: Path) -> None:
    for data in (b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE):
        (tmp_path / "page.md").write_bytes(data)
        assert read_text(tmp_path / "page.md") == ("", None)


def test_invalid_bytes_are_replaced_and_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_bytes(b"before \xff\xfe\xfd after\r\nlast")
    text, problem = read_text(file)
    assert text is not None and text.startswith("before ") and text.endswith(" after\nlast")
    assert problem is not None and problem.path == str(file) and "UTF-8 at byte 7" in problem.reason


def test_half_a_utf16_character_is_replaced_and_named(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_bytes(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00")
    text, problem = read_text(file)
    assert text == "ab\ufffd"
    assert problem is not None and "UTF-16-LE" in problem.reason


def test_the_size_limit_includes_its_last_byte(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_bytes(b"x" * 10)
    assert read_text(file, max_bytes=10) == ("x" * 10, None)
    text, problem = read_text(file, max_bytes=9)
    assert text is None
    assert problem is not None and problem.reason == "has 10 bytes; the setting maxFileBytes allows 9"


def test_a_file_that_tells_no_size_is_limited_as_it_is_read() -> None:
    endless = Path("/proc/self/maps")
    if not endless.exists():
        pytest.skip("no such file here")
    data, problem = read_bytes(endless, max_bytes=3)
    assert data is None
    assert problem is not None and "allows 3" in problem.reason


def test_what_is_no_file_is_named_with_the_reason(tmp_path: Path) -> None:
    assert read_text(tmp_path)[1].reason == "not a regular file"  # type: ignore[union-attr]
    text, problem = read_text(tmp_path / "missing.md")
    assert text is None
    assert problem is not None and problem.path == str(tmp_path / "missing.md") and problem.reason


def test_a_loop_of_links_is_named_with_the_reason(tmp_path: Path) -> None:
    text, problem = read_text(link(tmp_path / "loop.md", "loop.md"))
    assert text is None
    assert problem is not None and problem.reason


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "page.md"
    os.mkfifo(pipe)
    answers: list[object] = []

    def read() -> None:
        answers.append(read_text(pipe))
        with open_without_waiting(pipe) as file:
            answers.append(file.read())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(5)
    assert not reader.is_alive(), "still waiting for a writer"
    text, problem = answers[0]  # type: ignore[misc]
    assert text is None and problem.reason == "not a regular file"
    assert answers[1] == b""


@given(st.binary())
def test_no_bytes_make_it_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.md"
    file.write_bytes(data)
    text, problem = read_text(file)
    assert text is not None and "\r" not in text
    assert problem is None or problem.path == str(file)


def test_what_does_not_exist_is_absent(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    assert is_absent(tmp_path / "no" / "such" / "store")
    assert is_absent(tmp_path / "file" / "store")
    assert is_absent(tmp_path / "folder" / "store")
    assert not is_absent(tmp_path / "file")
    assert not is_absent(tmp_path / "folder")


def test_what_a_broken_link_leads_to_is_not_absent_but_unreadable(tmp_path: Path) -> None:
    link(tmp_path / "gone", "nowhere")
    link(tmp_path / "loop", "loop")
    assert not is_absent(tmp_path / "gone")
    assert not is_absent(tmp_path / "gone" / "keepers" / "deeper")
    assert not is_absent(tmp_path / "loop")
    assert not is_absent(tmp_path / "loop" / "keepers")


def test_what_a_sound_link_does_not_hold_is_absent(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link(tmp_path / "to-folder", "folder")
    assert is_absent(tmp_path / "to-folder" / "store")


def test_a_name_that_is_too_long_is_not_taken_for_absent(tmp_path: Path) -> None:
    place = tmp_path / ("x" * 5000)
    if os.name == "nt":
        pytest.skip("such a name is merely missing here")
    assert not is_absent(place)


@pytest.mark.parametrize(
    ("name", "expected"),
    [(".#page.md", True), ("._page.md", True), (".page.md", False), ("page.md", False), ("#page.md", False)],
)
def test_by_products_of_editors_and_copies(name: str, expected: bool) -> None:
    assert is_by_product(name) is expected
