"""Symbols: identifiers of every script, packages, hyphenated names; and what is merely a word."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from lsp_server.cursor.known_codes import NUMBERED_STANDARDS
from lsp_server.cursor.target import Target, match_over
from lsp_server.cursor.words import (
    FUNCTION_WORDS,
    KEYWORDS,
    KEYWORDS_BEHIND_DOTS,
    KEYWORDS_THAT_NAME_MEMBERS,
    MIXED_CASE_KEYWORDS,
    POSTPOSITIONS,
    SHOUTED_KEYWORDS,
)

ASCII_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9_]+(?![A-Za-z0-9_])")
_VERSION = re.compile(
    r"(?<![\w.])[vV]?\d+(?:\.\d+)+(?:[-+.]?[A-Za-z][\w+-]*(?:\.\d+)*)?(?!\w)|(?<![\w.-])[vV]\d+(?!\w)"
)
_COLOUR = re.compile(r"(?<![\w&])#(?P<hex>[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3,4})(?!\w)")

_PACKAGE = re.compile(r"(?<![\w.@/])@[a-z0-9][\w.-]*/[a-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
_RUN_PART = re.compile(r"[^-]+")


def package(line: str, column: int) -> Target | None:
    """A scoped package, which is one name: `@scope/name`."""
    match = match_over(_PACKAGE, line, column)
    return Target("symbol", match[0], *match.span()) if match else None


def symbol(line: str, column: int) -> Target | None:
    """The identifier under the cursor, or the whole hyphenated name, unless it is a version or a colour."""
    if match_over(_VERSION, line, column) or _is_colour(line, column):
        return None
    start, end = _run_around(line, column, also="-")
    compound = _compound(line, start, end, column)
    if compound is None:
        start, end = _run_around(line, column)
        start, end = _without_neighbours(line, start, end, column)
    else:
        start, end = compound
    while start < end and not (line[start].isalnum() or line[start] == "_"):
        start += 1  # a combining mark that follows something that is no letter, such as an emoji
    text = line[start:end]
    if not start <= column < end or _is_quiet(text, line[:start], line[end:]):
        return None
    return Target("symbol", text, start, end)


def _run_around(line: str, column: int, also: str = "") -> tuple[int, int]:
    start = end = column
    while start > 0 and (is_word(line[start - 1]) or line[start - 1] in also):
        start -= 1
    while end < len(line) and (is_word(line[end]) or line[end] in also):
        end += 1
    return (start, end) if column < end else (column, column)


def _compound(line: str, start: int, end: int, column: int) -> tuple[int, int] | None:
    """The hyphenated name under the cursor (Lisp, CSS, tags, prose), unless the hyphen subtracts.

    A name's parts are words of one case without snake or hump; at least one has three letters. A number
    belongs to it only inside (`us-east-1`) or after a stem that is known to take one (`UTF-8`).
    """
    bem = line[start - 1 : start] == "." or "__" in line[start:end]
    pieces: list[tuple[int, int]] = []
    for match in _RUN_PART.finditer(line, start, end):
        gap = match.start() - pieces[-1][1] if pieces else 0
        if gap > (2 if bem else 1):
            if pieces[0][0] <= column < pieces[-1][1]:
                break
            pieces = []
        pieces.append(match.span())
    while pieces and line[pieces[0][0]].isdigit():
        pieces.pop(0)
    version = re.match(r"\.\d", line[end:]) is not None
    while pieces and line[pieces[-1][0]].isdigit():
        known = len(pieces) == 2 and line[slice(*pieces[0])].upper() in NUMBERED_STANDARDS
        if (known or len(pieces) > 2) and not version:
            break
        pieces.pop()
    if len(pieces) < 2:
        return None
    name = ASCII_WORD.match(line, pieces[-1][0])
    if name is not None and _plain_nfc(line[name.end() : pieces[-1][1]]) in POSTPOSITIONS:
        pieces[-1] = name.span()
    first, last = pieces[0][0], pieces[-1][1]
    words = [line[slice(*piece)] for piece in pieces]
    if not first <= column < last or _subtracts(words, line[:first], line[last:], bem):
        return None
    return first, last


def _subtracts(words: list[str], before: str, after: str, bem: bool) -> bool:
    if not bem and any("_" in word.strip("_") or _has_hump(word) for word in words):
        return True
    if all(len(word) < 2 for word in words):
        return True
    # No language that ends a statement with `;` has hyphens in its names.
    if re.search(r"(?:\w\s*[-+]?=|\breturn)\s*$", before) and after.startswith(";"):
        return True
    if len(words) == 2 and len(words[0]) < 2:
        # `x-axis` in prose, but `(n-len);` in code.
        return re.search(r"[=+*/<(]\s*$", before) is not None or re.match(r"\s*[;+*/<>]", after) is not None
    if re.match(r"\)?\[", after):
        return True
    # `.length-1` and `a.end-a.start` in code, but `div.btn-primary` and `[tool.pytest-asyncio]`.
    member_before = re.search(r"[\w)]\.$", before) is not None
    member_after = re.match(r"\.\w", after) is not None
    counted = len(words) == 2 and not _COUNTED.isdisjoint(words) and (member_before or member_after)
    return counted or (member_before and member_after)


_COUNTED = frozenset("count len length self size this".split())


def _has_hump(word: str) -> bool:
    return any(before.islower() and here.isupper() for before, here in pairwise(word))


def _without_neighbours(line: str, start: int, end: int, column: int) -> tuple[int, int]:
    """An ASCII name taken out of the words that Korean, Chinese and Japanese write onto it without a blank."""
    text = line[start:end]
    match = match_over(ASCII_WORD, line, column) or (ASCII_WORD.match(line, start) if column < end else None)
    if match is None or text.isascii() or not start <= match.start() < match.end() <= end:
        return start, end
    head, tail = line[start : match.start()], line[match.end() : end]
    if not match[0][0].isdigit() and not head and _plain_nfc(tail) in POSTPOSITIONS:
        return match.span()
    around = (head[-1:], tail[:1])
    if is_structured(match[0]) and all(not letter or _is_unspaced(letter) for letter in around):
        return match.span()
    return start, end


def _plain_nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _is_unspaced(letter: str) -> bool:
    """Whether the letter belongs to a script that puts no blanks between words (kana and Han)."""
    return (
        "\u3040" <= letter <= "\u30ff"
        or "\u3400" <= letter <= "\u9fff"
        or "\U00020000" <= letter <= "\U0003ffff"
    )


def is_word(letter: str) -> bool:
    """Unicode's XID_Continue and the joiners, but not the middle dot that separates words in Korean prose."""
    return letter in "\u200c\u200d" or (letter not in "\u00b7\u0387" and f"a{letter}".isidentifier())


def _is_quiet(text: str, before: str, after: str) -> bool:
    """Whether nobody would look the word up: a keyword, a function word, a number, a single letter."""
    core = _plain_nfc(text.strip("_"))
    letters = [letter for letter in core if letter.isalnum()]
    if len(letters) < 2 or text[0].isdigit() or not any(letter.isalpha() for letter in letters):
        return True
    lower = core.lower()
    one_case = core in (lower, core.upper())
    is_member = before.endswith((".", "->", "::")) and lower not in KEYWORDS_BEHIND_DOTS
    is_name = is_member or _DEFINES.search(before) is not None
    return (
        (lower in KEYWORDS and one_case and not is_name)
        or (lower in SHOUTED_KEYWORDS and core.isupper() and not is_name)
        or (
            lower in KEYWORDS_THAT_NAME_MEMBERS
            and one_case
            and core == text
            and not (is_name or (core.islower() and _USES_A_NAME.match(after)))
        )
        or lower in FUNCTION_WORDS
        or (
            text in MIXED_CASE_KEYWORDS and not (is_name or (text[0] != "_" and after.startswith(("(", "."))))
        )
    )


_DEFINES = re.compile(r"(?<!\w)(?:class|def|fn|fun|func|function|struct|enum|interface|trait)[ ]+$")
_USES_A_NAME = re.compile(r"[(.]|[ ]*=(?![=>])")
"""What stands behind a name and never behind a keyword: a call, a member, an assignment."""


def _is_colour(line: str, column: int) -> bool:
    match = match_over(_COLOUR, line, column)
    if match is None:
        return False
    in_value = re.search(r"[:,\"'(=]\s*$", line[: match.start()]) is not None
    return in_value or any(letter.isdigit() for letter in match["hex"]) or len(set(match["hex"].lower())) == 1


def is_structured(text: str) -> bool:
    """Whether an identifier is distinctive by its shape (design.md, "Quiet means distinctive").

    Structure is a separator inside (snake, kebab, dots, `::`, a slash), a digit, or an inner hump. A plain
    word is not structured, capitalised or not, nor is a word of a script without case.
    """
    core = text.strip("_")
    if not any(letter.isalpha() for letter in core):
        return False
    if any(letter.isdigit() for letter in core) or _SEPARATED.search(core):
        return True
    return any(
        (before.islower() and here.isupper())
        # `HTTPServer` has a hump, the plural `URLs` has none.
        or (before.isupper() and here.isupper() and after.islower() and later.islower())
        for before, here, after, later in zip(core, core[1:], core[2:] + " ", core[3:] + "  ", strict=False)
    )


_SEPARATED = re.compile(r"\w(?:_|-+|\.|::|->|[/\\$])\w")
