"""workspace/configuration and workspace/didChangeConfiguration: the settings that a client holds."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import capabilities, settings
from lsp_server.paths import uri_of

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer

logger = logging.getLogger(__name__)

ORIGIN = "client settings"


def register(server: PriorArtServer) -> None:
    """Register the handlers."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if capabilities.answers_configuration(server.client_capabilities):
            await pull(server)
        else:
            # A client without a section for us may push its whole settings; those are not ours.
            pushed = params.settings if isinstance(params.settings, dict) else {}
            take(server, pushed.get(settings.SECTION))
        # Whoever has just changed them is told at once what is wrong with them.
        await server.in_background(server.session.all_cores)


async def start(server: PriorArtServer) -> None:
    """Ask to hear of changes, and fetch the settings."""
    waiting = [pull(server)]
    if capabilities.registers_configuration_changes(server.client_capabilities):
        options = types.DidChangeConfigurationRegistrationOptions(section=settings.SECTION)
        waiting.append(server.register_dynamically(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    await asyncio.gather(*waiting)


async def pull(server: PriorArtServer) -> None:
    """Ask for our section where the client offered to answer; null and refusals mean the defaults.

    Each folder may have its own: it is asked for, too, and null means that it has none.
    """
    folders = server.session.folders
    scopes = (None, *(uri_of(folder) for folder in folders))
    try:
        if capabilities.answers_configuration(server.client_capabilities):
            items = [types.ConfigurationItem(scope, settings.SECTION) for scope in scopes]
            answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
            take(server, answer[0] if answer else None)
            server.session.folder_configurations = {
                folder: settings.from_client(value, ORIGIN)
                for folder, value in zip(folders, (answer or ())[1:], strict=False)
                if value is not None
            }
    except Exception:
        logger.warning("the client did not answer workspace/configuration", exc_info=True)
    finally:
        server.settings_known.set()


def take(server: PriorArtServer, value: object) -> None:
    """Take the client's settings."""
    server.session.configuration = settings.from_client(value, ORIGIN)
