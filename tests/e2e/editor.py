"""A stand-in for an editor: its recorded capabilities, a real server over stdio, and answers to what that asks.

The recordings are those of pytest-lsp; `bare` is a client that offers nothing at all.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lsprotocol.converters import get_converter
from pytest_lsp import client_capabilities
from raw_client import TIMEOUT_SECONDS, Message, ServerProcess

SERVER = [sys.executable, "-m", "lsp_server", "serve", "--stdio"]
STORES = Path(__file__).parents[1] / "stores"

RECORDINGS = {
    "vscode": "visual_studio_code@1.65.2",
    "neovim-0.10": "neovim@0.10.0",
    "neovim-0.11": "neovim@0.11.0",
    "emacs": "emacs@29.1",
}

_LINE_END = re.compile(r"\r\n|\n|\r")
_SIZE = {
    "utf-8": lambda text: len(text.encode("utf-8")),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


def capabilities_of(client: str, prior_art: Any = None) -> Message:
    """What an editor says that it can do, to be changed at will; `prior_art` is what it says of ours."""
    capabilities = dict(json.loads(_recording(client)))
    if prior_art is not None:
        capabilities["experimental"] = {"priorArt": prior_art}
    return capabilities


@cache
def _recording(client: str) -> str:
    recorded = (
        {} if client == "bare" else get_converter().unstructure(client_capabilities(RECORDINGS[client]))
    )
    return json.dumps(recorded)


class Editor(ServerProcess):
    """One editor with one server. Leave it by the end of its `with` block.

    `configuration` is its answer to `workspace/configuration`; requests named in `silent` it never answers.
    """

    def __init__(
        self,
        capabilities: Message,
        folders: Sequence[Path] | None,
        home: Path,
        *,
        options: Any = None,
        configuration: Any = None,
        silent: Sequence[str] = (),
        **params: Any,
    ) -> None:
        super().__init__(SERVER, env=private_environment(home), cwd=str(home))
        self.configuration = [configuration]
        self.silent = set(silent)
        self._versions: dict[str, int] = {}
        self._start_thread(self._answer_requests)
        if folders is not None:
            params["workspaceFolders"] = [{"uri": path.as_uri(), "name": path.name} for path in folders]
        self.result = self.initialize(capabilities, initializationOptions=options, **params)
        self.encoding: str = self.result["capabilities"].get("positionEncoding", "utf-16")

    def show(self, uri: str, text: str, language: str = "plaintext") -> None:
        """Open a document, or give an open one another text."""
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        if version == 1:
            self.open(uri, text, language)
            return
        changed = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": changed, "contentChanges": [{"text": text}]})

    def close(self, uri: str) -> None:
        """Close a document."""
        del self._versions[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def hover(self, uri: str, position: Message) -> Any:
        """Rest the cursor somewhere."""
        return self.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})

    def hover_text(self, uri: str, marked: str) -> str | None:
        """Show a text with a cursor mark and return what the hover there says."""
        before, after = marked.split("‸")
        self.show(uri, before + after)
        found = self.hover(uri, self.position_after(before))
        return None if found is None else str(found["contents"]["value"])

    def command(self, name: str, *arguments: Any) -> Any:
        """Execute a command of the server."""
        return self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def position_after(self, text: str) -> Message:
        """The position behind a text, in this editor's units."""
        lines = _LINE_END.split(text)
        return {"line": len(lines) - 1, "character": _SIZE[self.encoding](lines[-1])}

    def text_in(self, text: str, place: Message) -> str:
        """The text of a range that the server sent."""
        start, end = (self.offset_of(text, place[edge]) for edge in ("start", "end"))
        return text[start:end]

    def offset_of(self, text: str, position: Message) -> int:
        """Where a position of the server is in a text; it must not lie inside a character."""
        starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        start = starts[position["line"]]
        line = _LINE_END.split(text)[position["line"]]
        for column in range(len(line) + 1):
            if _SIZE[self.encoding](line[:column]) == position["character"]:
                return start + column
        raise AssertionError(f"{position} is no place in {line!r}")

    def requests_of_server(self) -> list[str]:
        """The methods of all requests that the server has made."""
        return [message["method"] for message in self.received if "method" in message and "id" in message]

    def popups(self) -> list[str]:
        """All messages that a person has seen."""
        return [message["params"]["message"] for message in self.notifications("window/showMessage")]

    def logged(self) -> list[str]:
        """All messages in the editor's log."""
        return [message["params"]["message"] for message in self.notifications("window/logMessage")]

    def unexpected(self) -> list[Message]:
        """What no server should send: errors of its own, and anything that is not JSON-RPC."""
        return [
            message
            for message in self.received
            if "unreadable" in message or message.get("error", {}).get("code") == -32603
        ]

    def _answer_requests(self) -> None:
        seen = 0
        while not self.closed:
            new = self._received_after(seen)
            seen += len(new)
            for message in new:
                if "method" in message and "id" in message and message["method"] not in self.silent:
                    self._answer_request(message)

    def _received_after(self, count: int) -> list[Message]:
        with self._changed:
            self._changed.wait_for(lambda: self.closed or len(self.received) > count, timeout=TIMEOUT_SECONDS)
            return self.received[count:]

    def _answer_request(self, message: Message) -> None:
        results = {
            "workspace/configuration": self.configuration,
            "window/showDocument": {"success": True},
        }
        with suppress(OSError, ValueError):  # The server may have left.
            self.answer(message, results.get(message["method"]))


def wait_until(condition: Callable[[], bool], timeout: float = TIMEOUT_SECONDS) -> None:
    """Poll for something that no message tells."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not true within {timeout} s")
        time.sleep(0.02)


def private_environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of somebody else, so that no settings and stores of this machine take part."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("MASC_", "XDG_"))}
    return {
        **mine,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        **(more or {}),
    }
