"""What a code action looks up: the selection, a diagnostic's code and message, or what is under the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.core.model import MAX_QUERY_CHARACTERS
from lsp_server.cursor import find_target, is_structured
from lsp_server.lookup import Lookup, look_up, look_up_or_words, look_up_path
from lsp_server.session import Session
from lsp_server.text import Encoding, column_from_client, line_at, text_in_range

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

MAX_PHRASES = 30
"""How much is looked up at most before nothing is offered; a client may ask at every move of the cursor."""
MESSAGE_CHARACTERS = 500
"""How much of a diagnostic's first line is searched for names."""
MIN_SELECTED_CHARACTERS = 2
"""A single selected character matches everywhere; some editors send the one under the cursor as a selection."""
PREFIXES_OF_SOURCES = dict.fromkeys("deno deno-ts javascript js ts tsc tsserver typescript".split(), "TS")
"""What the servers of a language call themselves, and what their numeric codes are written with."""

_WORD_START = re.compile(r"(?<!\S)\S")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something to look up."""

    text: str
    by_word: bool = False
    """Its words will do where nothing holds all of it."""
    is_path: bool = False


def phrases_for(
    source: str, selection: types.Range, context: types.CodeActionContext, encoding: Encoding
) -> Iterator[Phrase]:
    """What to look up, best first: the selection; the diagnostics; else, if asked, what is under the cursor.

    A client that asks on its own, on every move of the cursor, gets an answer only for a selection or a
    diagnostic (spec/field-notes.md §2 item 40).
    """
    automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic
    selected = text_in_range(source, selection, encoding).strip()
    is_selection = len(selected) >= MIN_SELECTED_CHARACTERS
    if is_selection:
        yield Phrase(selected, by_word=not automatic)
    for diagnostic in context.diagnostics:
        yield from map(Phrase, _phrases_of(diagnostic))
    if not automatic and not is_selection:
        line = line_at(source, selection.start.line) or ""
        target = find_target(line, column_from_client(line, selection.start.character, encoding))
        if target is not None:
            yield Phrase(target.text, is_path=target.kind == "filename")


def first_with_matches(session: Session, uri: str, phrases: Iterable[Phrase]) -> Lookup | None:
    """The first phrase that anything matches, looked up in a document's stores."""
    root = session.root_of(uri)
    cores = session.cores_for(root)
    few = session.settings_for(root).hover_common_word_documents
    for phrase in islice(phrases, MAX_PHRASES) if cores else ():
        if phrase.text.strip() and len(phrase.text) <= MAX_QUERY_CHARACTERS:
            lookup = _look_up(cores, phrase, few)
            if lookup.matches:
                return lookup
    return None


def _look_up(cores: Sequence[SearchCore], phrase: Phrase, few: int) -> Lookup:
    if phrase.is_path:
        return look_up_path(cores, phrase.text, few=few)
    return look_up_or_words(cores, phrase.text) if phrase.by_word else look_up(cores, phrase.text)


def _phrases_of(diagnostic: types.Diagnostic) -> Iterator[str]:
    code = diagnostic.code
    if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()):
        code = _with_prefix(diagnostic.source or "", str(code))
    if isinstance(code, str) and code.strip():
        yield code.strip()
    message = diagnostic.message.strip()
    first_line = message.splitlines()[0][:MESSAGE_CHARACTERS] if message else ""
    targets = (find_target(first_line, word.end()) for word in _WORD_START.finditer(first_line))
    names = (
        target.text
        for target in targets
        if target is not None and (target.kind != "symbol" or is_structured(target.text))
    )
    yield from dict.fromkeys(names)
    if message:
        yield message


def _with_prefix(source: str, number: str) -> str | None:
    """A numeric code as people write it, `TS2345`: a bare number says nothing."""
    prefix = PREFIXES_OF_SOURCES.get(source.lower(), source)
    return prefix + number if prefix.isalpha() else None
