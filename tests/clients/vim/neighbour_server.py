"""The language server of some other project: all it knows is that a line raises."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("neighbour", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover | None:
    """Say something on the word that raises."""
    document = server.workspace.get_text_document(params.text_document.uri)
    if document.word_at_position(params.position) != "raise":
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, "An exception is raised here."))


server.start_io()
