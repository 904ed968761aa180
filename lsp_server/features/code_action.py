"""textDocument/codeAction and codeAction/resolve: open, cite or reuse what is already known.

Offered only where something matches. Our own kind keeps fix-all and quick-fix filters from choosing us.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities
from lsp_server.action_kinds import CLIENT_COMMANDS, COPY_KIND, KINDS, OPEN_KIND, SHOW_ALL_KIND
from lsp_server.features.commands import OPEN
from lsp_server.session import Session
from lsp_server.snapshot import Snapshot
from lsp_server.text import Encoding, position_at

if TYPE_CHECKING:
    from lsp_server.choices import Choice
    from lsp_server.lookup import AnyMatch, Lookup
    from lsp_server.server import PriorArtServer

Action = types.CodeAction | types.Command


@dataclass(frozen=True, slots=True)
class Desk:
    """What an answer is made from: the document, and whose stores and in whose terms."""

    session: Session
    document: Snapshot
    client: types.ClientCapabilities
    encoding: Encoding

    @property
    def root(self) -> Path:
        """The folder that paths are shown relative to."""
        return self.session.root_of(self.document.uri) or Path()


def register(server: PriorArtServer) -> None:
    """Register the handlers."""
    options = types.CodeActionOptions(code_action_kinds=[*KINDS], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: types.CodeActionParams) -> Sequence[Action] | None:
        desk = desk_of(server, params.text_document.uri)
        if desk is None or not any(is_wanted(kind, params.context.only) for kind in KINDS):
            return None
        return await server.with_settings(actions_for, desk, params.range, params.context) or None

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, Mapping) else {}
        desk = desk_of(server, data.get("uri"))
        if desk is not None:
            edit = await server.with_settings(edit_for, desk, str(action.kind), data)
            action.edit = edit or action.edit
        return action


def offer(server: PriorArtServer, client: types.ClientCapabilities) -> None:
    """Offer code actions by kind only to a client that knows kinds (LSP 3.17 §codeAction, server capability)."""
    if not capabilities.takes_code_action_literals(client):
        server.protocol.fm.feature_options.pop(types.TEXT_DOCUMENT_CODE_ACTION, None)


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a client that asks for `only` wants a kind; a kind includes those below it."""
    return not only or any(asked in ("", kind) or kind.startswith(f"{asked}.") for asked in only)


def actions_for(desk: Desk, selection: types.Range, context: types.CodeActionContext) -> list[Action]:
    """The actions for a selection."""
    # Here and below: imported when there is something to do, since a client waits for `initialize`.
    from lsp_server.choices import choices_for
    from lsp_server.phrases import first_with_matches, phrases_for

    phrases = phrases_for(desk.document.text, selection, context, desk.encoding)
    lookup = first_with_matches(desk.session, desk.document.uri, phrases)
    if lookup is None:
        return []
    line = selection.start.line
    lacking = set(CLIENT_COMMANDS) - capabilities.client_commands(desk.client)
    wanted = {kind for kind in KINDS if kind not in lacking and is_wanted(kind, context.only)}
    choices = [choice for choice in choices_for(lookup, desk.document, line) if choice.kind in wanted]
    if not capabilities.takes_code_action_literals(desk.client):
        return [_open_command(choice) for choice in choices if choice.kind == OPEN_KIND]
    actions: list[Action] = [_action(desk, choice, lookup.query, line) for choice in choices]
    if SHOW_ALL_KIND in wanted:
        actions.append(_show_all(desk.document.uri, lookup))
    return actions


def edit_for(desk: Desk, kind: str, data: Mapping[str, object]) -> types.WorkspaceEdit | None:
    """The edit of an action that was offered without it, if what it was made from is still there."""
    from lsp_server.lookup import identity
    from lsp_server.phrases import Phrase, first_with_matches

    query, line = data.get("query"), data.get("line")
    if not isinstance(query, str) or not isinstance(line, int):
        return None
    lookup = first_with_matches(desk.session, desk.document.uri, [Phrase(query, by_word=True)])
    matches = lookup.matches if lookup else ()
    match = next((match for match in matches if identity(match) == data.get("match")), None)
    return None if match is None else edit_with(desk, kind, match, line)


def edit_with(desk: Desk, kind: str, match: AnyMatch, line: int) -> types.WorkspaceEdit | None:
    """The one insertion into the person's own document; `None` where a match cannot be inserted in this way."""
    from lsp_server.choices import insertion_for

    document = desk.document
    insertion = insertion_for(kind, match, desk.root, document, line)
    if insertion is None:
        return None
    at = position_at(document.text, insertion.offset, desk.encoding)
    edit = types.TextEdit(types.Range(at, at), insertion.text)
    if capabilities.takes_document_changes(desk.client):
        target = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(target, [edit])])
    return types.WorkspaceEdit(changes={document.uri: [edit]})


def desk_of(server: PriorArtServer, uri: object) -> Desk | None:
    """The desk for an open document; `None` for any other."""
    document = server.open_document(uri) if isinstance(uri, str) else None
    if document is None:
        return None
    snapshot = Snapshot(document.uri, document.source, document.version, document.language_id)
    return Desk(server.session, snapshot, server.client_capabilities, server.encoding)


def _open_command(choice: Choice) -> types.Command:
    from lsp_server.lookup import place_of

    path, line = place_of(choice.match)
    return types.Command(choice.title, OPEN, arguments=[{"path": path, "line": line}])


def _show_all(uri: str, lookup: Lookup) -> types.CodeAction:
    count = lookup.total_count
    title = f"Prior art: show {'the match' if count == 1 else f'all {count} matches'}"
    arguments = [{"query": lookup.query, "uri": uri}]
    command = types.Command(title, SHOW_ALL_KIND, arguments=arguments)
    return types.CodeAction(title=title, kind=SHOW_ALL_KIND, command=command)


def _copy_command(desk: Desk, choice: Choice) -> types.Command:
    from lsp_server.copy_text import copy_text

    text = copy_text(choice.match, desk.root)
    return types.Command(choice.title, COPY_KIND, arguments=[{"text": text}])


def _action(desk: Desk, choice: Choice, query: str, line: int) -> types.CodeAction:
    from lsp_server.lookup import identity

    action = types.CodeAction(title=choice.title, kind=choice.kind)
    if choice.kind == OPEN_KIND:
        action.command = _open_command(choice)
    elif choice.kind == COPY_KIND:
        action.command = _copy_command(desk, choice)
    elif capabilities.resolves_code_action_edits(desk.client):
        # Stateless: the request to resolve brings all it needs.
        action.data = {
            "uri": desk.document.uri,
            "line": line,
            "query": query,
            "match": identity(choice.match),
        }
    else:
        action.edit = edit_with(desk, choice.kind, choice.match, line)
    return action
