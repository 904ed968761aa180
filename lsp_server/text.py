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

_CODECS: dict[Encoding, str] = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_UNIT_BYTES: dict[Encoding, int] = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
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
    data = _encode(line, encoding)
    cut = max(0, min(character * _UNIT_BYTES[encoding], len(data)))
    while cut < len(data) and _continues(data, cut, encoding):
        cut -= _UNIT_BYTES[encoding]
    return len(data[:cut].decode(_CODECS[encoding], "surrogatepass"))


def column_to_client(line: str, column: int, encoding: Encoding) -> int:
    """Code points to client units, clamped to the line."""
    column = max(0, min(column, len(line)))
    if encoding == "utf-32" or line.isascii():
        return column
    return len(_encode(line[:column], encoding)) // _UNIT_BYTES[encoding]


def range_to_client(line_number: int, line: str, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range of `line[start:end]` in the client's units."""
    return types.Range(
        start=types.Position(line_number, column_to_client(line, start, encoding)),
        end=types.Position(line_number, column_to_client(line, end, encoding)),
    )


def position_at(source: str, offset: int, encoding: Encoding) -> types.Position:
    """The position of an offset into the text; that of the text's end is the last line's end."""
    lines = split_lines(source[:offset])
    if not lines or lines[-1].endswith(("\n", "\r")):
        return types.Position(len(lines), 0)
    return types.Position(len(lines) - 1, column_to_client(lines[-1], len(lines[-1]), encoding))


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
    start = _line_start(source, number)
    if start is None:
        return None
    after = _LINE_END.search(source, start)
    return start, after.start() if after else len(source)


def _line_start(source: str, number: int) -> int | None:
    if number == 0:
        return 0
    if "\r" not in source:
        # Much faster than a pattern, and a large document is asked for a line at every hover.
        pieces = source.split("\n", number)
        return len(source) - len(pieces[number]) if len(pieces) > number else None
    before = next(islice(_LINE_END.finditer(source), number - 1, None), None)
    return None if before is None else before.end()


def _encode(text: str, encoding: Encoding) -> bytes:
    return text.encode(_CODECS[encoding], "surrogatepass")


def _continues(data: bytes, at: int, encoding: Encoding) -> bool:
    """Whether the unit at a byte offset goes on with a character that began before it."""
    if encoding == "utf-8":
        return at > 0 and data[at] & 0xC0 == 0x80
    # The second half of a surrogate pair; a lone one is a character of its own.
    return at > 1 and data[at + 1] & 0xFC == 0xDC and data[at - 1] & 0xFC == 0xD8
