"""Knowledge in front of an editor: what a hover says of it, which code actions it has, and what earns a hover."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from knowledge_items import LEXICAL, WordEmbedder, ask, ids, open_with, write_items
from lsprotocol import types

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.composition import ALL_SOURCES
from lsp_server.core.model import KnowledgeMatch
from lsp_server.core.prominence import Standing
from lsp_server.cursor import Kind, Target
from lsp_server.features.code_action import Desk, actions_for, edit_for
from lsp_server.hover import HoverAnswer, hover_from
from lsp_server.lookup import look_up
from lsp_server.render import Markup
from lsp_server.roots import nearest_root
from lsp_server.session import Session
from lsp_server.settings import Settings
from lsp_server.snapshot import Snapshot

ROTATION = "---\nid: KB-7\ntitle: Rotating the key\n---\n# Rotation\n\nE4217 means that the clock is off.\n"
ROTATION_LINE = 7
"""Where E4217 stands in it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_items(tmp_path, {"runbooks/rotation.md": ROTATION})
    return tmp_path


def hover(
    root: Path,
    text: str,
    markup: Markup = "markdown",
    *,
    kind: Kind = "error_code",
    settings: Settings | None = None,
    options: StoreOptions = LEXICAL,
) -> HoverAnswer:
    with SearchCore.open(root, options, cached=False) as core:
        return hover_from([core], settings or Settings(), Target(kind, text, 0, len(text)), markup)


def without_knowledge() -> Settings:
    return Settings(hover_sources=tuple(source for source in ALL_SOURCES if source != "knowledge"))


# --- what a hover says ---


def test_a_hover_links_to_the_line_that_holds_the_phrase(root: Path) -> None:
    uri = f"{(root / '.knowledge/runbooks/rotation.md').as_uri()}#L{ROTATION_LINE}"
    assert hover(root, "E4217").text == (
        f"**Prior art** · `E4217`\n- knowledge: [Rotating the key]({uri}) · runbooks"
    )
    assert hover(root, "e4217", "plaintext").text == (
        f"Prior art: e4217\nknowledge: Rotating the key (runbooks, rotation.md:{ROTATION_LINE})"
    )


def test_a_phrase_in_the_title_alone_is_a_match_of_the_first_line(root: Path) -> None:
    assert hover(root, "rotating the key", "plaintext").text == (
        "Prior art: rotating the key\nknowledge: Rotating the key (runbooks, rotation.md:1)"
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_line_is_the_files_whatever_ends_its_lines(tmp_path: Path, line_end: str) -> None:
    write_items(tmp_path, {"runbooks/a.md": ROTATION.replace("\n", line_end).encode()})
    assert f"a.md:{ROTATION_LINE}" in str(hover(tmp_path, "E4217", "plaintext").text)


@pytest.mark.parametrize(
    ("phrase", "line"),
    [
        ("서명 키", 6),
        (unicodedata.normalize("NFD", "서명"), 6),
        ("DEPLOY.SH", 7),
        ("quay", 5),  # Its first place in the text, though the title has it as well.
        ("Q7", 9),  # So short a phrase stands alone.
        ("by night", 1),
    ],
)
def test_the_line_is_that_of_the_first_place(tmp_path: Path, phrase: str, line: int) -> None:
    text = "---\ntitle: The quay by night\n---\n\nQuay\n서명 키 quay\nscripts/deploy.sh\nNODEQ7 Q7x\n(q7)\n"
    write_items(tmp_path, {"runbooks/a.md": text})
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        (match,) = core.knowledge_about(phrase, None).matches
    assert match.line == line


@pytest.mark.parametrize("phrase", ["example.org", "runbooks", "a.md", "text rotating", "source"])
def test_neither_the_header_nor_the_place_of_a_file_is_what_it_says(tmp_path: Path, phrase: str) -> None:
    write_items(tmp_path, {"runbooks/a.md": "---\ntitle: Rotating\nsource: https://example.org\n---\ntext\n"})
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        assert core.knowledge_about(phrase, None).total_count == 0


def test_the_best_item_stands_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    write_items(
        tmp_path,
        {
            "a/long.md": "zebra and " + "many other words " * 20,
            "b/short.md": "zebra\n",
            "c/part.md": "the zebras\n",
            "d/other.md": "a horse\n",
        },
    )
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        everything, first = core.knowledge_about("zebra", None), core.knowledge_about("zebra", 1)
    assert found(everything.matches) == ["short", "long", "part"]
    assert (found(first.matches), first.total_count) == (["short"], 3)


def test_the_items_of_several_roots_stand_in_the_order_of_the_roots(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_items(tmp_path / name, {"runbooks/clock.md": f"# Clock {name}\n\nE4217\n"})
    with (
        SearchCore.open(tmp_path / "one", LEXICAL, cached=False) as one,
        SearchCore.open(tmp_path / "two", LEXICAL, cached=False) as two,
    ):
        titles = [match.title for match in look_up([two, one], "E4217").knowledge.matches]
    assert titles == ["Clock two", "Clock one"]


def test_titles_and_bases_bring_no_markup(tmp_path: Path) -> None:
    title = "[x](http://a.example) <img> \N{RIGHT-TO-LEFT OVERRIDE}*E4217*"
    write_items(tmp_path, {"run`books`/a.md": f"---\ntitle: '{title}'\n---\ntext\n"})
    (_, row) = str(hover(tmp_path, "E4217").text).split("\n")
    assert row.startswith(r"- knowledge: [\[x\](http\://a.example) \<img> \*E4217\*](file:///")
    assert row.endswith(r" · run\`books\`")


def test_a_draft_is_not_in_a_hover(root: Path) -> None:
    write_items(root, {"runbooks/rotation.md": ROTATION.replace("id: KB-7", "status: draft")})
    assert hover(root, "E4217") == HoverAnswer(None, found=False, status="complete")


@pytest.mark.parametrize(
    "options",
    [
        StoreOptions(knowledge_semantic=False, knowledge_enabled=False),
        StoreOptions(knowledge_semantic=False, knowledge_scopes=("public",)),
    ],
)
def test_what_may_not_be_seen_is_in_no_hover(root: Path, options: StoreOptions) -> None:
    write_items(root, {"runbooks/rotation.md": ROTATION.replace("id: KB-7", "scope: internal")})
    assert hover(root, "E4217").found
    assert hover(root, "E4217", options=options).text is None


def test_knowledge_is_left_out_where_hovers_do_not_want_it(root: Path) -> None:
    (root / "docs/wiki").mkdir(parents=True)
    (root / "docs/wiki/clock.md").write_text("# Clock\n\nE4217\n")
    both = str(hover(root, "E4217", "plaintext").text)
    assert [row.partition(":")[0] for row in both.split("\n")] == ["Prior art", "wiki", "knowledge"]
    wiki = str(hover(root, "E4217", "plaintext", settings=without_knowledge()).text)
    assert wiki == "Prior art: E4217\nwiki: Clock (clock.md:3)"
    (root / "docs/wiki/clock.md").unlink()
    assert hover(root, "E4217", settings=without_knowledge()).text is None


def test_an_item_hidden_by_another_is_named_below(root: Path) -> None:
    write_items(root, {"runbooks/zeta.md": "---\nid: KB-7\n---\nE4300\n"})
    assert "E4300" not in str(hover(root, "E4217", "plaintext").text)
    assert str(hover(root, "E4300", "plaintext").text).split("\n")[1:] == [
        "nothing found in what could be read",
        "⚠ knowledge incomplete: zeta.md: the id 'KB-7' is another item's of the base 'runbooks'",
    ]


# --- meaning is no evidence ---


def test_what_is_only_near_is_not_in_a_hover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_items(
        tmp_path,
        {
            "runbooks/far.md": "# Far\n\nAmong many other things the signing key is kept in a box of the quay.\n",
            "runbooks/near.md": "# Near\n\nkey signing\n",
        },
    )
    with open_with(tmp_path, WordEmbedder(), monkeypatch) as core:
        assert ids(ask(core, "signing key", mode="semantic"))[0] == "near"
        matches = look_up([core], "signing key").matches
    assert found(matches) == ["far"]


def test_where_vectors_are_ready_they_only_order_what_holds_the_phrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        f"runbooks/{name}.md": f"# {name}\n\nThe signing key{more}\n"
        for name, more in (("a", " is one of many words of this page about boats"), ("b", "."))
    }
    write_items(tmp_path, texts)
    for embedder in (None, WordEmbedder()):
        with open_with(tmp_path, embedder, monkeypatch) as core:
            ask(core, "signing key")
            assert found(look_up([core], "signing key").matches) == ["b", "a"]


def test_a_hover_does_not_make_vectors(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch) as core:
        assert found(look_up([core], "E4217").matches) == ["KB-7"]
    assert (embedder.loads, embedder.asked) == (0, [])


def found(matches: Iterable[object]) -> list[str]:
    assert all(isinstance(match, KnowledgeMatch) for match in matches)
    return [match.item_id for match in matches if isinstance(match, KnowledgeMatch)]


# --- which plain words are worth a hover ---


@pytest.mark.parametrize(
    ("word", "standing"),
    [
        ("harbour", Standing(is_name=True, singled_out_in=0)),
        ("HARBOUR", Standing(is_name=True, singled_out_in=0)),
        ("berths", Standing(is_name=False, singled_out_in=1)),
        ("mooring", Standing(is_name=False, singled_out_in=1)),
        ("vessel", Standing(is_name=False, singled_out_in=0)),
        ("secret", Standing(is_name=False, singled_out_in=0)),
    ],
)
def test_words_of_a_title_are_names(tmp_path: Path, word: str, standing: Standing) -> None:
    write_items(
        tmp_path,
        {
            "runbooks/a.md": "---\ntitle: The Harbour\n---\nA vessel calls `mooring()`.\n\n## Berths\n",
            "runbooks/b.md": "---\ntitle: Secret\nstatus: draft\n---\n# Secret\n",
        },
    )
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        assert core.standing(word) == standing


@pytest.mark.parametrize(("title", "is_shown"), [("Lease", True), ("Berth", False)])
def test_a_common_word_is_shown_only_where_a_title_has_it(tmp_path: Path, title: str, is_shown: bool) -> None:
    items: Mapping[str, str] = {f"runbooks/{number}.md": "The lease is over.\n" for number in range(4)}
    write_items(tmp_path, {**items, "runbooks/named.md": f"---\ntitle: {title}\n---\nA lease.\n"})
    assert hover(tmp_path, "lease", kind="symbol").found is is_shown


# --- code actions ---


def desk_of(root: Path, language: str = "python") -> Desk:
    session = Session(lambda _message, _important: None, folders=(root,))
    literals = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions([""]))
    client = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(code_action_literal_support=literals)
        )
    )
    return Desk(session, Snapshot(f"{root.as_uri()}/x.py", "E4217\n", 1, language), client, "utf-16")


def actions(desk: Desk) -> list[types.CodeAction]:
    start = types.Position(0, 1)
    offered = actions_for(desk, types.Range(start, start), types.CodeActionContext([]))
    return [action for action in offered if isinstance(action, types.CodeAction)]


def test_an_item_can_be_opened_and_cited(root: Path) -> None:
    desk = desk_of(root)
    opened, cited = actions(desk)
    assert (opened.kind, opened.title) == ("priorArt.open", "Prior art: open knowledge: Rotating the key")
    path = str(root / ".knowledge/runbooks/rotation.md")
    assert opened.command is not None
    assert opened.command.arguments == [{"path": path, "line": ROTATION_LINE}]
    assert (cited.kind, cited.title) == ("priorArt.cite", "Prior art: cite knowledge: Rotating the key")
    assert cited.edit is not None and cited.edit.changes is not None
    ((edit,),) = cited.edit.changes.values()
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        (result,) = ask(core, "E4217").results
    revision = result.item.revision_id[:12]
    assert edit.new_text == (
        f"# Prior art: knowledge, Rotating the key (runbooks/KB-7, revision {revision})\n"
    )


def test_a_citation_that_is_made_later_finds_its_item_again(root: Path) -> None:
    write_items(root, {"archive/rotation.md": ROTATION})
    desk = desk_of(root)
    for base in ("archive", "runbooks"):
        path = str(root / ".knowledge" / base / "rotation.md")
        data = {"query": "E4217", "line": 0, "match": path}
        edit = edit_for(desk, "priorArt.cite", data)
        assert edit is not None and f"({base}/KB-7, revision " in str(edit)
    assert edit_for(desk, "priorArt.cite", {"query": "E4217", "line": 0, "match": "runbooks/gone"}) is None


def test_a_draft_has_no_actions(root: Path) -> None:
    write_items(root, {"runbooks/rotation.md": ROTATION.replace("id: KB-7", "status: archived")})
    assert actions(desk_of(root)) == []


# --- where the workspace is ---


def test_a_knowledge_folder_alone_marks_a_root(root: Path) -> None:
    assert nearest_root(root / "src" / "a.py") == root
