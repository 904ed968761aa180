"""The documents that the client has open: corrections to the workspace of pygls.

Lines and positions follow LSP 3.17 §textDocuments: a line ends at CR LF, LF or CR and nowhere else, and a
position past the end of its line means the end of that line.
"""

from __future__ import annotations

import logging
import re
from collections import UserDict
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import PositionCodec, ServerTextPosition, TextDocument, Workspace

from lsp_server.text import Encoding, column_from_client, split_lines

logger = logging.getLogger(__name__)

V = TypeVar("V")


class Documents(Workspace):
    """The workspace of pygls with LSP lines and tolerant keys, and without errors for unknown documents."""

    def __init__(
        self,
        root_uri: str | None,
        sync_kind: types.TextDocumentSyncKind = types.TextDocumentSyncKind.Incremental,
        workspace_folders: Sequence[types.WorkspaceFolder] | None = None,
        position_encoding: types.PositionEncodingKind | str | None = types.PositionEncodingKind.Utf16,
    ) -> None:
        super().__init__(root_uri, sync_kind, None, position_encoding)
        by_uri: Any = UriDict  # pygls declares its mappings as dict.
        self._text_documents = by_uri()
        self._notebook_documents = by_uri()
        self._cell_in_notebook = by_uri()
        self._folders = by_uri()
        self._position_codec = ClampingCodec(position_encoding)
        for folder in workspace_folders or ():
            self.add_folder(folder)

    @classmethod
    def like(cls, plain: Workspace) -> Documents:
        """Copy a workspace in which no document is open yet."""
        return cls(plain.root_uri, plain._sync_kind, [*plain.folders.values()], plain.position_encoding)

    def open_document(self, uri: str) -> Document | None:
        """Return the document if the client has it open.

        `get_text_document` of pygls falls back to the disk: it raises for a file that is not UTF-8, and for
        `untitled:x` it reads a file `x` of the current folder.
        """
        document = self._text_documents.get(unquote(uri))
        return document if isinstance(document, Document) else None

    def update_text_document(
        self,
        text_doc: types.VersionedTextDocumentIdentifier,
        change: types.TextDocumentContentChangeEvent,
    ) -> None:
        """Ignore a change of an unknown document, for which pygls raises KeyError."""
        if self.open_document(text_doc.uri) is None:
            logger.warning("ignored a change of a document that is not open: %s", text_doc.uri)
            return
        super().update_text_document(text_doc, change)

    def update_notebook_document(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Ignore a change of an unknown notebook, for which pygls raises KeyError."""
        uri = params.notebook_document.uri
        if self.get_notebook_document(notebook_uri=uri) is None:
            logger.warning("ignored a change of a notebook that is not open: %s", uri)
            return
        super().update_notebook_document(params)

    def remove_text_document(self, doc_uri: str) -> None:
        """Say when a document is closed that was not open; it is a client's mistake and harms nothing."""
        if self.open_document(doc_uri) is None:
            logger.warning("ignored the closing of a document that is not open: %s", doc_uri)
        super().remove_text_document(doc_uri)

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        return Document(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )


class Document(TextDocument):
    """A text document with the lines of LSP; pygls also splits at form feeds, U+2028 and more."""

    _split: tuple[str, tuple[str, ...]] = ("", tuple(split_lines("")))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines with their ends, kept until the text changes; pygls splits it at every access."""
        source = self.source
        if self._split[0] is not source:
            self._split = (source, tuple(split_lines(source)))
        return self._split[1]

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        """Replace what stands between two offsets; pygls counts lines of its own kind."""
        source = self.source
        start = self.offset_at_position(change.range.start)
        end = self.offset_at_position(change.range.end)
        self._source = source[: min(start, end)] + change.text + source[max(start, end) :]


class ClampingCodec(PositionCodec):
    """Positions past the end mean the end.

    pygls takes such a position for the last character but one, or for the start of the next line, and
    writes its guess into the caller's position.
    """

    def position_from_client_units(
        self, lines: Sequence[str], position: types.Position
    ) -> ServerTextPosition:
        """Convert from the client's units to code points; a position inside a character means its start."""
        if not lines:
            return ServerTextPosition(0, 0)
        if position.line >= len(lines):
            return ServerTextPosition(len(lines) - 1, len(lines[-1]))
        text = lines[position.line].rstrip("\r\n")
        encoding: Encoding = types.PositionEncodingKind(self.encoding).value
        return ServerTextPosition(position.line, column_from_client(text, position.character, encoding))


class UriDict(UserDict[str, V]):
    """Keyed by unquoted URI, whatever the case of a Windows drive letter.

    Clients write one file as `file:///c%3A/x` and `file:///C:/x`; pygls unquotes its keys and does no more.
    """

    def __getitem__(self, uri: str) -> V:
        return super().__getitem__(_lower_drive(uri))

    def __setitem__(self, uri: str, value: V) -> None:
        super().__setitem__(_lower_drive(uri), value)

    def __delitem__(self, uri: str) -> None:
        super().__delitem__(_lower_drive(uri))

    def __contains__(self, uri: object) -> bool:
        return isinstance(uri, str) and super().__contains__(_lower_drive(uri))


def _lower_drive(uri: str) -> str:
    return re.sub(r"^file:///[A-Z]:", lambda drive: drive[0].lower(), uri)
