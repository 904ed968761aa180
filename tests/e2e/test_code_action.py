"""Every file of tests/cases/code_action is one request for code actions, and what choosing one does.

The document holds a cursor `‸` or a selection `«…»`. Expected is one line for each action, its kind and its title;
with `apply: KIND` also the document after the first action of that kind was chosen, or the command that it has the
client run. `prior_art` is what the client says of our own in its experimental capabilities.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from case_file import Case, read_cases
from editor import STORES, Editor, capabilities_of

from lsp_server.core.model import UnitWork, WorkPlan
from lsp_server.sources.work_plan import parse_work_plan

CASES = read_cases("code_action")
HARBOUR = STORES / "harbour"
TRIGGERS = {"invoked": 1, "automatic": 2}

CLIENT_KINDS = ("priorArt.copy", "priorArt.showAll")

EditorOf = Callable[..., Editor]


@pytest.fixture(scope="module")
def editor_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EditorOf]:
    """One server for every client."""
    home = tmp_path_factory.mktemp("home")
    editors: dict[str, Editor] = {}
    with ExitStack() as stack:

        def editor_of(client: str, prior_art: Any = None) -> Editor:
            key = json.dumps([client, prior_art])
            if key not in editors:
                capabilities = capabilities_of(client, prior_art)
                editors[key] = stack.enter_context(Editor(capabilities, [HARBOUR], home))
            return editors[key]

        yield editor_of
        for editor in editors.values():
            assert editor.unexpected() == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_code_action(case: Case, editor_of: EditorOf) -> None:
    editor = editor_of(case.front["client"], case.front.get("prior_art"))
    root = (STORES / case.front.get("store", "harbour")).as_uri()
    file = case.front.get("file", "case.txt")
    uri = file if re.match(r"\w+:", file) else f"{root}/{file}"
    text, start, end = take_marks(case.text)
    editor.show(uri, text, case.language)
    asked = {"start": editor.position_after(text[:start]), "end": editor.position_after(text[:end])}
    actions = editor.request("textDocument/codeAction", request_for(case, uri, asked))

    shown = "null" if actions is None else "\n".join(line_of(action) for action in actions)
    if "apply" in case.front:
        action = next(action for action in actions if action["kind"] == case.front["apply"])
        if action["kind"] in CLIENT_KINDS:
            shown += f"\n\n{run_by_client(action).replace(root, '{root}')}"
        else:
            after = apply(editor, resolved(editor, action), uri, text)
            shown += f"\n\nafter:\n```\n{escaped(after) if case.front.get('escapes') else after}\n```"
        if action["kind"] == "priorArt.insert":
            check_inserted_unit(action["title"], text, after)
    editor.close(uri)
    assert shown == case.expected, f"\n--- expected\n{case.expected}\n--- shown\n{shown}\n---"


def take_marks(text: str) -> tuple[str, int, int]:
    """The text without its marks, and what they select."""
    if "‸" in text:
        at = text.index("‸")
        return text.replace("‸", ""), at, at
    before, selected, after = re.split("[«»]", text)
    return before + selected + after, len(before), len(before) + len(selected)


def request_for(case: Case, uri: str, asked: dict[str, Any]) -> dict[str, Any]:
    diagnostics = [{"range": asked, "message": "", **given} for given in case.front.get("diagnostics", ())]
    context: dict[str, Any] = {"diagnostics": diagnostics}
    if "only" in case.front:
        context["only"] = case.front["only"]
    if "trigger" in case.front:
        context["triggerKind"] = TRIGGERS[case.front["trigger"]]
    return {"textDocument": {"uri": uri}, "range": asked, "context": context}


def line_of(action: dict[str, Any]) -> str:
    if isinstance(action.get("command"), str):
        return f"command | {action['title']}"
    return f"{action['kind']} | {action['title']}"


def resolved(editor: Editor, action: dict[str, Any]) -> dict[str, Any]:
    """The action with its edit, which comes later only for a client that said it would ask."""
    if "edit" in action:
        assert "data" not in action
        return action
    answer: dict[str, Any] = editor.request("codeAction/resolve", action)
    assert {key: value for key, value in answer.items() if key != "edit"} == action
    return answer


def run_by_client(action: dict[str, Any]) -> str:
    """What the action has the client run: nothing that the server would have to do."""
    assert action.keys() == {"title", "kind", "command"}
    command = action["command"]
    assert command["command"] == action["kind"]
    assert command["title"] == action["title"]
    (argument,) = command["arguments"]
    if action["kind"] == "priorArt.copy":
        assert argument.keys() == {"text"}
        return f"copies:\n```\n{argument['text']}```"
    return f"shows all of:\n```json\n{json.dumps(argument, ensure_ascii=False)}\n```"


def apply(editor: Editor, action: dict[str, Any], uri: str, text: str) -> str:
    """What the document says after the action's edit, which touches nothing else."""
    edit = action["edit"]
    if "documentChanges" in edit:
        assert "changes" not in edit
        (change,) = edit["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        (insertion,) = change["edits"]
    else:
        assert list(edit["changes"]) == [uri]
        (insertion,) = edit["changes"][uri]
    start, end = (editor.offset_of(text, insertion["range"][edge]) for edge in ("start", "end"))
    assert start == end
    return text[:start] + insertion["newText"] + text[end:]


def escaped(text: str) -> str:
    return text.replace("\r\n", "\\r\\n\n")


def check_inserted_unit(title: str, before: str, after: str) -> None:
    """The plan has one more unit with the contract of the proven one, and is otherwise as it was."""
    old, new = parse(before), parse(after)
    (added,) = [unit for unit in new if unit.index not in {known.index for known in old}]
    found = re.search(r"(WP-ST-\d+) unit (\d+)", title)
    assert found is not None
    proven = unit_of_store(found[1], int(found[2]))
    assert added.contract == proven.contract
    assert added.tags == proven.tags
    assert (added.title, added.status, added.result) == (proven.title, "PENDING", None)
    assert added.index == max((unit.index for unit in old), default=0) + 1
    assert [said(unit) for unit in new if unit is not added] == [said(unit) for unit in old]


def said(unit: UnitWork) -> tuple[object, ...]:
    return unit.index, unit.title, unit.status, unit.contract, unit.tags, unit.result, unit.notes


def parse(text: str) -> tuple[UnitWork, ...]:
    plan = parse_work_plan(text, "WP-ST-16", "live", "WP-ST-16.md")
    return () if plan is None else plan.units


def unit_of_store(wp_id: str, index: int) -> UnitWork:
    (path,) = HARBOUR.glob(f".gem-squared/*/{wp_id}.md")
    plan = parse_work_plan(path.read_text(encoding="utf-8"), wp_id, "archive", str(path))
    assert isinstance(plan, WorkPlan)
    return next(unit for unit in plan.units if unit.index == index)


@pytest.mark.parametrize(
    ("client", "offered"),
    [
        (
            "vscode",
            {
                "codeActionKinds": [
                    "priorArt",
                    "priorArt.open",
                    "priorArt.cite",
                    "priorArt.insert",
                    "priorArt.copy",
                    "priorArt.showAll",
                ],
                "resolveProvider": True,
            },
        ),
        ("bare", True),
    ],
)
def test_kinds_are_offered_only_to_a_client_that_knows_them(
    editor_of: EditorOf, client: str, offered: Any
) -> None:
    assert editor_of(client).result["capabilities"]["codeActionProvider"] == offered


@pytest.mark.parametrize("client", ["vscode", "neovim-0.10", "neovim-0.11", "emacs"])
def test_an_open_action_runs_its_command(editor_of: EditorOf, client: str) -> None:
    editor = editor_of(client)
    uri = f"{HARBOUR.as_uri()}/open.txt"
    editor.show(uri, "WP-ST-12")
    place = {"line": 0, "character": 2}
    context = {"diagnostics": [], "only": ["priorArt.open"]}
    actions = editor.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context},
    )
    editor.close(uri)
    answer = editor.request("workspace/executeCommand", actions[0]["command"])
    assert Path(answer["path"]) == HARBOUR / ".gem-squared/archive/WP-ST-12.md"
    assert answer["shown"] is (client != "emacs")


@pytest.mark.parametrize(
    "data",
    [None, 1, {}, {"uri": "untitled:none", "query": "E4217", "line": 0, "match": "x"}, "known", "blank"],
)
def test_an_action_that_cannot_be_resolved_comes_back_as_it_was(editor_of: EditorOf, data: Any) -> None:
    editor = editor_of("vscode")
    if data in ("known", "blank"):
        uri = f"{HARBOUR.as_uri()}/{data}.txt"
        editor.show(uri, "E4217")
        data = {"uri": uri, "query": "E4217" if data == "known" else " ", "line": 0, "match": "gone"}
    action = {"title": "x", "kind": "priorArt.cite", "data": data}
    assert editor.request("codeAction/resolve", action) == {k: v for k, v in action.items() if v is not None}


TWICE = """# WP-ST-1: Two at once
## Unit-Works
### 1. Close the lock-gate | STATUS: COMPLETED
- A: open
- B: closed
- P: none
- Tags: [closing-gate]
### 1. Paint the lock-gate | STATUS: COMPLETED
- A: rusty
- B: painted
- P: closed
- Tags: [painting-gate]
"""


def test_units_with_the_same_number_are_told_apart(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    home.mkdir()
    (root / ".gem-squared/archive").mkdir(parents=True)
    (root / ".gem-squared/archive/WP-ST-1.md").write_text(TWICE, encoding="utf-8")
    uri = f"{root.as_uri()}/.gem-squared/work-plan/WP-ST-2.md"
    text = "# WP-ST-2: A lock-gate\n"
    place = {"line": 0, "character": text.index("lock")}
    with Editor(capabilities_of("vscode"), [root], home) as editor:
        editor.show(uri, text)
        actions = editor.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": uri},
                "range": {"start": place, "end": place},
                "context": {"diagnostics": [], "only": ["priorArt.insert"]},
            },
        )
        titles = [parse(apply(editor, resolved(editor, action), uri, text))[0].title for action in actions]
        assert sorted(titles) == ["Close the lock-gate", "Paint the lock-gate"]
        assert [action["title"].split(" · ")[1] for action in actions] == titles


def test_an_unknown_document_has_no_actions(editor_of: EditorOf) -> None:
    place = {"line": 0, "character": 0}
    params = {
        "textDocument": {"uri": f"{HARBOUR.as_uri()}/never-opened.txt"},
        "range": {"start": place, "end": place},
        "context": {
            "diagnostics": [{"range": {"start": place, "end": place}, "message": "", "code": "E4217"}]
        },
    }
    assert editor_of("vscode").request("textDocument/codeAction", params) is None


def test_titles_are_one_short_line() -> None:
    for case in CASES:
        for line in case.expected.split("\n\nafter:")[0].split("\n"):
            assert len(line) <= 140, (case.name, json.dumps(line))
