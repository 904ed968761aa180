"""The language server: lifecycle and wiring, nothing else. What it answers is in `features/`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from lsprotocol import types

from lsp_server import __version__
from lsp_server.core.model import Progress
from lsp_server.features import (
    code_action,
    commands,
    configuration,
    editor_commands,
    hover,
    indexing_progress,
    lifecycle,
    watched_files,
)
from lsp_server.protocol import BaseServer
from lsp_server.session import Session
from lsp_server.text import Encoding

logger = logging.getLogger(__name__)

SETTINGS_SECONDS = 2.0
"""How long the first lookups wait for the client's settings; after that those of the files count."""

P = ParamSpec("P")
Answer = TypeVar("Answer")

FEATURES = (lifecycle, configuration, watched_files, hover, code_action, commands, editor_commands)
"""Each registers the handlers of its methods. To add a feature, add its module here."""


class PriorArtServer(BaseServer):
    """The server and its one client's session."""

    def __init__(self) -> None:
        super().__init__(
            "prior-art-lsp",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        )
        self.session = Session(self._report, on_progress=self._note_progress, wait_for_index=False)
        self.indexing: dict[Path, Progress] = {}
        """How far the reading of each root has come that is not done."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self.settings_known = asyncio.Event()
        """Set once the client has said its settings, or need not be waited for."""

    @property
    def encoding(self) -> Encoding:
        """The unit of the client's columns, as it was negotiated."""
        return types.PositionEncodingKind(self.workspace.position_encoding or "utf-16").value

    async def in_background(self, work: Callable[P, Answer], /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Run something that may take a while without holding up the event loop; can be cancelled."""
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(self.thread_pool, lambda: work(*args, **kwargs))

    async def with_settings(self, work: Callable[P, Answer], /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Run something in the background, once the client's settings, which decide what it does, are known."""
        if not self.settings_known.is_set():
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.settings_known.wait(), SETTINGS_SECONDS)
            self.settings_known.set()
        return await self.in_background(work, *args, **kwargs)

    async def register_dynamically(self, method: str, options: object) -> None:
        """Ask the client to use a method that it offers for dynamic registration."""
        registration = types.Registration(id=f"prior-art:{method}", method=method, register_options=options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except Exception:
            logger.warning("the client refused to register %s", method, exc_info=True)

    def _report(self, message: str, important: bool) -> None:
        """Tell the person; called from any thread. Only what they have to repair becomes a popup."""
        logger.warning("%s", message)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._show if important else self._log, message)

    def _note_progress(self, root: Path, progress: Progress) -> None:
        """Let the client show how far a root is; called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(indexing_progress.note, self, root, progress)

    def tell(self, kind: types.MessageType, message: str) -> None:
        """Show a person a message, which may quote anybody.

        Clients make Markdown links of it work, those too that run commands: none is left in it.
        """
        self.window_show_message(types.ShowMessageParams(kind, message.replace("](", "] (")))

    def _show(self, message: str) -> None:
        self.tell(types.MessageType.Warning, f"prior-art: {message}")

    def _log(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, f"prior-art: {message}"))


def create_server() -> PriorArtServer:
    """A server with every feature registered, ready to be run."""
    server = PriorArtServer()
    for feature in FEATURES:
        feature.register(server)
    return server
