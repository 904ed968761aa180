"""What stands under the cursor: an error code, a file name, an id, a symbol, or nothing (design.md).

Nothing is the common answer, and the line alone decides. Recognisers are tried in order, from what is
unmistakable to what is merely a word; the first that covers the cursor wins:

1. nothing: inside a web address or a mail address no part is worth a lookup
2. id: work plans, board posts and comments, memory facts, issues, commits, UUIDs
3. file name: before error codes, so that `docs/E0308.md` is a file; after ids, so that
   `archive/WP-ST-69.md` is the plan where the cursor is on its id
4. error code: first what its surroundings make a code (`noqa:`, `SQLSTATE`), then what its shape does
5. nothing: versions and colours
6. symbol: a package, a hyphenated name, or the identifier itself

The cursor stands before a character. Editors also place it right after a word, so when the character
under it is no part of a word, or a particle written onto it, the one before it is tried; and where a sigil
leads a name (`@route`, `$HOME`), the name is taken.

A pattern enters a run of repeated characters only at its start (a look-behind), and no repetition
contains an ambiguous one, so that none runs away; and all work happens in a window around the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from lsp_server.core.model import MAX_QUERY_CHARACTERS
from lsp_server.cursor.codes import code_by_shape, code_in_context, listed_rule
from lsp_server.cursor.files import file_uri, linked_file, plain_file, quoted_file
from lsp_server.cursor.ids import work_item_id
from lsp_server.cursor.symbols import is_word, package, symbol
from lsp_server.cursor.target import Target, match_over

WINDOW_CHARACTERS = 1024
"""How far the line is read to either side of the cursor; a minified line can have a megabyte."""


def find_target(line: str, column: int) -> Target | None:
    """The thing under the cursor that stands before `line[column]`, or `None`."""
    column = max(0, min(column, len(line)))
    origin = max(0, column - WINDOW_CHARACTERS)
    window = line[origin : column + WINDOW_CHARACTERS]
    target = _at_cursor(window, column - origin)
    if target is None or not _worth_asking(target.text):
        return None
    cut_left = target.start == 0 and origin > 0
    cut_right = target.end == len(window) and origin + len(window) < len(line)
    if cut_left or cut_right:
        return None
    return replace(target, start=target.start + origin, end=target.end + origin)


def _at_cursor(line: str, column: int) -> Target | None:
    if 0 < column < len(line) and _is_ascii_word(line[column - 1]) and not line[column].isascii():
        # Korean writes a particle onto the name, Chinese and Japanese the next word.
        target = _covering(line, column - 1)
        if target is not None and target.end == column:
            return target
    if column < len(line):
        target = _covering(line, column)
        if target is not None:
            return target
        if is_word(line[column]):
            return None
    if column > 0:
        target = _covering(line, column - 1)
        if target is not None:
            return target
    sigil = _SIGIL.match(line, column)
    if sigil is None or (column > 0 and is_word(line[column - 1])):
        return None
    target = _covering(line, sigil.end())
    return replace(target, start=column) if target is not None and target.start == sigil.end() else None


def _is_ascii_word(letter: str) -> bool:
    return letter.isascii() and is_word(letter)


_SIGIL = re.compile(r"(?:[.#$:]|@{1,2}|\$\{)(?=[^\W\d])")


def _covering(line: str, column: int) -> Target | None:
    if match_over(_ADDRESS, line, column):
        return None
    for recognise in _RECOGNISERS:
        target = recognise(line, column)
        if target is not None:
            return target
    return None


def _worth_asking(text: str) -> bool:
    return 0 < len(text) <= MAX_QUERY_CHARACTERS and text.isprintable() and not text.isspace()


_ADDRESS = re.compile(
    r"""
    (?<![A-Za-z0-9+.-]) (?!file:) [A-Za-z][A-Za-z0-9+.-]* ://           # any scheme; user and password too
        [^\s<>"'`()]* (?: \( [^\s<>"'`()]* \) [^\s<>"'`()]* )*
    | (?<![\w.-]) www\. [^\s<>"'`()]+
    | (?<=["'(]) // [\w-]+ \. [^\s<>"'`()]+                             # "//cdn.example.com/a.js"
    | (?<![\w.+-]) [\w.+-]+ @ [\w-]+ (?: \.[\w-]+ )* \.[A-Za-z]{2,}     # mail
        (?: : [\w./~-]+ )?                                              # git@host:path
    | (?<![\w./\\-]) [\w-]+ (?: \.[\w-]+ )* \.(?:com|org|net|edu|gov) (?![\w(.-])
    """,
    re.VERBOSE,
)

_RECOGNISERS: tuple[Callable[[str, int], Target | None], ...] = (
    work_item_id,
    linked_file,
    file_uri,
    quoted_file,
    plain_file,
    listed_rule,
    code_in_context,
    code_by_shape,
    package,
    symbol,
)
