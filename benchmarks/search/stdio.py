"""Hovers over stdio, as an editor asks for them, and the time that the server takes to start.

    python benchmarks/search/stdio.py ROOT

ROOT is a workspace such as `out/corpora/facts-10k/root`, which run.py has generated. One session asks for 300
hovers on identifiers, codes, file names and words of its texts. Then the server and an empty pygls server are
started in turn, from the same environment, and timed until their answer to `initialize`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from identifiers import CODE, FILE_NAME
from timing import percentile

SEED = 5
HOVERS = 300
STARTS = 15
FILES_READ = 300
READY_WITHIN_SECONDS = 120.0
ASK_AGAIN_AFTER_SECONDS = 0.02

SERVER = (sys.executable, "-m", "lsp_server", "serve", "--stdio")
EMPTY_SERVER = 'from pygls.lsp.server import LanguageServer\nLanguageServer("empty", "0").start_io()\n'
PATTERNS = {
    "identifier": (re.compile(r"(?<![\w./])[a-z]+_[a-z_]+(?![\w./])"), "use({})"),
    "code": (CODE, 'raise Failure("{}")'),
    "file name": (FILE_NAME, 'read("{}")'),
    "word": (re.compile(r"(?<![\w./-])[a-z]{4,12}(?![\w./-])"), "# {}"),
}


@dataclass(frozen=True)
class Place:
    """A target in the document that is hovered over."""

    kind: str
    text: str
    line: str
    """The source line; ASCII, so that a column is the same in every position encoding."""

    @property
    def column(self) -> int:
        """In the middle of the target, where a mouse would rest."""
        return self.line.index(self.text) + len(self.text) // 2


def main() -> None:
    """Print both measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root.resolve()
    places = places_in(root)
    if not places:
        parser.error(f"no snapshots and no pages in {root}")
    print("\n".join(hover_report(root, places)))
    print("\n".join(start_report(root)))


def hover_report(root: Path, places: Sequence[Place]) -> list[str]:
    """Time of a hover in ms, from the request written to the answer read."""
    uri = (root / "src" / "hovered.py").as_uri()
    text = "".join(f"{place.line}\n" for place in places)
    milliseconds: dict[str, list[float]] = {}
    found: Counter[str] = Counter()
    with Session(SERVER) as session:
        session.initialize(root)
        session.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}},
        )
        ready_seconds = session.wait_until_ready(uri, places)
        for number, place in enumerate(places):
            start = time.perf_counter()
            hover = session.hover(uri, number, place.column)
            milliseconds.setdefault(place.kind, []).append(1000 * (time.perf_counter() - start))
            found[place.kind] += hover is not None
    everything = [value for values in milliseconds.values() for value in values]
    lines = [
        f"{len(places)} hovers; p50/p99/max in ms",
        f"  first answer after initialize: {1000 * ready_seconds:.0f} ms",
    ]
    found["all"] = found.total()
    for kind, values in {**milliseconds, "all": everything}.items():
        spread = f"{percentile(values, 0.5):.2f} / {percentile(values, 0.99):.2f} / {max(values):.2f}"
        lines.append(f"  {kind:<10} {spread}; {found[kind]} of {len(values)} found something")
    return lines


def start_report(root: Path) -> list[str]:
    """Median time from the start of the process to the answer to `initialize`, the two servers in turn."""
    seconds: dict[str, list[float]] = {"prior-art": [], "empty pygls": []}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty_server.py"
        script.write_text(EMPTY_SERVER, encoding="utf-8")
        commands = {"prior-art": SERVER, "empty pygls": (sys.executable, str(script))}
        for _ in range(STARTS):
            for name, command in commands.items():
                start = time.perf_counter()
                with Session(command) as session:
                    session.initialize(root)
                    seconds[name].append(time.perf_counter() - start)
    ours, empty = (1000 * median(values) for values in seconds.values())
    return [
        f"from process start to the answer to initialize, medians of {STARTS} in turn",
        f"  prior-art {ours:.0f} ms, empty pygls server {empty:.0f} ms, difference {ours - empty:.0f} ms",
    ]


# --- what is hovered over --------------------------------------------------------------------------------


def places_in(root: Path) -> list[Place]:
    """Targets of all kinds in equal parts, in random order, as far as the texts have them."""
    rng = random.Random(SEED)
    texts = list(_texts(root, rng))
    places = []
    for kind, (pattern, line) in PATTERNS.items():
        targets = sorted({target for text in texts for target in pattern.findall(text)})
        chosen = rng.sample(targets, min(HOVERS // len(PATTERNS), len(targets)))
        places += [Place(kind, target, line.format(target)) for target in chosen]
    rng.shuffle(places)
    return places


def _texts(root: Path, rng: random.Random) -> Iterator[str]:
    paths = sorted([*root.glob(".masc/**/*.memory-current.json"), *root.glob("docs/wiki/**/*.md")])
    for path in rng.sample(paths, min(FILES_READ, len(paths))):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            yield from (fact["claim"] for fact in json.loads(text)["facts"])
        else:
            yield text


# --- the client ------------------------------------------------------------------------------------------


class Session:
    """JSON-RPC with a server over its stdin and stdout. The process is ended on leaving."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._last_id = 0

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def initialize(self, root: Path) -> None:
        """The handshake of an editor that shows Markdown."""
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                "capabilities": {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}},
            },
        )
        self.notify("initialized", {})

    def hover(self, uri: str, line: int, column: int) -> Any:
        """The hover at a place, or `None`."""
        position = {"line": line, "character": column}
        return self.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})

    def wait_until_ready(self, uri: str, places: Sequence[Place]) -> float:
        """Seconds until a hover on a code, which must find something, does so."""
        number, place = next((n, p) for n, p in enumerate(places) if p.kind == "code")
        start = time.perf_counter()
        while self.hover(uri, number, place.column) is None:
            if time.perf_counter() - start > READY_WITHIN_SECONDS:
                raise SystemExit(f"no hover on {place.text} within {READY_WITHIN_SECONDS:.0f} s")
            time.sleep(ASK_AGAIN_AFTER_SECONDS)
        return time.perf_counter() - start

    def request(self, method: str, params: Any) -> Any:
        """The result of a request; what the server asks meanwhile is answered with nothing."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                if "id" in message:
                    self._send({"id": message["id"], "result": None})
            elif message.get("id") == self._last_id:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while (header := self._output.readline()) != b"\r\n":
            if not header:
                raise SystemExit("the server has left")
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._output.read(length))
        return message


if __name__ == "__main__":
    main()
