"""Error codes: first what its surroundings make a code, then what its shape does."""

from __future__ import annotations

import re

from lsp_server.cursor.known_codes import (
    CODES_IN_CONTEXT,
    ERROR_CONSTANTS,
    ERROR_NAMES,
    HEX_CODES,
    NO_CODES,
    NUMBERED_STANDARDS,
    RULE_LISTS,
    RULE_NAME,
)
from lsp_server.cursor.symbols import ASCII_WORD
from lsp_server.cursor.target import Target, match_over

_RULE = re.compile(RULE_NAME)
_DIRECTIVE = re.compile(
    rf"(?:{'|'.join(RULE_LISTS)})(?P<rules>{RULE_NAME}(?:[\"']?[ ]*,[ ]*[\"']?{RULE_NAME})*)"
)
_IN_CONTEXT = tuple(re.compile(pattern) for pattern in CODES_IN_CONTEXT)
_DIAGNOSTIC_OF_EDITOR = re.compile(r"\bts\((?P<number>\d{4,5})\)")
_PRAGMA_OF_MSVC = re.compile(r"\bpragma warning\s*\([^():]*:(?P<numbers>[\d\s]*)\)")
_NUMBERED_CODE = re.compile(r"(?P<stem>[A-Z]{1,8})\d{3,7}|(?:DB2|[A-Z]{3,7})\d{3,5}[ACEINW]")
_HEX_CODE = re.compile(f"(?i:{'|'.join(HEX_CODES)})")
_ERROR_CONSTANT = re.compile("|".join(ERROR_CONSTANTS))


def listed_rule(line: str, column: int) -> Target | None:
    """A rule in a list that switches rules off or on: `# noqa: E501,F401`."""
    match = match_over(_DIRECTIVE, line, column, "rules")
    if match is None:
        return None
    for rule in _RULE.finditer(line, match.start("rules"), match.end("rules")):
        if rule.start() <= column < rule.end():
            return Target("error_code", rule[0], *rule.span())
    return None


def code_in_context(line: str, column: int) -> Target | None:
    """A code that only its surroundings make one: `SQLSTATE 23505`, `[Errno 13]`."""
    for pattern in _IN_CONTEXT:
        match = match_over(pattern, line, column, "code")
        if match is not None:
            return Target("error_code", match["code"], *match.span("code"))
    match = match_over(_CLOSING_RULE, line, column, "code")
    if match is not None and _closes_a_message(match, line[: match.start()]):
        return Target("error_code", match["code"], *match.span("code"))
    match = match_over(_DIAGNOSTIC_OF_EDITOR, line, column, "number")
    if match is not None:
        return Target("error_code", "TS" + match["number"], *match.span("number"))
    match = match_over(ASCII_WORD, line, column)
    if match is not None and match[0].isdigit() and match_over(_PRAGMA_OF_MSVC, line, column, "numbers"):
        return Target("error_code", "C" + match[0], *match.span())
    return None


def _closes_a_message(rule: re.Match[str], message: str) -> bool:
    """Whether a linter's message ends with its rule's name: `x.py:3: error: Missing return  [return]`."""
    if rule[0].startswith("[") or re.search(r"[-/:]", rule["code"]):
        return _SEVERITY.search(message) is not None or _PLACE.search(message) is not None
    if "_" in rule["code"]:
        return re.search(r"\b[Ww]arning: |\bViolation: ", message) is not None
    return _PLACE_IN_SCRIPT.match(message) is not None and _SEVERITY.search(message) is None


_CLOSING_RULE = re.compile(
    r"(?<!\S)[\[(](?P<code>@?[A-Za-z]\w+(?:[-/:]\w+)*)(?:,-?[a-z][\w.-]*)*[\])][ \t]*$"
)
_SEVERITY = re.compile(
    r"\b(?:[Ee]rror|[Ww]arning|note|[CEFIRW]\d{4}|information|performance|portability|style):|\[(?:error|warning)\]"
)
_PLACE = re.compile(r"\.[A-Za-z]\w{0,9}:\d{1,6}(?::\d{1,6})?: ")
_PLACE_IN_SCRIPT = re.compile(r"\S+\.(?:go|[cm]?jsx?|tsx?|vue|svelte):\d+:\d+: ")


def code_by_shape(line: str, column: int) -> Target | None:
    """A code that stands for itself: `E0308`, `ECONNREFUSED`, `0x80070005`."""
    match = match_over(ASCII_WORD, line, column)
    if match is None:
        return None
    word = match[0]
    before, after = line[: match.start()], line[match.end() :]
    numbered = _NUMBERED_CODE.fullmatch(word)
    if numbered is None:
        is_code = word in ERROR_NAMES or any(shape.fullmatch(word) for shape in (_HEX_CODE, _ERROR_CONSTANT))
    elif numbered["stem"] in NUMBERED_STANDARDS and not _LETTER_OF_CODES.fullmatch(word):
        is_code = False
    else:
        # Not a colour (#E50100), a code point (U+E000), a call, or the start of a longer number.
        is_code = word not in NO_CODES and not before.endswith(("#", "+", "$", "@"))
        is_code = is_code and not re.match(r"\(|-\d", after)
    return Target("error_code", word, *match.span()) if is_code else None


_LETTER_OF_CODES = re.compile(r"[AHPSVX]\d{3,4}")
