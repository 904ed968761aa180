"""The language server of some other project: it knows that a line raises, and can run a command of its own."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("companion", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover | None:
    """Say something on the lines that raise."""
    document = server.workspace.get_text_document(params.text_document.uri)
    if "raise" not in document.lines[params.position.line]:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, "An exception is raised here."))


@server.command("companion.count")
def count(_server: LanguageServer) -> int:
    """Something that only this server can run."""
    return 1


server.start_io()
