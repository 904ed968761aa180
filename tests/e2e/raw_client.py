"""A client that speaks JSON-RPC as bytes, so that tests can send what no library would.

`RawClient` talks over any pair of streams, `ServerProcess` starts a server and talks over its stdio. Every wait
ends after `TIMEOUT_SECONDS` with a `TimeoutError` that shows what has come instead.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, TypeVar

TIMEOUT_SECONDS = 30.0
"""More than a busy machine needs; nothing waits so long unless it fails."""

Message = dict[str, Any]
T = TypeVar("T")


class RawClient:
    """One conversation: sends messages, keeps everything that comes.

    `received` holds the messages in their order; `closed` is true once the server's stream has ended.
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._changed = threading.Condition()
        self._last_id = 0
        self.received: list[Message] = []
        self.closed = False
        self._start_thread(self._read_messages)

    # -- Sending

    def send_bytes(self, data: bytes) -> None:
        """Send exactly these bytes."""
        self._outgoing.write(data)
        self._outgoing.flush()

    def send(self, message: Any) -> None:
        """Send any JSON value as a message with its header."""
        body = json.dumps(message, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id without waiting for the answer."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def answer(self, request: Message, result: Any = None) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    # -- Requests, with their answers

    def request(self, method: str, params: Any = None, timeout: float = TIMEOUT_SECONDS) -> Any:
        """Send a request and return its result; an error answer fails."""
        answer = self.wait_answer(self.start(method, params), timeout)
        assert "error" not in answer, answer
        return answer["result"]

    def request_error(self, method: str, params: Any = None, timeout: float = TIMEOUT_SECONDS) -> Message:
        """Send a request that must fail and return the error."""
        answer = self.wait_answer(self.start(method, params), timeout)
        assert "error" in answer, answer
        return answer["error"]

    def initialize(self, capabilities: Message | None = None, **params: Any) -> Message:
        """Do the handshake; `params` are further members of InitializeParams, `rootUri=…`. Return the result."""
        defaults = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        result: Message = self.request("initialize", defaults | params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = "plaintext") -> None:
        """Open a document, at version 1."""
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    # -- Waiting

    def wait_answer(self, msg_id: Any, timeout: float = TIMEOUT_SECONDS) -> Message:
        """Wait for the answer to the request with this id and return it whole."""
        return self._wait_message(
            lambda m: "method" not in m and m.get("id") == msg_id, f"answer {msg_id}", timeout
        )

    def wait_notification(self, method: str, timeout: float = TIMEOUT_SECONDS) -> Message:
        """Wait for the first notification of this method, which may have come before."""
        return self._wait_message(lambda m: m.get("method") == method and "id" not in m, method, timeout)

    def wait_request(self, method: str, timeout: float = TIMEOUT_SECONDS) -> Message:
        """Wait for the first request of the server with this method; answer it with `answer`."""
        return self._wait_message(lambda m: m.get("method") == method and "id" in m, method, timeout)

    def notifications(self, method: str) -> list[Message]:
        """The notifications of this method that have come so far."""
        return [m for m in self.received if m.get("method") == method and "id" not in m]

    def answers(self, msg_id: Any) -> list[Message]:
        """The answers with this id that have come so far; more than one is a mistake of the server."""
        return [m for m in self.received if "method" not in m and m.get("id") == msg_id]

    def wait_closed(self, timeout: float = TIMEOUT_SECONDS) -> None:
        """Wait until the server has ended its stream."""
        self._wait(lambda: self.closed or None, "end of the stream", timeout)

    def _wait_message(self, wanted: Callable[[Message], bool], name: str, timeout: float) -> Message:
        return self._wait(lambda: next((m for m in self.received if wanted(m)), None), name, timeout)

    def _wait(self, find: Callable[[], T | None], name: str, timeout: float) -> T:
        with self._changed:
            if not self._changed.wait_for(lambda: find() is not None, timeout):
                raise TimeoutError(f"no {name} within {timeout} s; {self._state()}")
            found = find()
            assert found is not None
            return found

    def _state(self) -> str:
        return f"received: {self.received}"

    # -- Reading

    def _start_thread(self, target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        return thread

    def _read_messages(self) -> None:
        try:
            while (length := self._read_length()) is not None:
                message = json.loads(self._incoming.read(length))
                with self._changed:
                    self.received.append(message)
                    self._changed.notify_all()
        except (OSError, ValueError) as error:
            # Kept as a message, so that a stray print on the server's stdout fails the test that waits.
            self.received.append({"unreadable": repr(error)})
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _read_length(self) -> int | None:
        length = None
        while line := self._incoming.readline():
            if line == b"\r\n" and length is not None:
                return length
            name, colon, value = line.partition(b":")
            if not colon:
                raise ValueError(f"not a header: {line!r}")
            if name.lower() == b"content-length":
                length = int(value)
        return None


class ServerProcess(RawClient):
    """A server as a process of its own. Use it in a `with` block, which ends the process whatever happens."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._stderr = b""
        super().__init__(self.process.stdout, self.process.stdin)
        self._stderr_reader = self._start_thread(self._read_stderr)

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            # What was still to be written has no reader.
            with suppress(OSError):
                stream.close()

    @property
    def stderr(self) -> str:
        """What the server has written to stderr so far."""
        return self._stderr.decode(errors="replace")

    def wait_stderr(self, text: str, timeout: float = TIMEOUT_SECONDS) -> str:
        """Wait until the text stands in stderr; return all of it."""
        return self._wait(
            lambda: self.stderr if text in self.stderr else None, f"{text!r} in stderr", timeout
        )

    def close_stdin(self) -> None:
        """Leave without a word."""
        self.process.stdin.close()

    def wait_exit(self, timeout: float = TIMEOUT_SECONDS) -> int:
        """Wait for the end of the process and return its exit code; `stderr` is complete then."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running after {timeout} s; {self._state()}") from None
        self._stderr_reader.join(timeout)
        return code

    def leave(self, timeout: float = TIMEOUT_SECONDS) -> int:
        """Shut down as a client should and return the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.wait_exit(timeout)

    def _state(self) -> str:
        return f"received: {self.received}\nstderr: {self.stderr}"

    def _read_stderr(self) -> None:
        while data := self.process.stderr.read1(4096):
            with self._changed:
                self._stderr += data
                self._changed.notify_all()
