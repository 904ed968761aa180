"""Every file of tests/cases/hover is one hover of a recorded editor, word for word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from case_file import Case, read_cases
from editor import STORES, Editor, capabilities_of

CASES = read_cases("hover")
MAX_LINES = 12

OpenEditor = Callable[[Case], Editor]


@pytest.fixture(scope="module")
def editor_for(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenEditor]:
    """One server for all cases that differ in nothing but the document."""
    home = tmp_path_factory.mktemp("home")
    editors: dict[str, Editor] = {}
    with ExitStack() as stack:

        def editor_for(case: Case) -> Editor:
            keys = ("client", "prior_art", "encodings", "formats", "settings")
            kind = {key: case.front.get(key) for key in keys}
            key = json.dumps(kind)
            if key not in editors:
                editors[key] = stack.enter_context(start(case.front, home))
            return editors[key]

        yield editor_for
        for editor in editors.values():
            assert editor.unexpected() == []


def start(front: dict[str, Any], home: Path) -> Editor:
    capabilities = capabilities_of(front["client"], front.get("prior_art"))
    if "encodings" in front:
        capabilities.setdefault("general", {})["positionEncodings"] = front["encodings"]
    if "formats" in front:
        capabilities.setdefault("textDocument", {})["hover"] = {"contentFormat": front["formats"]}
    # The stores above a document answer for it; one that lies nowhere takes the first folder.
    folders = [STORES / "harbour", STORES / "broken"]
    return Editor(capabilities, folders, home, options=front.get("settings"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hover(case: Case, editor_for: OpenEditor) -> None:
    editor = editor_for(case)
    root = (STORES / case.front["store"]).as_uri()
    file = case.front.get("file", "case.txt")
    uri = file if re.match(r"\w+:", file) else f"{root}/{file}"
    before, after = case.text.split("‸")
    editor.show(uri, before + after, case.language)
    hover = editor.hover(uri, editor.position_after(before))
    editor.close(uri)

    shown = "null" if hover is None else hover["contents"]["value"].replace(root, "{root}")
    # As JSON in a link to a command, whose percent signs are written so that decoding twice does no harm.
    shown = shown.replace(quote(root.replace("%", "\\u0025"), safe=""), "{escaped root}")
    assert shown == case.expected, f"\n--- expected\n{case.expected}\n--- shown\n{shown}\n---"
    if hover is None:
        return
    covered = editor.text_in(before + after, hover["range"])
    first_line = shown.split("\n")[0]
    assert covered == case.front.get("covers", re.split(r" · |: ", first_line, maxsplit=1)[1].strip("`"))
    start, end = (editor.offset_of(before + after, hover["range"][edge]) for edge in ("start", "end"))
    assert start <= len(before) <= end
    assert len(shown.split("\n")) <= MAX_LINES
    assert not re.search(r"^# ", shown, re.MULTILINE)


def test_a_hover_is_of_the_kind_that_the_client_put_first() -> None:
    for case in CASES:
        if case.expected != "null":
            formats = case.front.get("formats") or (
                capabilities_of(case.front["client"])
                .get("textDocument", {})
                .get("hover", {})
                .get("contentFormat")
            )
            wanted = (formats or ["plaintext"])[0]
            assert case.expected.startswith("**Prior art** · " if wanted == "markdown" else "Prior art: "), (
                case.name
            )
