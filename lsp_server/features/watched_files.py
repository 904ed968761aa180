"""workspace/didChangeWatchedFiles: a bonus on top of the throttled look at the disk, never needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer

WATCHED_GLOBS = (
    "**/*.memory-current.json",
    "**/*.memory-source-current.json",
    "**/board_posts.jsonl",
    "**/board_comments.jsonl",
    "**/*.md",
)


def register(server: PriorArtServer) -> None:
    """Register the handlers."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(_params: types.DidChangeWatchedFilesParams) -> None:
        server.session.expect_changes()


async def start(server: PriorArtServer) -> None:
    """Ask a client that can watch files to do so."""
    if capabilities.registers_file_watchers(server.client_capabilities):
        options = types.DidChangeWatchedFilesRegistrationOptions(
            watchers=[types.FileSystemWatcher(glob_pattern=glob) for glob in WATCHED_GLOBS]
        )
        await server.register_dynamically(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
