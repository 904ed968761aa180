"""The commands of an editor's own user interface over stdio: lists, pages and insertions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from editor import STORES, Editor, capabilities_of, wait_until

INVALID_PARAMS = -32602
HARBOUR, BROKEN, BUSY = STORES / "harbour", STORES / "broken", STORES / "busy"
CODE = f"{HARBOUR.as_uri()}/src/sign.py"
EMPTY = "the query is empty; give a short fragment as observed, such as an error code"
NO_BASE = "no knowledge base here: no folder in .knowledge, and none in knowledge.folders"
GONE = "it is no longer in the stores; search again"
SOURCES = ("memory", "wiki", "board", "contracts", "knowledge")
ITEMS = {
    "runbooks/rotate.md": "---\ntitle: Rotating the signing key\nsource: wiki 7\n---\n"
    "# Rotation\n\nStop the worker before E4217 comes. 🚢 서명 키\n",
    "runbooks/menu.md": "# The canteen\n\nOn Fridays there is fish.\n",
    "decisions/queue.md": "# One queue per worker\n\nEach worker has one, see src/queue.py.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def checked(editor: Editor) -> Iterator[Editor]:
    with editor:
        yield editor
        assert editor.unexpected() == []
        assert editor.popups() == []
        assert "Traceback" not in editor.stderr


@pytest.fixture(scope="module")
def editor(home: Path) -> Iterator[Editor]:
    """An editor that has one folder open."""
    yield from checked(Editor(capabilities_of("vscode"), [HARBOUR], home))


@pytest.fixture(scope="module")
def several(home: Path) -> Iterator[Editor]:
    """An editor that has several folders open."""
    yield from checked(Editor(capabilities_of("vscode"), [HARBOUR, BROKEN], home))


@pytest.fixture(scope="module")
def lonely(home: Path) -> Iterator[Editor]:
    """An editor without a folder."""
    yield from checked(Editor({}, None, home))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with published knowledge."""
    root = tmp_path_factory.mktemp("base")
    for name, text in ITEMS.items():
        write(root / ".knowledge" / name, text)
    return root


@pytest.fixture(scope="module")
def informed(base: Path, home: Path) -> Iterator[Editor]:
    """An editor whose folder has published knowledge, ranked by words alone."""
    options = {"knowledge.semantic": False}
    yield from checked(Editor(capabilities_of("vscode"), [base], home, options=options))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def look_up(editor: Editor, query: str, **options: Any) -> dict[str, Any]:
    return dict(editor.command("priorArt.lookUp", {"query": query, **options}))


def sources_of(answer: dict[str, Any]) -> list[str]:
    return [match["source"] for match in answer["matches"]]


def error_of(editor: Editor, command: str, *arguments: Any) -> str:
    """The one line that a bad argument is refused with."""
    params = {"command": f"priorArt.{command}", "arguments": list(arguments)}
    error = editor.request_error("workspace/executeCommand", params)
    assert error["code"] == INVALID_PARAMS
    assert "data" not in error
    message = str(error["message"])
    assert "\n" not in message
    return message


# -- priorArt.lookUp


def test_a_list_is_of_every_source(editor: Editor) -> None:
    answer = look_up(editor, "E4217")
    assert (answer["type"], answer["query"], answer["status"]) == ("look_up", "E4217", "complete")
    assert sources_of(answer) == ["memory", "wiki", "board", "contracts"]
    assert answer["total_count"] == 4
    complete = {"status": "complete", "total_count": 1, "problems": []}
    absent = {"status": "absent", "total_count": 0, "problems": []}
    assert answer["sources"] == {**dict.fromkeys(SOURCES[:4], complete), "knowledge": absent}
    assert answer["matches"][1] == {
        "source": "wiki",
        "id": str(HARBOUR / "docs/wiki/signing-errors.md"),
        "text": "Signing errors",
        "provenance": [],
        "place": "docs/wiki/signing-errors.md:8",
        "path": str(HARBOUR / "docs/wiki/signing-errors.md"),
        "line": 8,
        "detail": "",
        "copy": "wiki, Signing errors (docs/wiki/signing-errors.md:8)",
    }
    assert editor.command("priorArt.lookUp", "E4217") == answer


def test_a_phrase_that_nothing_holds_is_looked_up_by_its_words(editor: Editor) -> None:
    assert look_up(editor, "the unheard-of worker")["matches"]
    assert look_up(editor, "nothing-of-the-kind")["matches"] == []


@pytest.mark.parametrize("source", ["wiki,contracts", ["contracts", "wiki"]])
def test_only_the_sources_that_are_named_take_part(editor: Editor, source: Any) -> None:
    answer = look_up(editor, "E4217", source=source)
    assert sources_of(answer) == ["wiki", "contracts"]
    assert list(answer["sources"]) == ["wiki", "contracts"]


@pytest.mark.parametrize("limit", [1, 2, 50, 10**30])
def test_a_limit_holds_for_every_source(editor: Editor, limit: int) -> None:
    answer = look_up(editor, "E9009", limit=limit, root=str(BUSY))
    counts = {source: sources_of(answer).count(source) for source in SOURCES}
    total = {source: answer["sources"][source]["total_count"] for source in SOURCES}
    assert counts == {source: min(limit, count) for source, count in total.items()}
    assert answer["total_count"] == 18


def test_contracts_are_ranked_for_words(editor: Editor) -> None:
    answer = look_up(editor, "rotate the signing key", about="contracts", uri=CODE)
    assert [match["text"][:15] for match in answer["matches"]] == [
        "WP-ST-12 unit 1",
        "WP-ST-12 unit 2",
        "WP-ST-15 unit 1",
    ]
    assert list(answer["sources"]) == ["contracts"]
    assert answer["matches"][0]["detail"].startswith("A: `KeyStore` with exactly one key\nB: {")
    assert len(look_up(editor, "rotate the signing key", about="contracts", limit=1)["matches"]) == 1


def test_knowledge_is_ranked_for_a_question(informed: Editor) -> None:
    answer = look_up(informed, "when does a worker stop?", about="knowledge")
    assert [match["text"] for match in answer["matches"]] == [
        "Rotating the signing key",
        "One queue per worker",
    ]
    assert answer["matches"][0]["detail"] == "# Rotation\n\nStop the worker before E4217 comes. 🚢 서명 키"
    assert answer["matches"][0]["provenance"][:2] == ["runbooks", "wiki 7"]
    assert answer["matches"][0]["place"] == ".knowledge/runbooks/rotate.md:5"
    report = answer["sources"]["knowledge"]
    assert (answer["status"], report["status"], report["total_count"]) == ("complete", "complete", 2)
    (note,) = report["problems"]
    assert note["reason"].startswith("ranked by words alone: ")
    assert len(look_up(informed, "worker", about="knowledge", limit=1)["matches"]) == 1
    assert len(look_up(informed, "worker", about="knowledge", limit=1000)["matches"]) == 2
    # A question may be longer than a phrase.
    assert look_up(informed, "worker " * 40, about="knowledge")["matches"]


def test_every_root_answers_and_every_match_has_an_id_of_its_own(several: Editor) -> None:
    answer = look_up(several, "E4217")
    assert len({(match["source"], match["id"]) for match in answer["matches"]}) == 7
    posts = [match for match in answer["matches"] if match["source"] == "board"]
    # Both are post 1 of their board.
    assert [post["place"] for post in posts] == [".masc/board_posts.jsonl:1"] * 2


def test_what_could_not_be_read_is_named(several: Editor) -> None:
    answer = look_up(several, "E4217", uri=f"{BROKEN.as_uri()}/x.py")
    assert answer["status"] == "incomplete"
    unread = {"memory": ".masc/config/keepers/quay.memory-current.json", "board": ".masc/board_posts.jsonl"}
    for source, path in unread.items():
        report = answer["sources"][source]
        assert report["status"] == "incomplete"
        (problem,) = report["problems"]
        assert problem["path"] == str(BROKEN / path)
        assert problem["reason"]
    assert look_up(several, "E4217", uri=f"{BROKEN.as_uri()}/x.py", source="wiki")["status"] == "complete"


@pytest.mark.parametrize(
    ("uri", "count"),
    [
        (CODE, 4),
        (f"{BROKEN.as_uri()}/x.py", 3),
        (f"git:{BROKEN.as_uri()[7:]}/x.py?ref=HEAD", 3),
        ("untitled:Untitled-1", 4),
        ("file:///elsewhere/x.py", 4),
        ("", 4),
        ("no uri", 4),
        (None, 7),
    ],
)
def test_a_document_is_answered_by_its_own_stores(several: Editor, uri: str | None, count: int) -> None:
    assert look_up(several, "E4217", uri=uri)["total_count"] == count


def test_a_named_root_answers_alone(several: Editor, lonely: Editor) -> None:
    for editor in (several, lonely):
        answer = look_up(editor, "E4217", root=str(HARBOUR), uri=f"{BROKEN.as_uri()}/x.py")
        assert (answer["total_count"], answer["status"]) == (4, "complete")


def test_a_folder_without_stores_is_no_complete_search(lonely: Editor, tmp_path: Path) -> None:
    answer = look_up(lonely, "E4217", root=str(tmp_path))
    assert (answer["status"], answer["matches"]) == ("absent", [])


# -- priorArt.aboutFile


def about(editor: Editor, uri: str, **options: Any) -> dict[str, Any]:
    return dict(editor.command("priorArt.aboutFile", {"uri": uri, **options}))


@pytest.mark.parametrize(
    "uri",
    [
        f"{HARBOUR.as_uri()}/deploy.sh",
        f"{HARBOUR.as_uri()}/scripts/%EB%B0%B0%ED%8F%AC/deploy.sh",
        f"{HARBOUR.as_uri()}/{'x' * 120}/{'y' * 120}/deploy.sh",
        f"git:{HARBOUR.as_uri()[7:]}/deploy.sh?ref=HEAD",
        "file:///elsewhere/deploy.sh",
    ],
)
def test_a_file_is_known_by_its_name(editor: Editor, uri: str) -> None:
    answer = about(editor, uri)
    assert (answer["type"], answer["query"], answer["total_count"]) == ("look_up", "deploy.sh", 4)
    assert sources_of(answer) == ["memory", "memory", "wiki", "board"]
    assert list(answer["sources"]) == list(SOURCES)


def test_what_holds_the_whole_path_leads(informed: Editor, base: Path) -> None:
    for number in range(12):
        write(base / f"docs/wiki/page-{number:02}.md", f"# Page {number}\n\nSee x/queue.py.\n")
    write(base / "docs/wiki/zebra.md", "# Zebra\n\nSee src/queue.py.\n")
    uri = f"{base.as_uri()}/src/queue.py"
    wait_until(lambda: about(informed, uri)["total_count"] == 14)
    answer = about(informed, uri)
    assert [match["text"] for match in answer["matches"]][:2] == ["Zebra", "Page 0"]
    assert sources_of(answer).count("wiki") == 8
    few = about(informed, uri, limit=1)
    assert [match["text"] for match in few["matches"]] == ["Zebra", "One queue per worker"]
    assert few["total_count"] == 14


def test_the_folder_of_the_workspace_is_asked_for_by_its_name(editor: Editor) -> None:
    assert about(editor, HARBOUR.as_uri())["query"] == "harbour"


def test_a_common_file_name_alone_says_nothing(several: Editor) -> None:
    assert about(several, f"{HARBOUR.as_uri()}/src/__init__.py")["matches"] == []


def test_a_broken_store_is_named_for_a_file_too(several: Editor) -> None:
    assert about(several, f"{BROKEN.as_uri()}/src/x.py")["status"] == "incomplete"


# -- priorArt.page


def page(editor: Editor, **options: Any) -> str:
    answer = editor.command("priorArt.page", options)
    assert answer.keys() == {"type", "title", "total_count", "markdown"}
    assert answer["type"] == "page"
    return str(answer["markdown"])


def destinations(markdown: str) -> list[str]:
    return re.findall(r"\]\(([^)]*)\)", markdown)


def test_a_page_has_the_answer_of_the_list(editor: Editor) -> None:
    answer = editor.command("priorArt.page", {"query": "E4217"})
    assert (answer["title"], answer["total_count"]) == ("Prior art: E4217", 4)
    markdown = answer["markdown"]
    assert markdown.startswith("# Prior art: `E4217`\n")
    assert destinations(markdown) == [
        f"{HARBOUR.as_uri()}/.masc/config/keepers/tide.memory-current.json",
        f"{HARBOUR.as_uri()}/docs/wiki/signing-errors.md#L8",
        f"{HARBOUR.as_uri()}/.masc/board_posts.jsonl#L1",
        f"{HARBOUR.as_uri()}/.gem-squared/archive/WP-ST-12.md#L19",
    ]
    for match in look_up(editor, "E4217")["matches"]:
        assert f"[{match['place']}](" in markdown
    assert editor.command("priorArt.page", "E4217") == answer


def test_a_page_holds_more_than_a_hover(editor: Editor) -> None:
    assert len(destinations(page(editor, query="E9009", root=str(BUSY)))) == 18
    assert len(destinations(page(editor, query="E9009", root=str(BUSY), limit=None))) == 18
    limited = page(editor, query="E9009", root=str(BUSY), limit=1)
    assert len(destinations(limited)) == 4
    assert re.search(r"^## Wiki · \d+, 1 shown$", limited, re.MULTILINE)


@pytest.mark.parametrize("name", ["relative_to", "relative-to"])
def test_links_may_be_relative_to_the_folder_of_the_page(editor: Editor, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "글로벌 (1)#"
    for options in ({"query": "절차", "root": str(STORES / "odd-names")}, {"query": "E4217"}):
        links = destinations(page(editor, **options, **{name: str(folder)}))
        assert links
        for link in links:
            way, _, fragment = link.partition("#")
            assert not way.startswith(("/", "file:"))
            assert Path(os.path.normpath(folder / unquote(way))).is_file()
            assert re.fullmatch(r"(L\d+)?", fragment)
    assert ".." not in "".join(destinations(page(editor, query="E4217", **{name: str(HARBOUR)})))


def test_a_page_about_contracts_and_knowledge(editor: Editor, informed: Editor) -> None:
    markdown = page(editor, query="rotate the signing key", about="contracts")
    assert "### WP-ST-12 unit 2 · Refuse a rotation while the clock is off\n" in markdown
    assert "\n```text\nA: `rotate_signing_key` trusts the system clock\n" in markdown
    markdown = page(informed, query="stop the worker", about="knowledge")
    assert "\n- Rotating the signing key\\\n  runbooks · wiki 7 · revision " in markdown
    assert "\n  > Stop the worker before E4217 comes. 🚢 서명 키\n" in markdown
    assert "\n## Notes\n\n- knowledge: ranked by words alone: " in markdown


def test_a_page_says_what_could_not_be_searched(several: Editor) -> None:
    markdown = page(several, query="E4217", uri=f"{BROKEN.as_uri()}/x.py")
    assert (
        "\n## ⚠ Not everything could be searched\n\n- memory: .masc/config/keepers/quay.memory-" in markdown
    )
    assert "nothing found" in page(several, query="nothing-of-the-kind")
    assert "nothing known" in page(several, query="nothing-of-the-kind", uri=CODE)


def test_a_title_is_one_line(editor: Editor) -> None:
    answer = editor.command("priorArt.page", {"query": "clock\n# is\toff"})
    assert answer["title"] == "Prior art: clock # is off"
    assert answer["markdown"].startswith("# Prior art: `clock # is off`\n")


def test_the_page_of_the_stores(several: Editor, lonely: Editor) -> None:
    answer = several.command("priorArt.page", {"about": "status", "relative_to": str(BROKEN)})
    assert (answer["title"], answer["total_count"]) == ("Prior art: the stores", None)
    markdown = answer["markdown"]
    assert markdown.startswith(f"# Prior art: the stores\n\n## harbour\n\n`{HARBOUR}`\n\n- **Memory**: ")
    assert destinations(markdown) == [
        ".masc/config/keepers/quay.memory-current.json",
        ".masc/board_posts.jsonl",
    ]
    assert page(lonely, about="status") == "# Prior art: the stores\n\nNo workspace is open.\n"
    assert "## broken\n" not in page(several, about="status", root=str(HARBOUR))


# -- priorArt.insertion


def inserted(
    editor: Editor,
    text: str,
    match: dict[str, Any],
    language: str,
    line: int = 0,
    uri: str = CODE,
    **more: Any,
) -> str | None:
    """The document after the match was inserted, or `None`; the edit touches nothing else."""
    editor.show(uri, text, language)
    try:
        asked = {"uri": uri, "line": line, "query": "E4217", "id": match["id"], **more}
        answer = editor.command("priorArt.insertion", asked)
        assert answer.keys() == {"type", "edit", "reason"}
        assert answer["type"] == "insertion"
        if answer["edit"] is None:
            assert answer["reason"]
            return None
        assert answer["reason"] is None
        (change,) = answer["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        (edit,) = change["edits"]
        start, end = (editor.offset_of(text, edit["range"][edge]) for edge in ("start", "end"))
        assert start == end
        return text[:start] + str(edit["newText"]) + text[end:]
    finally:
        editor.close(uri)


CITED = {
    "memory": "memory of tide, sha256:19035c6f176f: E4217 means that the signing clock is more than 90 s off; "
    "let chronyd settle, then repeat the rotation.",
    "wiki": "wiki, Signing errors (docs/wiki/signing-errors.md:8)",
    "board": "board, E4217 on staging: a paused virtual machine (p-00000000000000000000000000000001, tide)",
    "contracts": "WP-ST-12 unit 2, Refuse a rotation while the clock is off (archive SUCCESS)",
}


@pytest.mark.parametrize("source", list(CITED))
def test_a_match_is_cited_in_the_way_of_the_document(editor: Editor, source: str) -> None:
    (match,) = look_up(editor, "E4217", source=source)["matches"]
    line = f"Prior art: {CITED[source]}"
    assert inserted(editor, "a = 1\n  b = 2\n", match, "python", 1) == f"a = 1\n  # {line}\n  b = 2\n"
    assert inserted(editor, "# Title\r\n\r\nText\r\n", match, "markdown", 2) == (
        f"# Title\r\n\r\n{line}\r\nText\r\n"
    )
    assert inserted(editor, "{}\n", match, "json") is None


def test_a_knowledge_item_is_cited(informed: Editor, base: Path) -> None:
    uri = f"{base.as_uri()}/x.py"
    for query, options in (("E4217", {}), ("when does a worker stop?", {"about": "knowledge"})):
        match = look_up(informed, query, **options)["matches"][0]
        after = inserted(informed, "x\n", match, "python", uri=uri, query=query)
        assert after is not None
        assert after.startswith(
            "# Prior art: knowledge, Rotating the signing key (runbooks/rotate, revision "
        )


def test_a_contract_that_was_ranked_is_found_again(editor: Editor) -> None:
    query = "rotate the signing key"
    for match in look_up(editor, query, about="contracts")["matches"]:
        after = inserted(editor, "x\n", match, "python", query=query)
        assert after is not None
        shelf = "live" if match["provenance"][0] == "live" else "archive SUCCESS"
        assert after == f"# Prior art: {match['text'].replace(' · ', ', ')} ({shelf})\nx\n"


def test_a_match_about_a_file_is_found_again(editor: Editor) -> None:
    answer = about(editor, f"{HARBOUR.as_uri()}/scripts/deploy.sh")
    for match in answer["matches"]:
        assert inserted(editor, "x\n", match, "python", query=answer["query"]) is not None


def test_a_contract_becomes_a_unit_of_a_plan(editor: Editor) -> None:
    plan = "# WP-ST-16: Wait\n\n## Unit-Works\n\n### 4. Wait | STATUS: PENDING\n- A: a\n- B: b\n- P: p\n"
    uri = f"{HARBOUR.as_uri()}/.gem-squared/work-plan/WP-ST-16.md"
    contract, wiki = look_up(editor, "E4217", source="wiki,contracts")["matches"][::-1]
    after = inserted(editor, plan, contract, "markdown", 5, uri)
    assert after == plan + (
        "\n### 5. Refuse a rotation while the clock is off | STATUS: PENDING\n"
        "- A: `rotate_signing_key` trusts the system clock\n"
        "- B: `rotate_signing_key` raises E4217 when the clock is more than 90 s off\n"
        "- P: chronyd runs on the dispatcher\n"
        "- Tags: [refusing-rotation, checking-clock]\n- Result:\n- State:\n"
    )
    # Anything else is cited there, too.
    cited = inserted(editor, plan, wiki, "markdown", 1, uri)
    assert cited == plan.replace("\n\n", f"\nPrior art: {CITED['wiki']}\n\n", 1)


@pytest.mark.parametrize("language", ["json", "klingon"])
def test_where_no_comment_is_known_the_reason_is_given(editor: Editor, language: str) -> None:
    (match,) = look_up(editor, "E4217", source="wiki")["matches"]
    editor.show(CODE, "x", language)
    asked = {"uri": CODE, "line": 0, "query": "E4217", "id": match["id"]}
    assert editor.command("priorArt.insertion", asked) == {
        "type": "insertion",
        "edit": None,
        "reason": f"no comment can be written in {language}; copy it instead",
    }
    editor.close(CODE)


@pytest.mark.parametrize(("encoding", "size"), [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)])
def test_positions_are_in_the_units_of_the_client(home: Path, encoding: str, size: int) -> None:
    capabilities = capabilities_of("vscode")
    capabilities["general"] = {"positionEncodings": [encoding]}
    with Editor(capabilities, [HARBOUR], home) as editor:
        assert editor.encoding == encoding
        (match,) = look_up(editor, "E4217", source="wiki")["matches"]
        # Without a line end the citation begins behind the last character.
        text = "a\nb = 😀 "
        assert inserted(editor, text, match, "python", 9) == f"{text}\n# Prior art: {CITED['wiki']}\n"
        editor.show(CODE, text, "python")
        asked = {"uri": CODE, "line": 9, "query": "E4217", "id": match["id"]}
        (change,) = editor.command("priorArt.insertion", asked)["edit"]["documentChanges"]
        assert change["edits"][0]["range"]["start"] == {"line": 1, "character": size}


def test_a_client_without_versions_in_edits_gets_plain_changes(home: Path) -> None:
    with Editor(capabilities_of("neovim-0.10"), [HARBOUR], home) as editor:
        (match,) = look_up(editor, "E4217", source="wiki")["matches"]
        editor.show(CODE, "x\n", "python")
        asked = {"uri": CODE, "line": 0, "query": "E4217", "id": match["id"]}
        edit = editor.command("priorArt.insertion", asked)["edit"]
        start = {"line": 0, "character": 0}
        text = f"# Prior art: {CITED['wiki']}\n"
        assert edit == {"changes": {CODE: [{"range": {"start": start, "end": start}, "newText": text}]}}


def test_an_edit_is_for_the_text_that_is_shown_now(editor: Editor) -> None:
    (match,) = look_up(editor, "E4217", source="wiki")["matches"]
    editor.show(CODE, "x\n", "python")
    editor.show(CODE, "#!/usr/bin/python\nx\n")
    asked = {"uri": CODE, "line": 0, "query": "E4217", "id": match["id"]}
    (change,) = editor.command("priorArt.insertion", asked)["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": CODE, "version": 2}
    assert change["edits"][0]["range"]["start"] == {"line": 1, "character": 0}
    editor.close(CODE)


def test_an_untitled_document_takes_a_citation(editor: Editor) -> None:
    (match,) = look_up(editor, "E4217", source="wiki")["matches"]
    after = inserted(editor, "x\n", match, "python", uri="untitled:Untitled-1")
    assert after == f"# Prior art: {CITED['wiki']}\nx\n"


def test_a_match_of_another_folder_goes_into_a_document(several: Editor) -> None:
    for match in look_up(several, "E4217")["matches"]:
        after = inserted(several, "x\n", match, "python", uri=f"{BROKEN.as_uri()}/x.py")
        assert after is not None
        # Of two posts with one id the one that was chosen, and its place as seen from the document.
        if match["source"] == "board":
            assert ("E4217 again" in after) is ("broken" in match["path"])
        if match["source"] == "wiki":
            place = "docs/wiki/clock.md" if "broken" in match["path"] else match["path"]
            assert f"({place}:{match['line']})" in after
    named = look_up(several, "E9009", root=str(BUSY), limit=50)["matches"]
    assert len(named) == 18
    for match in named:
        assert inserted(several, "x\n", match, "python", query="E9009") is not None


def test_what_one_source_was_asked_for_is_found_again_though_another_has_the_phrase(
    home: Path, tmp_path: Path
) -> None:
    write(tmp_path / "docs/wiki/e.md", "# A\n\nthe clock signing of keys\n")
    fact = {"claim": "the signing clock is off", "category": "fact", "first_seen": 1}
    snapshot = {"revision": 1, "facts": [fact]}
    write(tmp_path / ".masc/config/keepers/tide.memory-current.json", json.dumps(snapshot))
    uri = f"{tmp_path.as_uri()}/x.py"
    with Editor(capabilities_of("vscode"), [tmp_path], home) as editor:
        editor.show(uri, "x\n", "python")
        assert [match["source"] for match in look_up(editor, "clock signing")["matches"]] == ["wiki"]
        (match,) = look_up(editor, "clock signing", source=["memory"])["matches"]
        asked = {"uri": uri, "line": 0, "query": "clock signing", "id": match["id"]}
        assert editor.command("priorArt.insertion", asked)["edit"] is not None


def test_a_match_that_is_gone_is_not_inserted(home: Path, tmp_path: Path) -> None:
    post = {"id": "p-1", "title": "E4217 on staging", "author": "tide", "created_at": 1.0, "expires_at": 0}
    board, wiki = tmp_path / ".masc/board_posts.jsonl", tmp_path / "docs/wiki/e.md"
    write(board, json.dumps(post) + "\n")
    write(wiki, "# E4217\n")
    uri = f"{tmp_path.as_uri()}/x.py"
    with Editor(capabilities_of("vscode"), [tmp_path], home) as editor:
        page_match, post_match = look_up(editor, "E4217")["matches"]
        editor.show(uri, "x\n", "python")
        asked = {"uri": uri, "line": 0, "query": "E4217", "id": post_match["id"]}
        assert editor.command("priorArt.insertion", asked)["edit"] is not None
        write(board, json.dumps({**post, "title": "Something else"}) + "\n")
        gone = {"type": "insertion", "edit": None, "reason": GONE}
        wait_until(lambda: bool(editor.command("priorArt.insertion", asked) == gone))
        assert editor.command("priorArt.insertion", {**asked, "id": page_match["id"]})["edit"] is not None
        wiki.unlink()
        wait_until(
            lambda: bool(editor.command("priorArt.insertion", {**asked, "id": page_match["id"]}) == gone)
        )


# -- What is refused

ABOUTS = "everything, contracts, knowledge"
OPTIONS = "query, about, source, limit, root, uri"
ALL = "memory,wiki,board,contracts,knowledge"


@pytest.mark.parametrize("command", ["lookUp", "page"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], EMPTY),
        ([" \n"], EMPTY),
        ([{"query": None}], EMPTY),
        ([{"query": "", "about": "contracts"}], EMPTY),
        ([{"query": " ", "about": "knowledge"}], EMPTY),
        (["a" * 201], "the query has 201 characters; at most 200 are searched"),
        ([{"query": "a" * 201, "about": "contracts"}],
         "the query has 201 characters; at most 200 are searched"),
        ([{"query": "a" * 2001, "about": "knowledge"}],
         "the query has 2001 characters; at most 2000 are searched"),
        ([{"query": "a", "about": "knowledge"}], NO_BASE),
        (["a", "b"], "takes one argument, 2 were given"),
        ([7], "the argument has to be the query as text, or an object with options"),
        ([["a"]], "the argument has to be the query as text, or an object with options"),
        ([{"query": 7}], "query has to be text"),
        ([{"query": "a", "source": "web"}], f"unknown source 'web'; there are {ALL}"),
        ([{"query": "a", "source": []}], f"source has to be some of {ALL}"),
        ([{"query": "a", "limit": 0}], "limit has to be a whole number from 1"),
        ([{"query": "a", "limit": True}], "limit has to be a whole number from 1"),
        ([{"query": "a", "limit": "5"}], "limit has to be a whole number from 1"),
        ([{"query": "a", "root": 1}], "root has to be text"),
        ([{"query": "a", "root": "/no/such/folder"}], "/no/such/folder is no folder"),
        ([{"query": "a", "uri": ["x"]}], "uri has to be text"),
    ],
)  # fmt: skip
def test_a_bad_question_is_refused_with_one_line(
    editor: Editor, command: str, arguments: list[Any], message: str
) -> None:
    assert error_of(editor, command, *arguments) == message


@pytest.mark.parametrize(
    ("command", "argument", "message"),
    [
        ("lookUp", {"query": "a", "about": "status"}, f"about has to be one of {ABOUTS}"),
        ("lookUp", {"query": "a", "about": 1}, f"about has to be one of {ABOUTS}"),
        ("lookUp", {"query": "a", "relative_to": "/"}, f"unknown option relative_to; there are {OPTIONS}"),
        ("page", {"query": "a", "about": "all"}, f"about has to be one of {ABOUTS}, status"),
        ("page", {"query": "a", "scope": "all"}, f"unknown option scope; there are {OPTIONS}, relative_to"),
        ("page", {"query": "a", "relative_to": 1}, "relative_to has to be text"),
        ("page", {"query": "a", "relative_to": ""}, "relative_to has to be the whole path of a folder"),
        ("page", {"about": "status", "relative-to": "pages"}, "relative_to has to be the whole path of a folder"),
        ("page", {"about": "status", "relative_to": ["/"]}, "relative_to has to be text"),
        ("page", {"about": "status", "query": "a"}, "unknown option query; there are about, root, relative_to"),
        ("page", {"about": "status", "root": "/no/such/folder"}, "/no/such/folder is no folder"),
        ("aboutFile", None, "uri has to name a file"),
        ("aboutFile", "E4217", "unknown option query; there are uri, limit"),
        ("aboutFile", {}, "uri has to name a file"),
        ("aboutFile", {"uri": "untitled:Untitled-1"}, "uri has to name a file"),
        ("aboutFile", {"uri": "/w/x.py"}, "uri has to name a file"),
        ("aboutFile", {"uri": 7}, "uri has to be text"),
        ("aboutFile", {"uri": CODE, "limit": -1}, "limit has to be a whole number from 1"),
        ("aboutFile", {"uri": "file:///"}, "uri has to name a file"),
        ("aboutFile", {"uri": f"{HARBOUR.as_uri()}/{'x' * 201}"},
         "the query has 201 characters; at most 200 are searched"),
        ("insertion", None, "name the match by query and id, as the list of matches gives them"),
        ("insertion", "E4217", "name the match by query and id, as the list of matches gives them"),
        ("insertion", {"uri": CODE, "line": 0, "query": "E4217"},
         "name the match by query and id, as the list of matches gives them"),
        ("insertion", {"uri": CODE, "line": 0, "query": 1, "id": "x"}, "query has to be text"),
        ("insertion", {"uri": CODE, "line": 0, "query": "E4217", "id": 1}, "id has to be text"),
        ("insertion", {"uri": CODE, "query": "a", "id": "x"}, "line has to be a whole number from 0"),
        ("insertion", {"uri": CODE, "line": -1, "query": "a", "id": "x"}, "line has to be a whole number from 0"),
        ("insertion", {"uri": CODE, "line": 1.5, "query": "a", "id": "x"}, "line has to be a whole number from 0"),
        ("insertion", {"uri": CODE, "line": False, "query": "a", "id": "x"},
         "line has to be a whole number from 0"),
        ("insertion", {"uri": CODE, "line": 0, "query": "a", "id": "x", "root": "/"},
         "unknown option root; there are uri, line, query, id"),
        ("insertion", {"uri": CODE, "line": 0, "query": "E4217", "id": "x"}, "uri has to name an open document"),
        ("insertion", {"uri": 7, "line": 0, "query": "E4217", "id": "x"}, "uri has to name an open document"),
        ("insertion", {"line": 0, "query": "E4217", "id": "x"}, "uri has to name an open document"),
    ],
)  # fmt: skip
def test_a_bad_option_is_refused_with_one_line(
    editor: Editor, command: str, argument: Any, message: str
) -> None:
    assert error_of(editor, command, *([] if argument is None else [argument])) == message


@pytest.mark.parametrize(
    ("command", "argument", "remedy"),
    [
        ("lookUp", "E4217", "name one with root"),
        ("lookUp", {"query": "E4217", "about": "contracts", "uri": "file:///x.py"}, "name one with root"),
        ("page", {"query": "E4217", "about": "knowledge"}, "name one with root"),
        ("aboutFile", {"uri": "file:///x.py"}, "open a folder that has a store"),
    ],
)
def test_without_a_workspace_there_is_nothing_to_ask(
    lonely: Editor, command: str, argument: Any, remedy: str
) -> None:
    assert error_of(lonely, command, argument) == f"no workspace is open; {remedy}"


def test_a_query_of_an_insertion_that_cannot_be_asked_finds_nothing(editor: Editor) -> None:
    for query in ("", "a" * 2001, "nothing-of-the-kind"):
        assert inserted(editor, "x\n", {"id": "x"}, "python", query=query) is None


def test_a_store_that_needs_contracts_is_asked_for(lonely: Editor, tmp_path: Path) -> None:
    message = error_of(lonely, "lookUp", {"query": "a", "about": "contracts", "root": str(tmp_path)})
    assert message.startswith("no .gem-squared/archive or .gem-squared/work-plan folder below ")


def test_knowledge_that_is_switched_off_is_said_to_be_so(base: Path, home: Path) -> None:
    with Editor(capabilities_of("vscode"), [base], home, options={"knowledge.enable": False}) as editor:
        assert "switched off" in error_of(editor, "lookUp", {"query": "worker", "about": "knowledge"})
