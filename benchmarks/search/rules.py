"""What "contains" means, stated a second time with the standard library alone.

The contestants are measured with it and the reference is built on it, so that neither a check nor a peer depends
on the code that is being judged; `run.py` compares it with `lsp_server.core.matching` before it starts.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

MAX_QUERY_CHARACTERS = 200
BM25_K1 = 1.5
BM25_B = 0.75


class Term(NamedTuple):
    """A folded needle. One of one or two ASCII letters or digits counts only as a word of its own."""

    folded: str
    bounded: bool


def fold(text: str) -> str:
    r"""`text` case-folded in NFC, with every line end as `\n`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def term_of(text: str) -> Term:
    """`text`, a whole query or a word of it, as one term."""
    return Term(fold(text), len(text) <= 2 and text.isascii() and text.isalnum())


def terms_of(query: str) -> list[Term]:
    """The distinct white-space terms of a query in order."""
    return list(dict.fromkeys(map(term_of, query.split())))


def tokens_of(query: str) -> list[str]:
    """The distinct folded white-space tokens of a query in order, for those that only know whole tokens."""
    return list(dict.fromkeys(fold(query).split()))


def bounded_pattern(term: Term) -> re.Pattern[str]:
    """A pattern that finds a bounded term quickly: the needle first, its neighbours only where it stands."""
    return re.compile(rf"{term.folded}(?<![0-9A-Za-z]{term.folded})(?![0-9A-Za-z])")


def contains(folded: str, term: Term) -> bool:
    """Whether folded text contains the term."""
    needle, bounded = term
    if not bounded:
        return needle in folded
    at = folded.find(needle)
    while at >= 0:
        if not _is_word(folded[at - 1 : at]) and not _is_word(folded[at + len(needle) :][:1]):
            return True
        at = folded.find(needle, at + 1)
    return False


def _is_word(neighbour: str) -> bool:
    return neighbour.isascii() and neighbour.isalnum()
