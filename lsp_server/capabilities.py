"""What the client said it can do. A client never gets what it did not ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.action_kinds import CLIENT_COMMANDS

if TYPE_CHECKING:
    from lsp_server.render import Markup


def hover_markup(client: types.ClientCapabilities) -> Markup:
    """The first hover format that both sides know; plain text where the client names none."""
    hover = client.text_document.hover if client.text_document else None
    for offered in (hover.content_format if hover else None) or ():
        if offered == types.MarkupKind.Markdown:
            return "markdown"
        if offered == types.MarkupKind.PlainText:
            return "plaintext"
    return "plaintext"


def takes_code_action_literals(client: types.ClientCapabilities) -> bool:
    """Whether code actions may be more than bare commands."""
    action = client.text_document.code_action if client.text_document else None
    return action is not None and action.code_action_literal_support is not None


def resolves_code_action_edits(client: types.ClientCapabilities) -> bool:
    """Whether the client asks for an action's edit only once it was chosen."""
    action = client.text_document.code_action if client.text_document else None
    resolve = action.resolve_support if action else None
    return resolve is not None and "edit" in resolve.properties and bool(action and action.data_support)


def takes_document_changes(client: types.ClientCapabilities) -> bool:
    """Whether an edit may say which version of the document it is for."""
    edit = client.workspace.workspace_edit if client.workspace else None
    return bool(edit and edit.document_changes)


def shows_documents(client: types.ClientCapabilities) -> bool:
    """Whether the client opens a document at the server's request."""
    support = client.window.show_document if client.window else None
    return bool(support and support.support)


def shows_progress(client: types.ClientCapabilities) -> bool:
    """Whether the client shows progress that the server begins."""
    return bool(client.window and client.window.work_done_progress)


def answers_configuration(client: types.ClientCapabilities) -> bool:
    """Whether settings may be asked for."""
    return bool(client.workspace and client.workspace.configuration)


def registers_configuration_changes(client: types.ClientCapabilities) -> bool:
    """Whether the client has to be told that we want to hear of changed settings, and can be."""
    change = client.workspace.did_change_configuration if client.workspace else None
    return bool(change and change.dynamic_registration)


def registers_file_watchers(client: types.ClientCapabilities) -> bool:
    """Whether the client watches files that it is told of."""
    watch = client.workspace.did_change_watched_files if client.workspace else None
    return bool(watch and watch.dynamic_registration)


def client_commands(client: types.ClientCapabilities) -> frozenset[str]:
    """Which of our commands run in the client: `experimental.priorArt.commands`."""
    named = _experimental(client).get("commands")
    return frozenset(CLIENT_COMMANDS) & frozenset(
        name for name in (named if isinstance(named, list) else ()) if isinstance(name, str)
    )


def follows_command_links(client: types.ClientCapabilities) -> bool:
    """Whether `command:` links to these commands work in its hovers: `experimental.priorArt.commandLinks`."""
    return _experimental(client).get("commandLinks") is True


def _experimental(client: types.ClientCapabilities) -> Mapping[str, object]:
    ours = client.experimental.get("priorArt") if isinstance(client.experimental, Mapping) else None
    return ours if isinstance(ours, Mapping) else {}
