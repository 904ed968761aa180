"""initialize, initialized, shutdown and workspace folders: a session's beginning, its places, its end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import settings
from lsp_server.features import code_action, configuration, watched_files
from lsp_server.paths import path_of
from lsp_server.roots import folder_of

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer


def register(server: PriorArtServer) -> None:
    """Register the handlers."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        code_action.offer(server, params.capabilities)
        server.session.folders = folders_of(params)
        server.session.initial_options = settings.from_client(
            params.initialization_options, "initializationOptions"
        )

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        # A client that leaves one request without an answer must not hold up the rest.
        await asyncio.gather(configuration.start(server), watched_files.start(server), _warm(server))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_workspace_folders(_params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.session.folders = _paths(folder.uri for folder in server.workspace.folders.values())
        await configuration.pull(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(*_params: object) -> None:
        server.session.close()


def folders_of(params: types.InitializeParams) -> tuple[Path, ...]:
    """The workspace's folders: `workspaceFolders`, else `rootUri`, else `rootPath`; a file means its folder."""
    if params.workspace_folders:
        return _paths(folder.uri for folder in params.workspace_folders)
    if params.root_uri:
        return _paths((params.root_uri,))
    return (folder_of(Path(params.root_path)),) if params.root_path else ()


async def _warm(server: PriorArtServer) -> None:
    """Import what the first lookup needs, and read the stores, before anybody asks."""
    for module in ("lsp_server.hover", "lsp_server.choices", "lsp_server.phrases"):
        await server.in_background(import_module, module)
    await server.with_settings(server.session.all_cores)


def _paths(uris: Iterable[str]) -> tuple[Path, ...]:
    paths = (path_of(uri) for uri in uris)
    return tuple(folder_of(path) for path in paths if path is not None)
