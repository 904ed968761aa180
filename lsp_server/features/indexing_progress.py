"""$/progress: how far the first reading of a large store has come."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types

from lsp_server import capabilities
from lsp_server.core.model import Progress

if TYPE_CHECKING:
    from lsp_server.server import PriorArtServer

logger = logging.getLogger(__name__)

REPORT_SECONDS = 0.25
"""Between two reports; a client that draws a bar needs no more."""


def note(server: PriorArtServer, root: Path, progress: Progress) -> None:
    """Remember how far a root is, and have it shown to a client that can. Runs on the event loop."""
    is_followed = root in server.indexing
    if is_followed or not progress.is_complete:
        server.indexing[root] = progress
    if not is_followed and not progress.is_complete:
        task = asyncio.get_running_loop().create_task(_follow(server, root))
        _TASKS.add(task)
        task.add_done_callback(_TASKS.discard)


_TASKS: set[asyncio.Task[None]] = set()
"""The event loop itself keeps no task alive."""


async def _follow(server: PriorArtServer, root: Path) -> None:
    """Report until the root is read. A client that refuses is left alone."""
    token = f"prior-art:indexing:{uuid4()}"
    try:
        if not capabilities.shows_progress(server.client_capabilities):
            return
        await server.work_done_progress.create_async(token)
        begin = types.WorkDoneProgressBegin("Prior art", message=f"indexing {root.name}", percentage=0)
        server.work_done_progress.begin(token, begin)
        while not (progress := server.indexing[root]).is_complete:
            report = types.WorkDoneProgressReport(percentage=progress.percentage)
            server.work_done_progress.report(token, report)
            await asyncio.sleep(REPORT_SECONDS)
        server.work_done_progress.end(token, types.WorkDoneProgressEnd())
    except Exception:
        logger.warning("the client refused to show progress", exc_info=True)
    finally:
        del server.indexing[root]
