"""textDocument/hover: what is already known about the thing under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities
from lsp_server.session import Session
from lsp_server.text import column_from_client, line_at, range_to_client

if TYPE_CHECKING:
    from lsp_server.cursor import Target
    from lsp_server.render import Markup
    from lsp_server.server import PriorArtServer


def register(server: PriorArtServer) -> None:
    """Register the handler."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        # Here and below: imported when there is something to do, since a client waits for `initialize`.
        from lsp_server.cursor import find_target

        document = server.open_document(params.text_document.uri)
        line = None if document is None else line_at(document.source, params.position.line)
        if document is None or line is None:
            return None
        target = find_target(line, column_from_client(line, params.position.character, server.encoding))
        if target is None:
            return None
        client = server.client_capabilities
        markup = capabilities.hover_markup(client)
        linked = markup == "markdown" and capabilities.follows_command_links(client)
        text = await server.with_settings(hover_text, server.session, document.uri, target, markup, linked)
        if text is None:
            return None
        kind = types.MarkupKind.Markdown if markup == "markdown" else types.MarkupKind.PlainText
        return types.Hover(
            contents=types.MarkupContent(kind, text),
            range=range_to_client(params.position.line, line, target.start, target.end, server.encoding),
        )


def hover_text(
    session: Session, uri: str, target: Target, markup: Markup, linked: bool = False
) -> str | None:
    """The hover's text for a target in a document, or `None`."""
    from lsp_server.hover import hover_from, wants

    root = session.root_of(uri)
    settings = session.settings_for(root)
    if not wants(settings, target):
        return None
    cores = session.cores_for(root)
    return hover_from(cores, settings, target, markup, linked_from=uri if linked else None).text
