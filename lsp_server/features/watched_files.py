"""workspace/didChangeWatchedFiles: a bonus on top of the throttled look at the disk, never needed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities
from lsp_server.settings import WORKSPACE_FILE

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer

WATCHED_GLOBS = (
    "**/*.memory-current.json",
    "**/*.memory-source-current.json",
    "**/board_posts.jsonl",
    "**/board_comments.jsonl",
    "**/*.md",
    f"**/{WORKSPACE_FILE}",
)

SETTLE_SECONDS = 0.1
"""A checkout changes many files at once; they are looked at together."""


def register(server: PriorArtServer) -> None:
    """Register the handlers."""
    waiting = False

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_watched_files(_params: types.DidChangeWatchedFilesParams) -> None:
        nonlocal waiting
        if waiting:
            return
        waiting = True
        await asyncio.sleep(SETTLE_SECONDS)
        waiting = False
        await server.in_background(server.session.refresh)


async def start(server: PriorArtServer) -> None:
    """Ask a client that can watch files to do so."""
    if capabilities.registers_file_watchers(server.client_capabilities):
        options = types.DidChangeWatchedFilesRegistrationOptions(
            watchers=[types.FileSystemWatcher(glob_pattern=glob) for glob in WATCHED_GLOBS]
        )
        await server.register_dynamically(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
