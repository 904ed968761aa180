"""Another language server beside ours: it has something to say of one word only."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("second", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover | None:
    """Say something on the lines that raise."""
    line = server.workspace.get_text_document(params.text_document.uri).lines[params.position.line]
    if "raise" not in line:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "An exception is raised here."))


server.start_io()
