"""textDocument/codeAction and codeAction/resolve: open, cite or reuse what is already known.

Offered only where something matches. Our own kind keeps fix-all and quick-fix filters from choosing us.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities
from lsp_server.citation import citation_line, insert_unit_work, is_plan
from lsp_server.core.model import ContractMatch
from lsp_server.documents import Document
from lsp_server.features.commands import OPEN
from lsp_server.lookup import AnyMatch, Lookup, identity, place_of
from lsp_server.paths import location_of
from lsp_server.phrases import Phrase, first_with_matches, phrases_for
from lsp_server.render import line_of
from lsp_server.text import line_at, position_at

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer

KIND = "priorArt"
OPEN_KIND = "priorArt.open"
CITE_KIND = "priorArt.cite"
INSERT_KIND = "priorArt.insert"
KINDS = (OPEN_KIND, CITE_KIND, INSERT_KIND)

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


def register(server: PriorArtServer) -> None:
    """Register the handlers."""
    options = types.CodeActionOptions(code_action_kinds=[KIND, *KINDS], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(
        params: types.CodeActionParams,
    ) -> list[types.CodeAction | types.Command] | None:
        document = server.open_document(params.text_document.uri)
        if document is None or not any(
            is_wanted(kind, params.context.only) for kind in options.code_action_kinds or ()
        ):
            return None
        phrases = phrases_for(document.source, params.range, params.context, server.encoding)
        lookup = await server.in_background(first_with_matches, server.session, document.uri, phrases)
        if lookup is None:
            return None
        choices = [
            choice
            for choice in choices_for(lookup, may_insert=is_plan(location_of(document.uri)))
            if is_wanted(choice.kind, params.context.only)
        ]
        if not capabilities.takes_code_action_literals(server.client_capabilities):
            return [_open_command(choice) for choice in choices if choice.kind == OPEN_KIND] or None
        start = params.range.start
        return [_action(server, choice, document, lookup.query, start) for choice in choices] or None

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, Mapping) else {}
        uri, query, line = data.get("uri"), data.get("query"), data.get("line")
        document = server.open_document(uri) if isinstance(uri, str) else None
        if document is None or not isinstance(query, str) or not isinstance(line, int):
            return action
        phrases = [Phrase(query, by_word=True)]
        lookup = await server.in_background(first_with_matches, server.session, document.uri, phrases)
        for match in lookup.matches if lookup else ():
            if action.kind in (CITE_KIND, INSERT_KIND) and identity(match) == data.get("match"):
                action.edit = _edit(server, str(action.kind), match, document, types.Position(line, 0))
        return action


def offer(server: PriorArtServer, client: types.ClientCapabilities) -> None:
    """Offer code actions by kind only to a client that knows kinds (LSP 3.17 §codeAction, server capability)."""
    if not capabilities.takes_code_action_literals(client):
        server.protocol.fm.feature_options.pop(types.TEXT_DOCUMENT_CODE_ACTION, None)


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a client that asks for `only` wants a kind; a kind includes those below it."""
    return not only or any(asked in ("", kind) or kind.startswith(f"{asked}.") for asked in only)


def choices_for(lookup: Lookup, *, may_insert: bool) -> Iterator[Choice]:
    """What can be done with the matches, the usual first."""
    shown = [(match, _title(match, lookup.query)) for match in lookup.matches]
    for match, title in shown[:OPENED_MATCHES]:
        yield Choice(OPEN_KIND, f"Prior art: open {title}", match)
    for match, title in shown[:CITED_MATCHES]:
        yield Choice(CITE_KIND, f"Prior art: cite {title}", match)
    if may_insert:
        contracts = [(match, title) for match, title in shown if isinstance(match, ContractMatch)]
        for match, title in contracts[:INSERTED_CONTRACTS]:
            yield Choice(INSERT_KIND, f"Prior art: insert {title}", match)


def _title(match: AnyMatch, query: str) -> str:
    line = line_of(match, query)
    text = (
        line.text if len(line.text) <= TITLE_CHARACTERS else f"{line.text[: TITLE_CHARACTERS - 1].rstrip()}…"
    )
    return f"{line.source}: {text}"


def _open_command(choice: Choice) -> types.Command:
    path, line = place_of(choice.match)
    return types.Command(choice.title, OPEN, arguments=[{"path": path, "line": line}])


def _action(
    server: PriorArtServer, choice: Choice, document: Document, query: str, position: types.Position
) -> types.CodeAction:
    action = types.CodeAction(title=choice.title, kind=choice.kind)
    if choice.kind == OPEN_KIND:
        action.command = _open_command(choice)
    elif capabilities.resolves_code_action_edits(server.client_capabilities):
        # Stateless: the request to resolve brings all it needs.
        action.data = {
            "uri": document.uri,
            "line": position.line,
            "query": query,
            "match": identity(choice.match),
        }
    else:
        action.edit = _edit(server, choice.kind, choice.match, document, position)
    return action


def _edit(
    server: PriorArtServer, kind: str, match: AnyMatch, document: Document, position: types.Position
) -> types.WorkspaceEdit:
    """The one insertion into the person's own document."""
    source = document.source
    if kind == INSERT_KIND and isinstance(match, ContractMatch):
        offset, text = insert_unit_work(match, source, document.offset_at_position(position))
        at = position_at(source, offset, server.encoding)
    else:
        line = line_at(source, position.line) or ""
        indentation = line[: len(line) - len(line.lstrip())]
        root = server.session.root_of(document.uri) or Path()
        at = types.Position(position.line, 0)
        text = citation_line(match, root, document.language_id, indentation)
    if "\r\n" in source:
        text = text.replace("\n", "\r\n")
    insertion = types.TextEdit(types.Range(at, at), text)
    if capabilities.takes_document_changes(server.client_capabilities):
        target = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(target, [insertion])])
    return types.WorkspaceEdit(changes={document.uri: [insertion]})
