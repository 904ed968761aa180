r"""A case that a reviewer reads: a front block, a document with marks in it, and what is expected.

    ---
    client: vscode
    store: harbour
    ---
    ```python
    raise_for("E4‸217")
    ```
    expect:
    …

With `escapes: true` the escapes `\r`, `\n`, `\f` and `\uXXXX` in the document stand for what no reviewer could
see, and a line of the file that ends with an escaped line end has no other. Prose may stand before the document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parents[1] / "cases"

_CASE = re.compile(
    r"---\n(?P<front>.*?)^---\n(?P<prose>[^`]*)"
    r"^(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)\n?^(?P=fence)\n+expect:\n(?P<expected>.*)",
    re.DOTALL | re.MULTILINE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([rnf]))")


@dataclass(frozen=True)
class Case:
    """One case file."""

    name: str
    front: dict[str, Any]
    language: str
    text: str
    expected: str


def read_cases(folder: str) -> list[Case]:
    """All cases of a folder, by name."""
    return [read_case(path) for path in sorted((CASES / folder).glob("*.md"))]


def read_case(path: Path) -> Case:
    """One case; what does not follow the form fails by name."""
    parts = _CASE.fullmatch(path.read_text(encoding="utf-8"))
    assert parts is not None, f"{path.name} is not written as a case"
    front = yaml.safe_load(parts["front"])
    text = parts["text"]
    if front.get("escapes"):
        text = re.sub(r"(\\[rn])\n", r"\1", text)
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _LETTERS[found[2]], text)
    language = front.get("language") or parts["language"] or "plaintext"
    return Case(path.stem, front, language, text, parts["expected"].rstrip("\n"))


_LETTERS = {"r": "\r", "n": "\n", "f": "\f"}
