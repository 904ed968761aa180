"""LSP lines, positions and encodings against a table and against slow, obvious references."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lsp_server.text import (
    Encoding,
    column_from_client,
    column_to_client,
    line_at,
    range_to_client,
    split_lines,
    text_in_range,
)

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

encodings = st.sampled_from(ENCODINGS)
line_ends = st.sampled_from(["\n", "\r\n", "\r"])
letters = st.one_of(
    st.sampled_from("aé한😀𝒳\u0301\u2028\x0c\ufeff"), st.characters(exclude_characters="\r\n")
)
lines = st.text(letters, max_size=12)
sources = st.lists(st.one_of(lines, line_ends), max_size=12).map("".join)


def units(text: str, encoding: Encoding) -> int:
    return len(text.encode(CODECS[encoding], "surrogatepass")) // UNIT_BYTES[encoding]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\rb", ["a", "b"]),
        ("a\r\rb", ["a", "", "b"]),
        ("a\n\rb", ["a", "", "b"]),
        ("\ufeffa\nb", ["\ufeffa", "b"]),
        ("a\fb\vc\nd", ["a\fb\vc", "d"]),
        ("a\u2028b\u2029c\u0085d\x1ce\ne", ["a\u2028b\u2029c\u0085d\x1ce", "e"]),
        ("😀\n한글\n", ["😀", "한글", ""]),
    ],
)
def test_lines(source: str, expected: list[str]) -> None:
    assert [line_at(source, number) for number in range(len(expected))] == expected
    assert line_at(source, len(expected)) is None
    assert line_at(source, -1) is None


@given(source=sources, number=st.integers(min_value=0, max_value=14))
def test_line_at_equals_a_whole_split(source: str, number: int) -> None:
    every = re.split(r"\r\n|\n|\r", source)
    assert line_at(source, number) == (every[number] if number < len(every) else None)


@given(source=sources)
def test_split_lines(source: str) -> None:
    split = split_lines(source)
    assert "".join(split) == source
    assert [line.rstrip("\r\n") for line in split] == re.split(r"\r\n|\n|\r", source)[: len(split)]
    assert all(line and not re.search(r"[\r\n]", re.sub(r"(\r\n|\n|\r)\Z", "", line)) for line in split)


@given(text=st.text(st.sampled_from("ab\r\n"), max_size=20))
def test_split_lines_agrees_with_python_on_common_line_ends(text: str) -> None:
    assert split_lines(text) == text.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "column", "utf8", "utf16"),
    [
        ("abc", 2, 2, 2),
        ("😀x", 1, 4, 2),
        ("a😀b", 2, 5, 3),
        ("한글x", 2, 6, 2),
        ("e\u0301x", 2, 3, 2),
        ("é", 1, 2, 1),
        ("\ufeffx", 1, 3, 1),
        ("\fx", 1, 1, 1),
        ("\u2028x", 1, 3, 1),
        ("𝒳𝒴z", 2, 8, 4),
        ("👩‍💻x", 3, 11, 5),
        ("\ud800x", 1, 3, 1),
    ],
)
def test_columns(line: str, column: int, utf8: int, utf16: int) -> None:
    table: dict[Encoding, int] = {"utf-8": utf8, "utf-16": utf16, "utf-32": column}
    for encoding, character in table.items():
        assert column_to_client(line, column, encoding) == character
        assert column_from_client(line, character, encoding) == column


@pytest.mark.parametrize(
    ("line", "character", "encoding", "column"),
    [
        ("a😀b", 2, "utf-16", 1),
        ("a😀b", 2, "utf-8", 1),
        ("a😀b", 4, "utf-8", 1),
        ("한", 1, "utf-8", 0),
        ("한", 2, "utf-8", 0),
        ("abc", 99, "utf-16", 3),
        ("😀", 99, "utf-8", 1),
        ("😀", 99, "utf-32", 1),
        ("", 5, "utf-16", 0),
        ("abc", -1, "utf-16", 0),
        ("😀", -1, "utf-16", 0),
    ],
)
def test_columns_inside_a_character_and_outside_the_line(
    line: str, character: int, encoding: Encoding, column: int
) -> None:
    assert column_from_client(line, character, encoding) == column


@given(line=lines, column=st.integers(min_value=-2, max_value=15), encoding=encodings)
def test_column_to_client_counts_units(line: str, column: int, encoding: Encoding) -> None:
    clamped = max(0, min(column, len(line)))
    character = column_to_client(line, column, encoding)
    assert character == units(line[:clamped], encoding)
    assert column_from_client(line, character, encoding) == clamped


@given(line=lines, character=st.integers(min_value=0, max_value=60), encoding=encodings)
def test_column_from_client_is_the_last_start_not_past_it(
    line: str, character: int, encoding: Encoding
) -> None:
    starts = [column for column in range(len(line) + 1) if units(line[:column], encoding) <= character]
    assert column_from_client(line, character, encoding) == max(starts)


def test_an_enumeration_member_serves_as_encoding() -> None:
    kind = types.PositionEncodingKind.Utf16
    assert column_to_client("😀x", 1, kind) == 2  # type: ignore[arg-type]
    assert column_from_client("😀x", 2, kind) == 1  # type: ignore[arg-type]


def test_range_to_client() -> None:
    expected = types.Range(types.Position(7, 3), types.Position(7, 5))
    assert range_to_client(7, "a😀bc", 2, 4, "utf-16") == expected


def selection(*ends: int) -> types.Range:
    return types.Range(types.Position(ends[0], ends[1]), types.Position(ends[2], ends[3]))


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0, 0, 0, 2), "😀"),
        ((0, 2, 1, 1), "b\r\n한"),
        ((1, 1, 0, 2), "b\r\n한"),
        ((0, 0, 2, 99), "😀b\r\n한글\rend"),
        ((0, 1, 0, 1), ""),
        ((0, 1, 0, 3), "😀b"),
        ((2, 0, 9, 0), "end"),
        ((8, 0, 9, 0), ""),
        ((0, 99, 1, 0), "\r\n"),
    ],
)
def test_text_in_range(ends: tuple[int, int, int, int], expected: str) -> None:
    assert text_in_range("😀b\r\n한글\rend", selection(*ends), "utf-16") == expected


@given(source=sources, encoding=encodings, data=st.data())
def test_text_in_range_equals_a_slice(source: str, encoding: Encoding, data: st.DataObject) -> None:
    def position(offset: int) -> types.Position:
        before = re.split(r"\r\n|\n|\r", source[:offset])
        return types.Position(len(before) - 1, units(before[-1], encoding))

    inside_an_end = {match.start() + 1 for match in re.finditer(r"\r\n", source)}
    offsets = st.integers(0, len(source)).filter(lambda offset: offset not in inside_an_end)
    first, last = data.draw(offsets), data.draw(offsets)
    chosen = types.Range(position(first), position(last))
    assert text_in_range(source, chosen, encoding) == source[min(first, last) : max(first, last)]
