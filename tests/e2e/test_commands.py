"""workspace/executeCommand over stdio: the command line's answers for programs, from inside an editor."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from editor import STORES, Editor, capabilities_of, private_environment
from raw_client import TIMEOUT_SECONDS

INVALID_PARAMS = -32602
HARBOUR, BROKEN = STORES / "harbour", STORES / "broken"
PAGE = str(HARBOUR / "docs/wiki/glossary.md")
NEIGHBOUR = str(HARBOUR / "../busy/docs/wiki/deploy.md")
NO_FILE = "the path is no file of a store"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def editor(home: Path) -> Iterator[Editor]:
    """An editor that has one folder open."""
    with Editor(capabilities_of("vscode"), [HARBOUR], home) as editor:
        yield editor
        assert editor.unexpected() == []
        assert editor.popups() == []
        assert "Traceback" not in editor.stderr  # a refused request is the client's affair, not a fault


@pytest.fixture(scope="module")
def several(home: Path) -> Iterator[Editor]:
    """An editor that has several folders open."""
    with Editor(capabilities_of("neovim-0.11"), [HARBOUR, BROKEN], home) as editor:
        yield editor
        assert editor.unexpected() == []


@pytest.fixture(scope="module")
def lonely(home: Path) -> Iterator[Editor]:
    """An editor without a folder, which offers nothing."""
    with Editor({}, None, home) as editor:
        yield editor
        assert editor.unexpected() == []


def command_line(home: Path, *arguments: str) -> dict[str, Any]:
    """What `prior-art … --json` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "lsp_server", *arguments, "--json"],
        capture_output=True,
        cwd=home,
        env=private_environment(home),
        timeout=TIMEOUT_SECONDS * 3,
        check=False,
    )
    assert done.stderr == b""
    return dict(json.loads(done.stdout))


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "searched_at"}


# -- The answers


@pytest.mark.parametrize(
    ("command", "argument", "arguments"),
    [
        ("search", "E4217", ["search", "E4217"]),
        ("search", {"query": "서명 키"}, ["search", "서명 키"]),
        ("search", {"query": "clock", "source": "wiki,board"}, ["search", "clock", "--source", "wiki,board"]),
        ("search", {"query": "nothing-of-the-kind"}, ["search", "nothing-of-the-kind"]),
        ("searchKg", "rotate the signing key", ["kg", "rotate the signing key"]),
        (
            "searchKg",
            {"query": "clock", "scope": "archive", "state": "SUCCESS", "limit": 1, "project_slug": "x"},
            [
                "kg",
                "clock",
                "--scope",
                "archive",
                "--state",
                "SUCCESS",
                "--limit",
                "1",
                "--project-slug",
                "x",
            ],
        ),
        ("searchKg", {"query": "clock", "project-slug": "x"}, ["kg", "clock", "--project-slug", "x"]),
        ("status", None, ["status"]),
    ],
)
def test_a_command_answers_like_the_command_line(
    editor: Editor, home: Path, command: str, argument: Any, arguments: list[str]
) -> None:
    answer = editor.command(f"priorArt.{command}", *([] if argument is None else [argument]))
    assert without_time(answer) == without_time(command_line(home, *arguments, "--root", str(HARBOUR)))


@pytest.mark.parametrize(("command", "argument"), [("search", {"query": "E4217"}), ("status", {})])
def test_an_incomplete_store_answers_like_the_command_line(
    editor: Editor, home: Path, command: str, argument: dict[str, str]
) -> None:
    answer = editor.command(f"priorArt.{command}", {**argument, "root": str(BROKEN)})
    assert answer == command_line(home, command, *argument.values(), "--root", str(BROKEN))


def test_every_command_takes_a_query_with_a_limit(editor: Editor) -> None:
    for command, argument in (
        ("priorArt.search", {"query": "a", "limit": 1}),
        ("priorArt.searchKg", {"query": "signing", "limit": 1}),
        ("priorArt.status", "a"),
    ):
        answer = editor.request("workspace/executeCommand", {"command": command, "arguments": [argument]})
        assert answer["type"] in ("prior_art", "search_kg", "status")
    answer = editor.request(
        "workspace/executeCommand", {"command": "priorArt.search", "arguments": [{"query": "a", "limit": 1}]}
    )
    assert [source["match_count"] for source in answer["sources"].values()] == [1, 1, 1]


def test_several_folders_answer_together(several: Editor) -> None:
    answer = several.command("priorArt.search", "E4217")
    assert answer["status"] == "incomplete"
    assert [match["text"][:22] for match in answer["sources"]["memory"]["matches"]] == [
        "E4217 means that the s",
        "E4217 means that the c",
    ]
    board = answer["sources"]["board"]
    assert [Path(match["path"]).parts[-3] for match in board["matches"]] == ["harbour", "broken"]
    assert [problem["path"] for problem in board["problems"]] == [str(BROKEN / ".masc/board_posts.jsonl")]
    assert [root["root"] for root in several.command("priorArt.status")["roots"]] == [
        str(HARBOUR),
        str(BROKEN),
    ]


def test_a_named_root_answers_alone(several: Editor) -> None:
    answer = several.command("priorArt.search", {"query": "E4217", "root": str(HARBOUR)})
    assert answer["status"] == "complete"


def test_a_file_as_root_means_its_folder(lonely: Editor) -> None:
    page = HARBOUR / "docs/wiki/glossary.md"
    (root,) = lonely.command("priorArt.status", {"root": str(page)})["roots"]
    assert root["root"] == str(page.parent)


# -- What is refused


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("search", None, "the query is empty; give a short fragment as observed, such as an error code"),
        ("search", [], "the query is empty; give a short fragment as observed, such as an error code"),
        ("search", [" "], "the query is empty; give a short fragment as observed, such as an error code"),
        ("search", [{}], "the query is empty; give a short fragment as observed, such as an error code"),
        ("search", ["a" * 201], "the query has 201 characters; at most 200 are searched"),
        ("search", ["a", "b"], "takes one argument, 2 were given"),
        ("search", [7], "the argument has to be the query as text, or an object with options"),
        ("search", [["a"]], "the argument has to be the query as text, or an object with options"),
        ("search", [{"query": 7}], "query has to be text"),
        ("search", [{"query": "a", "scope": "all"}], "unknown option scope; there are query, source, limit, root"),
        ("search", [{"query": "a", "limit": 0}], "limit has to be a whole number from 1"),
        ("search", [{"query": "a", "source": "web"}], "unknown source 'web'; there are memory,wiki,board"),
        ("search", [{"query": "a", "source": []}], "source has to be some of memory,wiki,board"),
        ("search", [{"query": "a", "root": "/no/such/folder"}], "/no/such/folder is no folder"),
        ("searchKg", [{"query": "a", "limit": "1"}], "limit has to be a whole number from 1"),
        ("searchKg", [{"query": "a", "limit": True}], "limit has to be a whole number from 1"),
        ("searchKg", [{"query": "a", "limit": 0}], "limit has to be a whole number from 1"),
        ("searchKg", [{"query": "a", "scope": "some"}], "scope has to be one of all, archive, live"),
        ("status", [{"source": "wiki"}], "unknown option source; there is root"),
        ("status", [{"root": 1}], "root has to be text"),
        ("open", [{"path": 1}], NO_FILE),
        ("open", [{"path": "/etc/passwd"}], NO_FILE),
        ("open", [{"path": NEIGHBOUR}], NO_FILE),
        ("open", [{"path": PAGE, "line": 0}], "line has to be a whole number from 1"),
        ("open", [{"path": PAGE, "query": "a"}], "unknown option query; a path goes with line only"),
        ("open", [{"query": "a", "line": 1}], "unknown option line; there are query, source, limit, root"),
    ],
)  # fmt: skip
def test_a_bad_argument_is_refused_with_one_line(
    editor: Editor, command: str, arguments: Any, message: str
) -> None:
    params = {"command": f"priorArt.{command}", "arguments": arguments}
    error = editor.request_error("workspace/executeCommand", params)
    assert (error["code"], error["message"]) == (INVALID_PARAMS, message)
    assert "data" not in error


@pytest.mark.parametrize("command", ["search", "searchKg", "open"])
def test_without_a_folder_there_is_nothing_to_ask(lonely: Editor, command: str) -> None:
    params = {"command": f"priorArt.{command}", "arguments": ["E4217"]}
    error = lonely.request_error("workspace/executeCommand", params)
    assert error["code"] == INVALID_PARAMS
    assert "no workspace is open" in error["message"]


def test_without_a_folder_the_status_is_empty(lonely: Editor) -> None:
    assert lonely.command("priorArt.status")["roots"] == []


def test_an_unknown_command_is_refused(editor: Editor) -> None:
    error = editor.request_error("workspace/executeCommand", {"command": "priorArt.explode", "arguments": []})
    assert error["code"] == INVALID_PARAMS


# -- priorArt.open


def test_open_shows_the_place_in_an_editor_that_can(editor: Editor) -> None:
    page = HARBOUR / "docs/wiki/signing-errors.md"
    answer = editor.command("priorArt.open", {"path": str(page), "line": 8})
    assert answer == {"type": "open", "path": str(page), "line": 8, "shown": True}
    shown = editor.wait_request("window/showDocument")["params"]
    start = {"line": 7, "character": 0}
    assert shown["uri"] == page.as_uri()
    assert shown["selection"] == {"start": start, "end": start}


def test_open_takes_the_best_match_of_a_query(editor: Editor) -> None:
    answer = editor.command("priorArt.open", "선석")
    assert (Path(answer["path"]).name, answer["line"], answer["shown"]) == ("glossary.md", 3, True)
    assert editor.command("priorArt.open", "WP-ST-15")["path"].endswith("WP-ST-15.md")
    assert editor.command("priorArt.open", {"query": "E4217", "source": "board"})["line"] == 1


def test_open_without_a_match_shows_nothing(editor: Editor) -> None:
    before = len(editor.requests_of_server())
    answer = editor.command("priorArt.open", "nothing-of-the-kind")
    assert answer == {"type": "open", "path": None, "line": None, "shown": False}
    assert len(editor.requests_of_server()) == before


def test_an_editor_that_cannot_open_is_told_the_place(home: Path) -> None:
    page = HARBOUR / "docs/wiki/signing-errors.md"
    with Editor(capabilities_of("emacs"), [HARBOUR], home) as emacs:
        answer = emacs.command("priorArt.open", {"path": str(page), "line": 8})
        assert answer["shown"] is False
        assert emacs.popups() == [f"{page}:8"]
        assert "window/showDocument" not in emacs.requests_of_server()


def test_an_editor_that_never_answers_holds_nothing_up(home: Path) -> None:
    silent = ("window/showDocument", "workspace/configuration", "client/registerCapability")
    with Editor(capabilities_of("vscode"), [HARBOUR], home, silent=silent) as editor:
        asked = editor.start("workspace/executeCommand", {"command": "priorArt.open", "arguments": ["E4217"]})
        editor.wait_request("window/showDocument")
        assert editor.command("priorArt.search", "E4217")["status"] == "complete"
        assert editor.answers(asked) == []
        assert editor.wait_answer(asked)["result"]["shown"] is False
        assert len(editor.popups()) == 1
