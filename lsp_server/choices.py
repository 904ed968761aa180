"""What can be done with the matches of a lookup in a document: open one, cite it, reuse its contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lsp_server.action_kinds import CITE_KIND, COPY_KIND, INSERT_KIND, OPEN_KIND
from lsp_server.citation import cite, comment_of
from lsp_server.core.model import ContractMatch
from lsp_server.lookup import AnyMatch, Lookup
from lsp_server.paths import location_of
from lsp_server.plan_insertion import insert_unit_work, is_plan
from lsp_server.render import line_of
from lsp_server.snapshot import Insertion, Snapshot

OPENED_MATCHES = 5
CITED_MATCHES = 2
INSERTED_CONTRACTS = 2
TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be done with one match."""

    kind: str
    title: str
    match: AnyMatch


def choices_for(lookup: Lookup, document: Snapshot, line: int) -> Iterator[Choice]:
    """What can be done with the matches at a line (from 0) of a document, the usual first."""
    shown = [(match, _title(match, lookup.query)) for match in lookup.matches]
    for match, title in shown[:OPENED_MATCHES]:
        yield Choice(OPEN_KIND, f"Prior art: open {title}", match)
    if comment_of(document.language) is not None:
        for match, title in shown[:CITED_MATCHES]:
            yield Choice(CITE_KIND, f"Prior art: cite {title}", match)
    if is_plan(location_of(document.uri)):
        contracts = [(match, title) for match, title in shown if isinstance(match, ContractMatch)]
        for match, title in contracts[:INSERTED_CONTRACTS]:
            if insert_unit_work(match, document.text, line) is not None:
                yield Choice(INSERT_KIND, f"Prior art: insert {title}", match)
    for match, title in shown:
        if isinstance(match, ContractMatch):
            yield Choice(COPY_KIND, f"Prior art: copy {title}", match)
            break


def insertion_for(kind: str, match: AnyMatch, root: Path, document: Snapshot, line: int) -> Insertion | None:
    """What a choice of this kind writes into the document; `None` for one that writes nothing."""
    if kind == CITE_KIND:
        return cite(match, root, document, line)
    if kind == INSERT_KIND and isinstance(match, ContractMatch) and is_plan(location_of(document.uri)):
        return insert_unit_work(match, document.text, line)
    return None


def _title(match: AnyMatch, query: str) -> str:
    line = line_of(match, query)
    text = (
        line.text if len(line.text) <= TITLE_CHARACTERS else f"{line.text[: TITLE_CHARACTERS - 1].rstrip()}…"
    )
    return f"{line.source}: {text}"
