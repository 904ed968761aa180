r"""LSP lines, positions and encodings (LSP 3.17 §textDocuments and §positions).

A line ends at `\r\n`, `\n` or `\r` and nowhere else: a form feed or U+2028 is an ordinary character, unlike
in `str.splitlines`. A column counts units of the encoding that client and server agreed on; inside this
package every column counts code points, and this module is the only bridge between the two.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from lsprotocol import types

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def line_at(source: str, number: int) -> str | None:
    """The line `number` (0-based) without its end; `None` past the last line.

    A text that ends with a line end has an empty last line, where a cursor can stand.
    """
    span = _line_span(source, number)
    return None if span is None else source[span[0] : span[1]]


def split_lines(source: str) -> list[str]:
    """All lines with their ends, in the shape of `str.splitlines(keepends=True)` under LSP's rules.

    As there, no empty string follows a final line end, so that joining gives the source back.
    """
    return _LINE_WITH_END.findall(source)


def column_from_client(line: str, character: int, encoding: Encoding) -> int:
    """Client units to code points, clamped to the line.

    LSP 3.17 §position: a character beyond the line's length means the line's end. A position inside a
    surrogate pair or a multi-byte character goes to the start of that character.
    """
    if encoding == "utf-32" or line.isascii():
        return max(0, min(character, len(line)))
    units = 0
    for column, letter in enumerate(line):
        units += _width(letter, encoding)
        if units > character:
            return column
    return len(line)


def column_to_client(line: str, column: int, encoding: Encoding) -> int:
    """Code points to client units, clamped to the line."""
    column = max(0, min(column, len(line)))
    if encoding == "utf-32" or line.isascii():
        return column
    return sum(_width(letter, encoding) for letter in line[:column])


def range_to_client(line_number: int, line: str, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range of `line[start:end]` in the client's units."""
    return types.Range(
        start=types.Position(line_number, column_to_client(line, start, encoding)),
        end=types.Position(line_number, column_to_client(line, end, encoding)),
    )


def text_in_range(source: str, range_: types.Range, encoding: Encoding) -> str:
    """The text that a client selected, with its line ends as they are.

    Ends outside the text are clamped, and a range whose end lies before its start is read the other way
    round: a selection made backwards is still a selection.
    """
    first, last = sorted(_offset_at(source, position, encoding) for position in (range_.start, range_.end))
    return source[first:last]


def _offset_at(source: str, position: types.Position, encoding: Encoding) -> int:
    if position.line < 0:
        return 0
    span = _line_span(source, position.line)
    if span is None:
        return len(source)
    start, end = span
    return start + column_from_client(source[start:end], position.character, encoding)


def _line_span(source: str, number: int) -> tuple[int, int] | None:
    """Where a line starts and ends, found without splitting the whole text."""
    if number < 0:
        return None
    start = 0
    if number > 0:
        before = next(islice(_LINE_END.finditer(source), number - 1, None), None)
        if before is None:
            return None
        start = before.end()
    after = _LINE_END.search(source, start)
    return start, after.start() if after else len(source)


def _width(letter: str, encoding: Encoding) -> int:
    """How many units one code point takes (a lone surrogate counts as UTF-8 would write it: three bytes)."""
    code = ord(letter)
    if encoding == "utf-16":
        return 1 if code < 0x10000 else 2
    if encoding == "utf-8":
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return 1
