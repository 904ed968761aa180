"""One client's workspace over stdio: settings, folders, changes on disk, and what must not hold the server up."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from editor import STORES, Editor, capabilities_of, wait_until
from raw_client import Message

HARBOUR = STORES / "harbour"
CANCELLED = -32800
KNOWN = 'raise Error("E4‸217")'

only_where_home_can_move = pytest.mark.skipif(
    sys.platform == "win32", reason="the user's folders cannot be moved"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a store of its own, to be changed at will."""
    return add_store(tmp_path / "workspace", "E4217 means that the clock is off.")


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor without folders, for documents anywhere."""
    with Editor(capabilities_of("vscode"), None, tmp_path_factory.mktemp("editor")) as editor:
        yield editor
        assert editor.unexpected() == []
        assert editor.popups() == []


def add_store(folder: Path, *claims: str, keeper: str = "tide") -> Path:
    keepers = folder / ".masc/config/keepers"
    keepers.mkdir(parents=True, exist_ok=True)
    facts = [{"claim": claim, "category": "fact"} for claim in claims]
    temporary = keepers / "new"
    temporary.write_text(json.dumps({"revision": 1, "facts": facts}), encoding="utf-8")
    temporary.replace(keepers / f"{keeper}.memory-current.json")
    return folder


def uri_in(folder: Path, name: str = "a.py") -> str:
    return (folder / name).as_uri()


def is_known(editor: Editor, uri: str, marked: str = KNOWN) -> bool:
    return editor.hover_text(uri, marked) is not None


def soon(editor: Editor, uri: str, *, known: bool) -> None:
    """Changes on disk are seen without a word from the client, but not at once."""
    wait_until(lambda: is_known(editor, uri) is known)


# -- Settings


@only_where_home_can_move
def test_each_layer_of_settings_lies_over_the_one_before(home: Path, workspace: Path) -> None:
    uri = uri_in(workspace)
    user_file = home / ".config/prior-art/config.toml"
    if sys.platform == "darwin":
        user_file = home / "Library/Application Support/prior-art/config.toml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text("[hover]\nenable = false\n")
    with Editor(capabilities_of("vscode"), [workspace], home) as editor:
        assert not is_known(editor, uri)
        (workspace / ".prior-art.toml").write_text("hover.enable = true\n")
        assert is_known(editor, uri)
    with Editor(
        capabilities_of("vscode"),
        [workspace],
        home,
        options={"hover": {"enable": False}},
        silent=["workspace/configuration"],
    ) as editor:
        assert not is_known(editor, uri)
    with Editor(
        capabilities_of("vscode"),
        [workspace],
        home,
        options={"priorArt": {"hover.enable": False}},
        configuration={"hover": {"enable": True}},
    ) as editor:
        wait_until(lambda: is_known(editor, uri))


def test_the_first_lookup_waits_for_the_settings(home: Path, workspace: Path) -> None:
    uri = uri_in(workspace)
    with Editor(capabilities_of("vscode"), [workspace], home, silent=["workspace/configuration"]) as editor:
        editor.show(uri, "raise E4217")
        request = editor.wait_request("workspace/configuration")
        asked = editor.start("textDocument/hover", at(uri, 8))
        editor.answer(request, [{"hover": {"enable": False}}])
        assert editor.wait_answer(asked)["result"] is None


def test_a_client_that_refuses_to_say_its_settings_gets_answers(home: Path, workspace: Path) -> None:
    with Editor(capabilities_of("vscode"), [workspace], home, silent=["workspace/configuration"]) as editor:
        request = editor.wait_request("workspace/configuration")
        editor.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}})
        assert is_known(editor, uri_in(workspace))


def test_a_changed_settings_file_counts_without_restart(editor: Editor, workspace: Path) -> None:
    uri, file = uri_in(workspace), workspace / ".prior-art.toml"
    assert is_known(editor, uri)
    file.write_text('hover.ignore = ["e42*"]\n')
    assert not is_known(editor, uri)
    file.unlink()
    assert is_known(editor, uri)


def test_the_client_is_asked_again_when_its_settings_change(home: Path, workspace: Path) -> None:
    uri = uri_in(workspace)
    with Editor(capabilities_of("vscode"), [workspace], home) as editor:
        assert is_known(editor, uri)
        editor.configuration[0] = {"hover": {"enable": False}}
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        wait_until(lambda: not is_known(editor, uri))
        editor.configuration[0] = None
        editor.notify("workspace/didChangeConfiguration", {"settings": {}})
        wait_until(lambda: is_known(editor, uri))
        assert editor.popups() == []


def test_each_of_several_folders_may_have_settings_of_its_own(
    home: Path, workspace: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    add_store(other, "E4217 is known here, too.")
    places = [workspace, other]
    with Editor(capabilities_of("vscode"), places, home, silent=["workspace/configuration"]) as editor:
        request = editor.wait_request("workspace/configuration")
        scopes = [item.get("scopeUri") for item in request["params"]["items"]]
        assert scopes == [None, *(place.as_uri() for place in places)]
        editor.answer(request, [{"hover": {"enable": False}}, {"hover": {"enable": True}}, None])
        assert is_known(editor, uri_in(workspace))
        assert not is_known(editor, uri_in(other))
        folders = {"added": [], "removed": [{"uri": other.as_uri(), "name": "other"}]}
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": folders})
        wait_until(lambda: editor.requests_of_server().count("workspace/configuration") == 2)
        again = [
            message for message in editor.received if message.get("method") == "workspace/configuration"
        ][1]
        assert len(again["params"]["items"]) == 2
        editor.answer(again, [{"hover": {"enable": True}}, {"hover": {"enable": False}}])
        wait_until(lambda: not is_known(editor, uri_in(workspace)))


def test_a_message_that_quotes_somebody_holds_no_link(home: Path, workspace: Path) -> None:
    roots = ["[Repair it](command:workbench.action.quit)"]
    with Editor({}, [workspace], home, options={"extraRoots": roots}) as editor:
        assert is_known(editor, uri_in(workspace))
        wait_until(lambda: len(editor.popups()) == 1)
        assert "[Repair it] (command:workbench.action.quit)" in editor.popups()[0]


def test_any_answer_about_settings_leaves_the_server_working(home: Path, workspace: Path) -> None:
    answers: list[Any] = [[None], [], None, [7], ["text"], {"an": "object"}, [{"priorArt": None}]]
    with Editor(capabilities_of("neovim-0.11"), [workspace], home) as editor:
        for number, answer in enumerate(answers, start=2):
            editor.configuration = answer
            editor.notify("workspace/didChangeConfiguration", {"settings": None})
            wait_until(lambda: editor.requests_of_server().count("workspace/configuration") == number)  # noqa: B023
            assert is_known(editor, uri_in(workspace))
        assert editor.unexpected() == []


def test_a_client_that_cannot_be_asked_may_push_its_settings(home: Path, workspace: Path) -> None:
    uri = uri_in(workspace)
    with Editor({}, [workspace], home) as editor:
        for settings in (None, [], "x", {"other": {"hover": {"enable": False}}}):
            editor.notify("workspace/didChangeConfiguration", {"settings": settings})
        assert is_known(editor, uri)
        editor.notify(
            "workspace/didChangeConfiguration", {"settings": {"priorArt": {"hover": {"enable": False}}}}
        )
        wait_until(lambda: not is_known(editor, uri))
        assert editor.requests_of_server() == []


def test_wrong_values_are_shown_once_and_unknown_keys_logged_once(home: Path, workspace: Path) -> None:
    uri = uri_in(workspace)
    (workspace / ".prior-art.toml").write_text('colour = "red"\n[hover]\nenable = "yes"\n')
    options = {"hover": {"minTokenLength": -1, "size": 3}}
    with Editor(capabilities_of("vscode"), [workspace], home, options=options) as editor:
        editor.configuration[0] = {"hover": {"sources": ["web"]}}
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        for _ in range(5):
            assert is_known(editor, uri)
        wait_until(lambda: len(editor.popups()) == 3)
        file = workspace / ".prior-art.toml"
        assert sorted(editor.popups()) == sorted(
            [
                f"prior-art: {file}: hover.enable has to be true or false; it is ignored",
                "prior-art: initializationOptions: hover.minTokenLength has to be a whole number from 0; "
                "it is ignored",
                "prior-art: client settings: hover.sources has to be a list of memory, wiki, board, contracts, "
                "knowledge; it is ignored",
            ]
        )
        wait_until(lambda: len(editor.logged()) == 2)
        assert sorted(editor.logged()) == sorted(
            [
                f"prior-art: {file}: unknown setting colour; it is ignored",
                "prior-art: initializationOptions: unknown setting hover.size; it is ignored",
            ]
        )


def test_wrong_settings_are_told_of_before_anybody_looks_anything_up(home: Path, workspace: Path) -> None:
    with Editor(
        capabilities_of("vscode"), [workspace], home, configuration={"maxFileBytes": "many"}
    ) as editor:
        wait_until(lambda: len(editor.popups()) == 1)


@pytest.mark.parametrize("options", ["text", {"priorArt": 7}, {"hover": None, "hover.enable": None}])
def test_odd_initialization_options_leave_the_server_working(
    home: Path, workspace: Path, options: Any
) -> None:
    with Editor({}, [workspace], home, options=options) as editor:
        assert is_known(editor, uri_in(workspace))
        assert editor.unexpected() == []
        assert len(editor.popups()) <= 1


def test_a_settings_file_that_is_no_toml_is_named_and_may_be_repaired(home: Path, workspace: Path) -> None:
    file = workspace / ".prior-art.toml"
    file.write_text("hover = [\n")
    with Editor({}, [workspace], home) as editor:
        assert is_known(editor, uri_in(workspace))
        wait_until(lambda: len(editor.popups()) == 1)
        assert str(file) in editor.popups()[0]
        assert "\n" not in editor.popups()[0]
        file.write_text("hover.enable = false\n")
        assert not is_known(editor, uri_in(workspace))
        assert len(editor.popups()) == 1


def test_further_roots_answer_too(home: Path, workspace: Path, tmp_path: Path) -> None:
    add_store(tmp_path / "team", "E9999 is known to the team.")
    # No system has a name so long: asked what is there, some answer with an error.
    wrong = [str(tmp_path / "nowhere"), str(tmp_path / ("long" * 100))]
    roots = ["${workspaceFolder}/../team", *wrong]
    with Editor({}, [workspace], home, options={"extraRoots": roots}) as editor:
        assert is_known(editor, uri_in(workspace), "E99‸99")
        assert is_known(editor, uri_in(workspace))
        wait_until(lambda: len(editor.popups()) == 2)
        said = [f"prior-art: extraRoots: {place} is no folder; it is ignored" for place in wrong]
        assert sorted(editor.popups()) == sorted(said)


# -- What a client did not ask for


def test_a_client_without_capabilities_is_asked_nothing(home: Path, workspace: Path) -> None:
    with Editor({}, [workspace], home) as editor:
        assert is_known(editor, uri_in(workspace))
        editor.command("priorArt.search", "E4217")
        assert editor.requests_of_server() == []


@pytest.mark.parametrize(
    ("client", "asked"),
    [
        (
            "vscode",
            {
                "workspace/configuration",
                "workspace/didChangeConfiguration",
                "workspace/didChangeWatchedFiles",
            },
        ),
        ("neovim-0.10", {"workspace/configuration"}),
        ("neovim-0.11", {"workspace/configuration"}),
        ("emacs", {"workspace/configuration", "workspace/didChangeWatchedFiles"}),
    ],
)
def test_a_client_registers_only_what_it_can(
    home: Path, workspace: Path, client: str, asked: set[str]
) -> None:
    with Editor(capabilities_of(client), [workspace], home) as editor:
        assert is_known(editor, uri_in(workspace))
        wait_until(lambda: len(editor.requests_of_server()) == len(asked))
        assert {
            name_of(message) for message in editor.received if "method" in message and "id" in message
        } == asked


def name_of(request: Message) -> str:
    if request["method"] == "client/registerCapability":
        (registration,) = request["params"]["registrations"]
        return str(registration["method"])
    return str(request["method"])


def test_stdout_carries_nothing_but_messages(home: Path, workspace: Path) -> None:
    (workspace / ".prior-art.toml").write_text("nonsense\n")
    with Editor(capabilities_of("vscode"), [workspace], home) as editor:
        assert is_known(editor, uri_in(workspace))
        editor.request_error("workspace/executeCommand", {"command": "priorArt.search", "arguments": [1]})
        assert editor.leave() == 0
        editor.wait_closed()
        assert all(message.get("jsonrpc") == "2.0" for message in editor.received)


# -- Folders


@pytest.mark.parametrize(
    "place", ["rootUri", "rootPath", "file as rootUri", "file as folder", "unknown scheme"]
)
def test_where_the_workspace_is(home: Path, workspace: Path, place: str) -> None:
    file = workspace / "plan.md"
    file.write_text("")
    folders: Any = None
    params: dict[str, Any] = {
        "rootUri": {"rootUri": workspace.as_uri(), "workspaceFolders": None},
        "rootPath": {"rootUri": None, "rootPath": str(workspace)},
        "file as rootUri": {"rootUri": file.as_uri()},
    }.get(place, {})
    if place == "file as folder":
        folders = [file]
    if place == "unknown scheme":
        params = {"workspaceFolders": [{"uri": "vscode-remote://host/x", "name": "x"}]}
    with Editor({}, folders, home, **params) as editor:
        assert is_known(editor, "untitled:Untitled-1") is (place != "unknown scheme")
        assert is_known(editor, uri_in(workspace))


def test_without_a_folder_the_nearest_store_above_the_document_answers(
    editor: Editor, workspace: Path
) -> None:
    assert is_known(editor, uri_in(workspace / "deep/er"))
    assert not is_known(editor, uri_in(workspace.parent))
    assert not is_known(editor, "untitled:Untitled-1")


def test_a_store_above_the_folder_answers_and_the_nearest_one_wins(home: Path, workspace: Path) -> None:
    inner = workspace / "packages/quay"
    inner.mkdir(parents=True)
    with Editor({}, [inner], home) as editor:
        assert is_known(editor, uri_in(inner))
        assert is_known(editor, "untitled:Untitled-1")
        add_store(inner, "E5555 is another matter.")
        assert is_known(editor, uri_in(inner), "E55‸55")
        assert not is_known(editor, uri_in(inner))
        assert is_known(editor, uri_in(workspace))


@only_where_home_can_move
def test_home_is_never_a_root_by_itself(home: Path) -> None:
    add_store(home, "E4217 is private.")
    with Editor({}, [home], home, rootUri=home.as_uri()) as editor:
        assert not is_known(editor, uri_in(home / "project"))
        assert not is_known(editor, "untitled:Untitled-1")
        assert editor.command("priorArt.status")["roots"] == []
        named = editor.command("priorArt.search", {"query": "E4217", "root": str(home)})
        assert named["sources"]["memory"]["match_count"] == 1


def test_the_root_of_the_file_system_is_never_a_root_by_itself(home: Path) -> None:
    with Editor({}, [Path(home.anchor)], home) as editor:
        assert not is_known(editor, uri_in(home))
        assert not is_known(editor, "untitled:Untitled-1")
        assert editor.command("priorArt.status")["roots"] == []


def test_folders_come_and_go(home: Path, workspace: Path) -> None:
    uri = "untitled:Untitled-1"
    folder = {"uri": workspace.as_uri(), "name": "workspace"}
    with Editor(capabilities_of("vscode"), [], home) as editor:
        assert not is_known(editor, uri)
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
        assert is_known(editor, uri)
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        assert not is_known(editor, uri)


def test_a_workspace_behind_a_link_is_the_one_that_was_opened(
    home: Path, workspace: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(workspace, target_is_directory=True)
    except OSError:
        pytest.skip("links cannot be made here")
    (workspace / "loop").symlink_to(workspace, target_is_directory=True)
    with Editor(capabilities_of("vscode"), [link], home) as editor:
        text = editor.hover_text(uri_in(link), KNOWN)
        assert text is not None
        assert link.as_uri() in text
        assert workspace.as_uri() not in text


@pytest.mark.parametrize(
    "uri",
    [
        "vscode-notebook-cell:{path}/a.ipynb#W0sZmlsZQ%3D%3D",
        "git:{path}/a.py?%7B%22ref%22%3A%22HEAD%22%7D",
        "file://{path}/%61%20b%ED%95%9C.py",
    ],
)
def test_documents_under_other_schemes_have_the_stores_of_their_path(
    editor: Editor, workspace: Path, uri: str
) -> None:
    assert is_known(editor, uri.replace("{path}", workspace.as_uri().removeprefix("file://")))


def test_cells_of_a_notebook_are_documents(editor: Editor, workspace: Path) -> None:
    cell = f"vscode-notebook-cell:{workspace.as_uri().removeprefix('file://')}/a.ipynb#one"
    notebook = {"uri": uri_in(workspace, "a.ipynb"), "notebookType": "jupyter-notebook", "version": 1}
    cells = [{"kind": 2, "document": cell}]
    item = {"uri": cell, "languageId": "python", "version": 1, "text": "raise E4217"}
    opened = {"notebookDocument": {**notebook, "cells": cells}, "cellTextDocuments": [item]}
    editor.notify("notebookDocument/didOpen", opened)
    assert editor.hover(cell, {"line": 0, "character": 8}) is not None


@pytest.mark.parametrize("uri", ["file:///nowhere/at/all.py", "untitled:never", "", "no uri", "git:/x?y"])
def test_a_document_that_is_not_open_has_no_hover(editor: Editor, uri: str) -> None:
    assert editor.hover(uri, {"line": 0, "character": 0}) is None


@pytest.mark.parametrize(("line", "character"), [(9, 0), (0, 999), (2**31 - 1, 2**31 - 1)])
def test_a_position_outside_the_document_is_no_error(
    editor: Editor, workspace: Path, line: int, character: int
) -> None:
    editor.show(uri_in(workspace), "see E4217")
    hover = editor.hover(uri_in(workspace), {"line": line, "character": character})
    assert (hover is not None) is (line == 0)


# -- Changes on disk


def test_changes_on_disk_are_seen_without_restart(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    uri = uri_in(folder)
    with Editor({}, [folder], home) as editor:
        assert not is_known(editor, uri)
        add_store(folder, "E4217 is known.")
        soon(editor, uri, known=True)
        add_store(folder, "E4218 is known.")
        soon(editor, uri, known=False)
        add_store(folder, "E4217 is known again.")
        soon(editor, uri, known=True)
        shutil.rmtree(folder / ".masc")
        soon(editor, uri, known=False)
        assert editor.unexpected() == []


def test_a_page_that_is_gone_is_not_cited(editor: Editor, workspace: Path) -> None:
    pages = workspace / "docs/wiki"
    pages.mkdir(parents=True)
    page = pages / "clock.md"
    page.write_text("# Clock\n\nE5555\n")
    assert is_known(editor, uri_in(workspace), "E55‸55")
    page.unlink()
    assert not is_known(editor, uri_in(workspace), "E55‸55")


def test_many_watched_files_at_once_leave_it_answering(editor: Editor, workspace: Path) -> None:
    changes = {"changes": [{"uri": uri_in(workspace, "x.md"), "type": 2}]}
    assert is_known(editor, uri_in(workspace))
    for _ in range(500):
        editor.notify("workspace/didChangeWatchedFiles", changes)
    assert is_known(editor, uri_in(workspace))


# -- What must not hold the server up


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A store that takes seconds to read for the first time."""
    words = [f"word{number}" for number in range(977)]
    claims = [
        f"E{number}: {words[number % 977]} was {words[number * 7 % 977]} by {words[number * 31 % 977]}."
        for number in range(120_000)
    ]
    for start in range(0, len(claims), 2_000):
        add_store(tmp_path / "large", *claims[start : start + 2_000], keeper=f"tide{start:06}")
    return tmp_path / "large"


@pytest.fixture
def indexing(large: Path, home: Path) -> Iterator[Editor]:
    """An editor whose server is still reading."""
    with Editor(capabilities_of("vscode"), [large], home) as editor:
        yield editor
        assert editor.unexpected() == []


LAST_CLAIM = "raise E‸119999"


def test_a_store_that_is_still_read_answers_at_once_and_says_so(indexing: Editor, large: Path) -> None:
    uri = uri_in(large)
    text = indexing.hover_text(uri, LAST_CLAIM)
    assert text is not None
    assert re.search(r"^⚠ memory incomplete: indexing \d\d? %", text, re.MULTILINE)
    wait_until(lambda: "was" in str(indexing.hover_text(uri, LAST_CLAIM)))
    text = indexing.hover_text(uri, LAST_CLAIM)
    assert text is not None
    assert "indexing" not in text


def test_the_client_shows_how_far_the_reading_is(indexing: Editor) -> None:
    wait_until(lambda: any(value["kind"] == "end" for value in progress_of(indexing)))
    begin, *reports, end = progress_of(indexing)
    assert (begin["kind"], begin["title"], begin["message"]) == ("begin", "Prior art", "indexing large")
    assert end == {"kind": "end"}
    percentages = [report["percentage"] for report in reports]
    assert percentages == sorted(percentages)
    assert set(percentages) <= set(range(100))
    created = [message for message in indexing.received if message.get("method", "").endswith("/create")]
    assert [message["method"] for message in created] == ["window/workDoneProgress/create"]


def test_a_client_without_progress_is_not_told(large: Path, home: Path) -> None:
    with Editor({}, [large], home) as editor:
        wait_until(lambda: "was" in str(editor.hover_text(uri_in(large), LAST_CLAIM)))
        assert progress_of(editor) == []
        assert editor.unexpected() == []


def test_a_store_that_was_read_before_is_not_indexed_again(large: Path, home: Path) -> None:
    for _ in range(2):
        with Editor(capabilities_of("vscode"), [large], home) as editor:
            wait_until(lambda editor=editor: "was" in str(editor.hover_text(uri_in(large), LAST_CLAIM)))
            wait_until(lambda editor=editor: editor.command("priorArt.status")["roots"][0]["cache"]["bytes"])
    assert progress_of(editor) == []


def test_many_hovers_and_cancels_leave_the_server_answering(indexing: Editor, large: Path) -> None:
    uri = uri_in(large)
    indexing.show(uri, "raise E119999")
    asked = [indexing.start("textDocument/hover", at(uri, 8)) for _ in range(50)]
    for msg_id in asked:
        indexing.notify("$/cancelRequest", {"id": msg_id})
    answers = [indexing.wait_answer(msg_id) for msg_id in asked]
    # A hover may be ready before its cancellation is read; each has one answer all the same.
    assert {answer.get("error", {"code": CANCELLED})["code"] for answer in answers} == {CANCELLED}
    assert indexing.request("textDocument/hover", at(uri, 8), timeout=20) is not None
    assert indexing.request("textDocument/hover", at(uri, 8)) is not None
    assert all(len(indexing.answers(msg_id)) == 1 for msg_id in asked)


def progress_of(editor: Editor) -> list[Message]:
    return [
        message["params"]["value"] for message in editor.received if message.get("method") == "$/progress"
    ]


def at(uri: str, character: int, line: int = 0) -> Message:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


@pytest.mark.parametrize("shape", ["many lines", "one line"])
def test_large_documents_are_answered_for(editor: Editor, workspace: Path, shape: str) -> None:
    uri = uri_in(workspace)
    if shape == "many lines":
        text, where = "x = 한글 # nothing here\n" * 400_000 + "raise E4217\n", at(uri, 8, 400_000)
    else:
        text, where = "x = y; " * 75_000 + "raise E4217; " + "한 = y; " * 75_000, at(uri, 525_000 + 8)
    editor.show(uri, text, "python")
    assert editor.hover(uri, {"line": 0, "character": 1}) is None
    assert editor.request("textDocument/hover", where) is not None
    place = {"start": where["position"], "end": where["position"]}
    params = {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": [], "triggerKind": 1}}
    assert editor.request("textDocument/codeAction", params)
    editor.close(uri)


def test_a_huge_diagnostic_is_answered_for(editor: Editor, workspace: Path) -> None:
    uri = uri_in(workspace)
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    messages = ["unknown_name_1 " * 70_000, "e_1 " * 500, "\n" * 1000, " "]
    diagnostics = [{"range": place, "message": message, "code": "x" * 100_000} for message in messages]
    context = {"diagnostics": diagnostics * 3, "triggerKind": 2}
    editor.show(uri, "x")
    params = {"textDocument": {"uri": uri}, "range": place, "context": context}
    assert editor.request("textDocument/codeAction", params) is None


def test_the_server_ends_though_a_store_is_being_read(indexing: Editor, large: Path) -> None:
    uri = uri_in(large)
    indexing.show(uri, "raise E4217")
    indexing.start("textDocument/hover", at(uri, 8))
    assert indexing.leave() == 0


def test_a_snapshot_that_cannot_be_read_is_named(home: Path, workspace: Path) -> None:
    # A folder in the file's place cannot be read by anybody, root included.
    snapshot = workspace / ".masc/config/keepers/tide.memory-current.json"
    snapshot.unlink()
    snapshot.mkdir()
    with Editor({}, [workspace], home) as editor:
        text = editor.hover_text(uri_in(workspace), KNOWN)
        assert text is not None
        assert "⚠ memory incomplete" in text
