"""The one definition of "matches": folding, terms, word boundaries.

Text is compared case-folded in NFC; what is shown is always the original. A term of one or two ASCII
letters or digits counts only between ASCII word boundaries, every other term is a substring
(seeds/prior-art.md, description). The whole query is itself one term.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from lsp_server.core.model import MAX_QUERY_CHARACTERS, QueryError

SHORT_TERM_CHARACTERS = 2


@dataclass(frozen=True, slots=True)
class Term:
    """A folded needle and whether it needs word boundaries."""

    folded: str
    bounded: bool = False


def check_query(query: str) -> None:
    """Refuse what no lookup can answer.

    Raises
    ------
    QueryError
        The query is blank or longer than `MAX_QUERY_CHARACTERS` code points.
    """
    if not query.strip():
        raise QueryError("the query is empty; give a short fragment as observed, such as an error code")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise QueryError(
            f"the query has {len(query)} characters; at most {MAX_QUERY_CHARACTERS} are searched"
        )


def fold(text: str) -> str:
    r"""`text` for comparison. Every line end becomes `\n`, so lines keep their numbers; offsets may move.

    JSON holds line ends as they were written, an editor sends its own.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def encode(folded: str) -> bytes:
    """`folded` as the index keeps it. JSON may hold lone surrogates; they are as searchable as any character."""
    return folded.encode("utf-8", "surrogatepass")


def as_term(text: str) -> Term:
    """`text` as one term; whether it is short is decided by what was typed, not by what folding makes of it."""
    return Term(fold(text), bounded=len(text) <= SHORT_TERM_CHARACTERS and text.isascii() and text.isalnum())


def terms_of(query: str) -> tuple[Term, ...]:
    """The distinct white-space terms of a query, in order."""
    return tuple(dict.fromkeys(as_term(word) for word in query.split()))


def contains(folded: str, term: Term) -> bool:
    """Whether folded text contains the term."""
    return find(folded, term) >= 0


def find(folded: str, term: Term, start: int = 0) -> int:
    """Offset of the first occurrence of `term` in folded text at or after `start`, or -1."""
    at = folded.find(term.folded, start)
    if not term.bounded:
        return at
    while at >= 0 and not _stands_alone(folded, at, at + len(term.folded)):
        at = folded.find(term.folded, at + 1)
    return at


def is_ascii_word(character: str) -> bool:
    """Whether a neighbour joins a short term to a longer word (spec/masc.md §1.7: not the underscore)."""
    return character.isascii() and character.isalnum()


def _stands_alone(folded: str, start: int, end: int) -> bool:
    before = folded[start - 1 : start]
    after = folded[end : end + 1]
    return not is_ascii_word(before) and not is_ascii_word(after)


def find_in_original(original: str, term: Term) -> tuple[int, int] | None:
    """Where `term` stands in the original text, as code-point offsets [start, end), or `None`.

    Folding can change lengths (`ß` → `ss`, decomposed → composed), so the folded offset is mapped back
    over the smallest pieces of the original that fold independently of each other.
    """
    folded = fold(original)
    at = find(folded, term)
    if at < 0:
        return None
    end_at = at + len(term.folded)
    if original.isascii() and len(folded) == len(original):
        return at, end_at
    start = end = folded_end = 0
    for piece in _independent_pieces(original):
        if folded_end <= at:
            start = end
        end += len(piece)
        folded_end += len(fold(piece))
        if folded_end >= end_at:
            break
    return start, end


def _independent_pieces(text: str) -> Iterator[str]:
    """Split `text` where folding cannot reach across, so that pieces fold one by one."""
    piece = ""
    for character in text:
        if piece and not _belongs_to(piece, character):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _belongs_to(piece: str, character: str) -> bool:
    # A mark may combine with a letter across other marks, so that it changes nothing beside its neighbour alone.
    is_mark = unicodedata.combining(unicodedata.normalize("NFD", character)[0]) != 0
    return is_mark or fold(piece + character) != fold(piece) + fold(character)
