"""Corrections to the protocol layer of pygls 2.1: what a client may rely on, and what it must never see.

Each method says which defect it corrects. The documents are corrected in `documents.py`; starting and
ending are in `process.py`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, cast

from cattrs import transform_error
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
    PyglsError,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    MsgId,
)
from pygls.protocol.language_server import lsp_method
from pygls.workspace import Workspace

from lsp_server.documents import Document, Documents
from lsp_server.worker import DaemonExecutor

logger = logging.getLogger(__name__)

NOT_JSON = (json.JSONDecodeError, UnicodeDecodeError, RecursionError)
SEE_LOG = "internal error; the server's log has the details"


class BaseServer(LanguageServer):
    """A language server on the corrected protocol. Run it with `process.run_stdio` or `process.run_tcp`."""

    protocol: PriorArtProtocol

    watch_client: Callable[[int], None] | None = None
    """Called with the client's process id once it is known; set by `process.run_stdio`."""

    def __init__(self, name: str, version: str, **options: Any) -> None:
        # At INFO and below pygls logs every message that it sends: the texts of its users.
        logging.getLogger("pygls").setLevel(logging.WARNING)
        # The converter of pygls turns what it has no type for into tuples, and renames or drops keys on the way.
        super().__init__(
            name, version, protocol_cls=PriorArtProtocol, converter_factory=get_converter, **options
        )

    def open_document(self, uri: str) -> Document | None:
        """Return the document if the client has it open. Nothing is read from the disk."""
        return self.protocol.workspace.open_document(uri)

    @property
    def exit_code(self) -> int:
        """What the process exits with; pygls exits with 0 even when no `shutdown` came before `exit`."""
        return 0 if self.protocol.shut_down else 1

    @property
    def thread_pool(self) -> DaemonExecutor:  # type: ignore[override]  # any Executor will do
        """Threads for slow work; those of pygls are joined at exit, and one of them reads stdin."""
        if self._thread_pool is None:
            self._thread_pool = DaemonExecutor()  # type: ignore[assignment]
        return cast(DaemonExecutor, self._thread_pool)

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """Log what no answer can tell; pygls shows a popup, with the text of the exception in it."""
        if source is FeatureRequestError:
            return  # The client has it as the answer to its request.
        logger.exception("a message could not be handled (%s)", type(error).__name__)
        message = f"{self.name}: {SEE_LOG}"
        self.window_log_message(types.LogMessageParams(type=types.MessageType.Error, message=message))


class PriorArtProtocol(LanguageServerProtocol):
    """The protocol of pygls, where every request is answered and no message stops the server."""

    _server: BaseServer
    _documents: Documents | None

    @property
    def shut_down(self) -> bool:
        """Whether the client has asked for `shutdown`."""
        return self._shutdown

    # -- Incoming messages

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave it to `handle_message` to read messages.

        pygls calls this for every object inside a message, and would take user data with a key `jsonrpc`
        for a message of its own.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Answer also the requests that cannot be read, where pygls leaves the client waiting."""
        try:
            readable = self._read(message)
        except JsonRpcException as error:
            self._reject(message, error)
        else:
            if readable is not None:
                super().handle_message(readable)

    def handle_unreadable(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """Answer what is not JSON with a parse error, as JSON-RPC wants it; pygls only shows a popup."""
        if isinstance(error, NOT_JSON):
            self._send_error(None, JsonRpcParseError())
        else:
            self._server._report_server_error(error, source)

    def _read(self, message: Any) -> Any:
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest("not a JSON-RPC 2.0 message")
        if "method" not in message:
            return self._read_response(message)
        method = message["method"]
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("the method must be a string")
        self._admit(method)
        fallback = JsonRPCRequestMessage if "id" in message else JsonRPCNotification
        readable = self._structure({"params": None, **message}, self.get_message_type(method) or fallback)
        if "id" in message and not hasattr(readable, "id"):
            raise JsonRpcInvalidRequest(f"{method} is a notification: it takes no id")
        return readable

    def _admit(self, method: str) -> None:
        """Hold the order of things; pygls serves before `initialize` and is silent after `shutdown`."""
        if method == types.EXIT:
            return
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server has been shut down")
        initialized = self._documents is not None
        if method == types.INITIALIZE and initialized:
            raise JsonRpcInvalidRequest("the server has been initialized before")
        if method != types.INITIALIZE and not initialized:
            raise JsonRpcServerNotInitialized("the server has not been initialized")

    def _structure(self, message: dict[str, Any], kind: type) -> Any:
        try:
            return self._converter.structure(message, kind)
        except Exception as error:
            # The reasons name the place and the expected type, never a value.
            reasons = "; ".join(transform_error(error))
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {reasons}") from error

    def _reject(self, message: Any, error: JsonRpcException) -> None:
        if not isinstance(message, dict):
            self._send_error(None, error)
        elif "method" in message and "id" in message:
            self._send_error(message["id"], error)
        elif isinstance(error, JsonRpcInvalidParams):
            logger.warning("ignored a notification %s: %s", message.get("method"), error)

    # -- The client's answers to our own requests

    def _read_response(self, message: dict[str, Any]) -> Any:
        """Read an answer; one that cannot be read fails its request, where pygls would wait forever.

        `"error": null` beside a result, as some clients send it, is no error.
        """
        msg_id: Any = message.get("id")
        kind = self._result_types.pop(msg_id, None) or JsonRPCResponseMessage
        if message.get("error") is not None:
            kind = types.ResponseErrorMessage
        try:
            return self._structure({"result": None, **message}, kind)
        except JsonRpcException as error:
            self._handle_response(msg_id, error=error.to_response_error())
            return None

    def _handle_response(
        self, msg_id: MsgId, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Let an answer go that nobody awaits any more; pygls raises InvalidStateError after a timeout."""
        future = self._request_futures.get(msg_id)
        if future is None or future.done():
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)

    # -- Outgoing messages

    def _send_response(
        self, msg_id: MsgId, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Keep tracebacks, paths and texts of exceptions in the log; pygls sends them to the client."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = types.ResponseError(code=error.code, message=SEE_LOG)
        super()._send_response(msg_id, result, error)

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        """Refuse a request without a word in the log; pygls writes a traceback for each refusal."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            self._request_futures.pop(msg_id, None)
            self._send_error(msg_id, error)
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _send_error(self, msg_id: MsgId | None, error: JsonRpcException) -> None:
        answer = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": answer})

    def _send_data(self, data: Any) -> None:
        """Write one message, or say that it cannot be written.

        pygls leaves a request without an answer when its result is no JSON, and reports a stream that
        cannot be written to by writing to it, again and again.
        """
        if self.writer is None:
            return  # The client has left.
        try:
            body = json.dumps(data, default=self._serialize_message).encode(self.CHARSET)
        except Exception:
            logger.exception("a message could not be written as JSON")
            if hasattr(data, "id") and hasattr(data, "result"):
                self._send_error(data.id, JsonRpcInternalError(SEE_LOG))
            return
        try:
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        except (OSError, ValueError):
            logger.warning("the client no longer reads")
            self.writer = None
            self._server.shutdown()  # type: ignore[no-untyped-call]

    # -- Methods

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Prefer UTF-16 over the client's first choice.

        Nearly every server beside this one speaks it, and editors warn when two encodings meet in a buffer.
        """
        general = params.capabilities.general
        if general is not None and types.PositionEncodingKind.Utf16 in (general.position_encodings or ()):
            general.position_encodings = [types.PositionEncodingKind.Utf16]
        if params.process_id is not None and self._server.watch_client is not None:
            self._server.watch_client(params.process_id)
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(
        self, params: types.DidChangeWorkspaceFoldersParams
    ) -> Generator[Any, Any, None]:
        """Keep a folder that one event removes and adds, as when it is renamed; pygls adds it first."""
        added = {folder.uri for folder in params.event.added}
        params.event.removed = [folder for folder in params.event.removed if folder.uri not in added]
        yield from super().lsp_workspace__did_change_workspace_folders(params)

    def _handle_cancel_notification(self, msg_id: MsgId) -> None:
        """Be silent when the request has been answered already, which is no client's mistake; pygls warns."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        """Be silent about notifications that nobody handles; pygls warns, and editors show that as errors."""
        known = method_name in self.fm.builtin_features or method_name in self.fm.features
        if known or method_name == types.CANCEL_REQUEST:
            super()._handle_notification(method_name, params)

    # -- Documents

    @property
    def workspace(self) -> Documents:
        """The documents and folders of the client."""
        return cast(Documents, super().workspace)

    @property
    def _workspace(self) -> Documents | None:
        return self._documents

    @_workspace.setter
    def _workspace(self, plain: Workspace | None) -> None:
        """Put `Documents` in the place of the class that pygls creates by name."""
        self._documents = None if plain is None else Documents.like(plain)
