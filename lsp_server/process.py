"""Starting and ending: one client, served over stdio or TCP until it leaves."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from pygls.io_ import StdoutWriter, run_async

if TYPE_CHECKING:
    import psutil
    from pygls.io_ import AsyncReader, AsyncWriter, Writer

    from lsp_server.protocol import BaseServer

logger = logging.getLogger(__name__)

CLIENT_POLL_SECONDS = 5.0
CHUNK_BYTES = 65_536


def run_stdio(server: BaseServer, poll_seconds: float = CLIENT_POLL_SECONDS) -> int:
    """Serve the client at stdin and stdout; return the exit code.

    Whatever else prints goes to stderr: one stray line would end the conversation. The server ends at
    `exit`, at the end of stdin, and when the client's process is gone.
    """
    stdout = sys.stdout.buffer
    sys.stdout = sys.stderr
    server.watch_client = partial(watch_client, poll_seconds=poll_seconds)
    return _run(_serve_stdio(server, sys.stdin.fileno(), StdoutWriter(stdout)), server)


def run_tcp(server: BaseServer, host: str, port: int) -> int:
    """Serve the first client that connects until it leaves; return the exit code.

    Port 0 takes any free port. The address is printed on stderr.
    """
    return _run(_serve_first_client(server, host, port), server)


def _run(conversation: Coroutine[Any, Any, None], server: BaseServer) -> int:
    # `exit` ends the loop by SystemExit, with a code that the start methods of pygls drop.
    with suppress(SystemExit, KeyboardInterrupt):
        asyncio.run(conversation)
    return server.exit_code


async def _serve_stdio(server: BaseServer, stdin: int, writer: Writer) -> None:
    reader = asyncio.StreamReader()
    arguments = (stdin, reader, asyncio.get_running_loop())
    Thread(target=_feed, args=arguments, name="stdin", daemon=True).start()
    await _serve(server, reader, writer)


def _feed(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Pass on what comes in, whatever the loop is doing.

    pygls awaits each read in a thread, whose result may arrive while Ctrl+C is ending the loop; and a thread
    that waits inside `sys.stdin` makes the interpreter abort when it closes that.
    """
    # A closed loop takes nothing more.
    with suppress(RuntimeError):
        with suppress(OSError):
            while chunk := os.read(source, CHUNK_BYTES):
                loop.call_soon_threadsafe(reader.feed_data, chunk)
        loop.call_soon_threadsafe(reader.feed_eof)


async def _serve(server: BaseServer, reader: AsyncReader, writer: AsyncWriter | Writer) -> None:
    protocol = server.protocol
    protocol.set_writer(writer)
    server._stop_event = Event()
    try:
        await run_async(
            server._stop_event, LenientReader(reader), protocol, logger, protocol.handle_unreadable
        )
    except (EOFError, OSError):
        logger.warning("the client left in the middle of a message")
    finally:
        # Handlers that are cancelled from here on would write to a closed stream.
        protocol.writer = None


async def _serve_first_client(server: BaseServer, host: str, port: int) -> None:
    arrival: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    arrival = asyncio.get_running_loop().create_future()

    def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if arrival.done():
            writer.close()
        else:
            arrival.set_result((reader, writer))

    listener = await asyncio.start_server(welcome, host, port)
    for socket in listener.sockets:
        address, bound_port, *_ = socket.getsockname()
        sys.stderr.write(f"listening on {address}:{bound_port}\n")
    sys.stderr.flush()
    reader, writer = await arrival
    listener.close()
    try:
        await _serve(server, reader, writer)
    finally:
        writer.close()


class LenientReader:
    """Reads the length of a message however its header is written.

    Names of headers have no case and may be followed by blanks; pygls skips a header in any form but its
    own, and then waits for a message that has already come.
    """

    _LENGTH = re.compile(rb"\s*content-length\s*:\s*(\d+)\s*", re.IGNORECASE)

    def __init__(self, reader: AsyncReader) -> None:
        self._reader = reader

    async def readline(self) -> bytes:
        """Read a line, and put a length into the one form that pygls knows."""
        line = await self._reader.readline()
        length = self._LENGTH.fullmatch(line)
        return b"Content-Length: %s\r\n" % length[1] if length else line

    async def readexactly(self, n: int) -> bytes:
        """Read n bytes."""
        return await self._reader.readexactly(n)


def watch_client(process_id: int, poll_seconds: float) -> None:
    """End this process soon after the client's, in case another process holds our stdin open.

    A process that does not exist to begin with is no reason: the client then counts its processes elsewhere, in
    another container or on another machine.
    """
    if os.name == "nt" or _is_there(process_id):
        Thread(target=_end_with, args=(process_id, poll_seconds), name="watch client", daemon=True).start()


def _is_there(process_id: int) -> bool:
    """Whether a process exists; for POSIX alone, elsewhere the signal 0 is a real one."""
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _end_with(process_id: int, poll_seconds: float) -> None:
    if os.name != "nt":
        # Not now, while the client waits for its first answer: psutil takes a while to import.
        time.sleep(poll_seconds)
    import psutil

    try:
        client = psutil.Process(process_id)
    except psutil.Error:
        if os.name == "nt":
            return
        os._exit(1)
    while _is_alive(client):
        time.sleep(poll_seconds)
    # The main thread waits for stdin and cannot be woken.
    os._exit(1)


def _is_alive(client: psutil.Process) -> bool:
    """Whether a process lives: it has not ended unnoticed, and nothing else has taken its number."""
    import psutil

    try:
        return client.is_running() and bool(client.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
