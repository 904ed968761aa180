"""Ask the server for one hover over stdio, as an editor does, and show it in the terminal.

Run it with the Python that prior-art-lsp is installed in: `python3 dev.py demo` does. It speaks plain
JSON-RPC with the standard library alone, so that it also reads as the shortest client that works.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent
WORKSPACE = EXAMPLES / "harbour"
DOCUMENT = WORKSPACE / "src" / "signing.py"
WANTED = "E4217"

SERVER = [sys.executable, "-m", "lsp_server", "serve", "--stdio"]
ANSWER_WITHIN_SECONDS = 20
ASK_AGAIN_AFTER_SECONDS = 0.2


def main() -> int:
    """Show the line, the hover below it, and what to try next."""
    text = DOCUMENT.read_text(encoding="utf-8")
    number, line = next((n, line) for n, line in enumerate(text.splitlines()) if WANTED in line)
    # The line is ASCII, so that the column is the same in every position encoding.
    column = line.index(WANTED) + 1
    try:
        hover = ask_for_hover(text, number, column)
    except NoAnswerError as error:
        print(f"hover_over_stdio.py: {error}", file=sys.stderr)
        return 1

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # A console without Hangul shows the rest all the same.
    print(f"{DOCUMENT.relative_to(EXAMPLES.parent).as_posix()}, line {number + 1}\n")
    print(line)
    print(" " * column + "^\n")
    print(indent(hover_text(hover)))
    print("\nTry next:\n")
    print(indent("\n".join(next_commands())))
    return 0


def ask_for_hover(text: str, number: int, column: int) -> dict[str, Any]:
    """Play one short session, from `initialize` to `exit`."""
    document = DOCUMENT.as_uri()
    with Session(SERVER) as session:
        session.request(
            "initialize",
            {
                "processId": None,
                "clientInfo": {"name": "hover_over_stdio.py"},
                "rootUri": WORKSPACE.as_uri(),
                "workspaceFolders": [{"uri": WORKSPACE.as_uri(), "name": WORKSPACE.name}],
                "capabilities": {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
            },
        )
        session.notify("initialized", {})
        opened = {"uri": document, "languageId": "python", "version": 1, "text": text}
        session.notify("textDocument/didOpen", {"textDocument": opened})
        where = {"textDocument": {"uri": document}, "position": {"line": number, "character": column}}
        # No hover yet may mean that the stores are still being read, as in an editor that has just started.
        while (hover := session.request("textDocument/hover", where)) is None:
            time.sleep(ASK_AGAIN_AFTER_SECONDS)
        session.request("shutdown")
        session.notify("exit")
        return dict(hover)


def hover_text(hover: dict[str, Any]) -> str:
    """Return the text of any of the forms that a hover may have."""
    contents = hover["contents"] if isinstance(hover["contents"], list) else [hover["contents"]]
    return "\n".join(part if isinstance(part, str) else part["value"] for part in contents)


def next_commands() -> list[str]:
    """Return command lines that continue from here, to be pasted as they are."""
    script = shutil.which("prior-art", path=str(Path(sys.executable).parent))
    program = [near(Path(script))] if script else [near(Path(sys.executable)), "-m", "lsp_server"]
    questions = [["search", "deploy.sh"], ["kg", "rotate signing key"]]
    quoted = subprocess.list2cmdline if sys.platform == "win32" else shlex.join
    return [quoted([*program, *question, "--root", near(WORKSPACE)]) for question in questions]


def near(path: Path) -> str:
    """Return a path as one would type it here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def indent(text: str) -> str:
    """Set a block off from the margin."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


class NoAnswerError(Exception):
    """The server did not answer; the message says what is known about why."""


class Session:
    """JSON-RPC with a server that reads stdin and writes stdout; ends the server when left."""

    def __init__(self, command: list[str]) -> None:
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed in __exit__)
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr
        )
        self.requests = 0
        self.gave_up = False
        self.timer = threading.Timer(ANSWER_WITHIN_SECONDS, self.give_up)
        self.timer.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.server.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.server.kill()
        self.timer.cancel()
        self.stderr.close()

    def give_up(self) -> None:
        """End the server, so that whoever waits for its answer stops waiting."""
        self.gave_up = True
        self.server.kill()

    def request(self, method: str, params: object = None) -> Any:
        """Send a request and return its result."""
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message:
                if "id" in message:  # The server asks something that this client knows nothing about.
                    self.send({"id": message["id"], "result": None})
            elif message.get("id") == self.requests:
                if "error" in message:
                    raise NoAnswerError(f"the server refused {method}: {message['error']['message']}")
                return message["result"]

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def send(self, message: dict[str, object]) -> None:
        """Write one message with its header."""
        message = {key: value for key, value in message.items() if key != "params" or value is not None}
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        try:
            self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.server.stdin.flush()
        except OSError:
            raise self.no_answer() from None

    def receive(self) -> dict[str, Any]:
        """Read one message."""
        assert self.server.stdout is not None
        length = 0
        while (header := self.server.stdout.readline()) != b"\r\n":
            if not header:
                raise self.no_answer()
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return dict(json.loads(self.server.stdout.read(length)))

    def no_answer(self) -> NoAnswerError:
        """Tell a server that took too long from one that has left."""
        if self.gave_up:
            return NoAnswerError(f"no answer from the server within {ANSWER_WITHIN_SECONDS} s")
        self.stderr.seek(0)
        last_words = self.stderr.read().decode(errors="replace").strip().splitlines()[-1:]
        return NoAnswerError(": ".join(["the server has left without an answer", *last_words]))


if __name__ == "__main__":
    sys.exit(main())
