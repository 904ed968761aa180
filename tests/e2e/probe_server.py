"""A server with little but the corrected protocol in it, for test_protocol.py.

Hover does what the line under the cursor says. `probe/*` requests show what the server holds.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from lsprotocol import types

from lsp_server.process import run_stdio, run_tcp
from lsp_server.protocol import BaseServer

SLOW_SECONDS = 30

server = BaseServer("probe", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
async def hover(params: types.HoverParams) -> Any:
    document = server.open_document(params.text_document.uri)
    if document is None:
        return None
    line = document.lines[params.position.line].strip()
    if line == "slow":
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(server.thread_pool, time.sleep, SLOW_SECONDS)
    if line == "crash":
        raise RuntimeError(f"cannot read {Path(__file__).resolve()}")
    if line == "print":
        print("a stray print")
    if line == "not json":
        return {"result": object()}
    return types.Hover(contents=line)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def did_save(params: types.DidSaveTextDocumentParams) -> None:
    raise RuntimeError(f"cannot read {params.text_document.uri}")


@server.feature("probe/text")
def text(params: Any) -> Any:
    document = server.open_document(params["uri"])
    return document and {"text": document.source, "version": document.version, "lines": document.lines}


@server.feature("probe/position")
def position(params: Any) -> Any:
    """The code point at which a client's position lands, and the client's position afterwards."""
    document = server.open_document(params["uri"])
    assert document is not None
    asked = types.Position(**params["position"])
    found = document.position_from_client_units(asked)
    return {"found": [found.line, found.character], "asked": [asked.line, asked.character]}


@server.feature("probe/folders")
def folders(_params: Any) -> Any:
    return sorted(folder.name for folder in server.workspace.folders.values())


@server.feature("probe/echo")
def echo(params: Any) -> Any:
    return params


@server.feature("probe/configuration")
async def configuration(params: Any) -> Any:
    """Ask the client for its configuration, and say how that ended."""
    asked = types.ConfigurationParams(items=[types.ConfigurationItem(section="probe")])
    try:
        return await asyncio.wait_for(server.workspace_configuration_async(asked), params["timeout"])
    except Exception as error:
        return type(error).__name__


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--poll-seconds", type=float, default=5.0)
    options = parser.parse_args()
    return run_tcp(server, "127.0.0.1", 0) if options.tcp else run_stdio(server, options.poll_seconds)


if __name__ == "__main__":
    sys.exit(main())
