"""Knowledge items: their address, their text, whether they are published, and which are listed."""

from __future__ import annotations

import codecs
import os
import shutil
import subprocess
import time
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from files_on_disk import link, write
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.model import Listing, Problem, Reading
from lsp_server.sources.knowledge import (
    list_items,
    parse_item,
    read_item,
    read_revision,
    revision_id_of,
)

MEGABYTE = 1_000_000
git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def parsed(content: str | bytes, name: str = "deploy.md") -> Reading[KnowledgeItem]:
    raw = content if isinstance(content, bytes) else content.encode()
    return parse_item(raw, Path("/w/.knowledge/runbooks", name), "runbooks", "deploy")


def item_of(content: str | bytes, name: str = "deploy.md") -> KnowledgeItem:
    reading = parsed(content, name)
    assert reading.searchable and reading.problems == ()
    (item,) = reading.documents
    return item


def addresses(root: Path, *configured: str) -> list[tuple[str, str]]:
    """Base and item id of every file that is listed; there must not be a problem."""
    listing = list_items(root, configured)
    assert listing.problems == ()
    readings = [read_item(path, root, configured, MEGABYTE) for path in listing.files]
    assert not [reading for reading in readings if reading.problems]
    return [(item.base_id, item.item_id) for reading in readings for item in reading.documents]


# What a file says


def test_all_that_the_frontmatter_may_say() -> None:
    text = """---
id: deploy-eu
title: Deploy to the EU region
status: published
owner: Kim
team: platform
scope: production
source: https://example.org/deploy
citation: Kim, Deploying, 2026
locator: section 4
---
# Deploy

Slowly.
"""
    assert item_of(text) == KnowledgeItem(
        base_id="runbooks",
        item_id="deploy-eu",
        revision_id=revision_id_of(text.encode()),
        title="Deploy to the EU region",
        status="published",
        owner="Kim",
        team="platform",
        scope="production",
        source="https://example.org/deploy",
        citation="Kim, Deploying, 2026",
        locator="section 4",
        text="# Deploy\n\nSlowly.\n",
        body_line=12,
        path=str(Path("/w/.knowledge/runbooks/deploy.md")),
    )


def test_a_plain_file_is_a_published_item() -> None:
    text = "Some words.\n\n# Deploy\n"
    assert item_of(text) == KnowledgeItem(
        base_id="runbooks",
        item_id="deploy",
        revision_id=revision_id_of(text.encode()),
        title="Deploy",
        status="published",
        owner=None,
        team=None,
        scope=None,
        source=None,
        citation=None,
        locator=None,
        text=text,
        body_line=1,
        path=str(Path("/w/.knowledge/runbooks/deploy.md")),
    )


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("---\ntitle: Said\n---\n# Heading\n", "Said"),
        ("---\ntitle: Root cause: clock drift\n---\n", "Root cause: clock drift"),
        ("---\ntitle: ~\n---\n# Heading\n", "Heading"),
        ("---\nid: x\n---\r\nHeading\r\n=======\r\n", "Heading"),
        ("# Heading\r# Second\r", "Heading"),
        ("```\n# comment\n```\n", "배포.md"),
        ("## Second level\n", "배포.md"),
        ("", "배포.md"),
    ],
)
def test_the_title(content: str, title: str) -> None:
    assert item_of(content, "배포.md").title == title


@pytest.mark.parametrize(
    ("header", "owner"),
    [
        ("owner: Kim", "Kim"),
        ("owner: '  Kim  '", "Kim"),
        ("OWNER: Kim", "Kim"),
        ("owner: 42", "42"),
        ("owner: [Kim, Lee]", "Kim, Lee"),
        ("owner:\n- Kim\n- Lee Moon", "Kim, Lee Moon"),
        ("owner: a: b", "a: b"),
        ("owner: []", None),
        ("owner:", None),
        ("owner: null", None),
        ("owner: {name: Kim}", None),
        ("other: x", None),
    ],
)
def test_values_that_need_not_be_there(header: str, owner: str | None) -> None:
    assert item_of(f"---\n{header}\n---\n").owner == owner


@pytest.mark.parametrize(
    ("header", "item_id"),
    [
        ("id: deploy-eu", "deploy-eu"),
        ("id: 0012", "0012"),
        ("id: 배포/절차", "배포/절차"),
        ("id: a b", "a b"),
        ("id:", "deploy"),
        ("id: [a]", "deploy"),
        ("title: x", "deploy"),
    ],
)
def test_the_id_of_the_frontmatter(header: str, item_id: str) -> None:
    assert item_of(f"---\n{header}\n---\n").item_id == item_id


# Whether it is published


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("status: published", "published"),
        ("status: Published", "published"),
        ("status: 'published '", "published"),
        ("status: draft", "draft"),
        ("status: draft # until Friday", "draft"),
        ("Status: DRAFT", "draft"),
        ("status: archived", "archived"),
        ("status:", "published"),
        ("status: ~", "published"),
        ("title: x", "published"),
        ("status: accepted", "published"),
        ("status: proposed", "draft"),
        ("status: rejected", "archived"),
        ("status: deprecated", "archived"),
        ("status: superseded", "archived"),
        ("status: superseded by [ADR-0005](0005-example.md)", "archived"),
    ],
)
def test_the_status(header: str, status: str) -> None:
    assert item_of(f"---\n{header}\n---\ntext\n").status == status


@pytest.mark.parametrize(
    "content",
    [
        "---\nstatus: publishd\n---\n",
        "---\nstatus: published soon\n---\n",
        "---\nstatus: published, draft\n---\n",
        "---\nstatus: supersededly\n---\n",
        "---\nstatus: true\n---\n",
        "---\nstatus: draft: until Friday\n---\n",
        "---\nstatus: [published]\n---\n",
        "---\nstatus: {published: true}\n---\n",
        "---\nstatus: []\n---\n",
        "---\nstatus: 게시됨\n---\n",
        "---\ntitle: x\nstatus: published\nthis line is neither a key nor its value\n---\ntext\n",
        "---\nstatus: draft\n# never closed\ntext\n",
        "---\r\n'status' : draft\r\noops\r\n---\r\n",
        "\n---\nstatus: draft\n---\n",
    ],
)
def test_a_status_that_is_not_understood_publishes_nothing_and_is_a_problem(content: str) -> None:
    reading = parsed(content)
    (item,) = reading.documents
    (problem,) = reading.problems
    assert reading.searchable
    assert item.status == "draft"
    assert problem.path == item.path
    assert problem.hides_matches
    assert problem.reason.endswith("so this item is not published") and "\n" not in problem.reason


@pytest.mark.parametrize(
    "content",
    [
        "---\nSome prose.\n\n# Heading\n---\n",
        "---\nSome prose.\n---\nstatus: open\n",
        "---\n\nstatus: open\n",
        "status: draft\n",
        "# The field\n\n---\nstatus: draft\n---\n",
        "---\n---\nstatus: draft\n",
    ],
)
def test_what_merely_looks_like_a_header_hides_nothing(content: str) -> None:
    item = item_of(content)
    assert (item.status, item.text, item.body_line) == ("published", content, 1)


def test_a_long_status_is_not_repeated_at_length() -> None:
    (problem,) = parsed(f"---\nstatus: {'x' * 10_000}\n---\n").problems
    assert len(problem.reason) < 150


# What its text is


@pytest.mark.parametrize(
    ("content", "text", "line"),
    [
        ("", "", 1),
        ("text", "text", 1),
        ("---\nid: x\n---\ntext\n", "text\n", 4),
        ("---\nid: x\n---\n\n\ntext\n", "\n\ntext\n", 4),
        ("---\r\nid: x\r\n---\r\ntext\r\n\r\nmore\r\n", "text\r\n\r\nmore\r\n", 4),
        ("---\rid: x\r---\rtext\rmore", "text\rmore", 4),
        ("---\nid: x\r\n---\rtext\n\rmore\r\n", "text\n\rmore\r\n", 4),
        ("---\nid: x\n---", "", 3),
        ("---\nid: x\n---\n", "", 4),
        ("---\nid: x\n--- \t\n---\n", "---\n", 4),
        ("---\nid: x\n----\ntext\n", "---\nid: x\n----\ntext\n", 1),
        ("\ufeff---\nid: x\n---\ntext\n", "text\n", 4),
        ("\ufeff\ufefftext", "\ufefftext", 1),
        ("a\u2028b\x0bc\x85d\x0ce\x1ff", "a\u2028b\x0bc\x85d\x0ce\x1ff", 1),
        ("---\nid: x\u2028y\n---\n한글 e\u0301 😀\0\t \n", "한글 e\u0301 😀\0\t \n", 4),
    ],
)
def test_the_text_stands_behind_the_frontmatter_as_it_is(content: str, text: str, line: int) -> None:
    item = item_of(content)
    assert (item.text, item.body_line) == (text, line)


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_a_byte_order_mark_tells_the_encoding_and_is_dropped(encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    raw = f"{mark}---\r\nid: 배포\r\n---\r\n본문\r\n".encode(encoding)
    item = item_of(raw)
    assert (item.item_id, item.text, item.body_line) == ("배포", "본문\r\n", 4)
    assert item.revision_id == revision_id_of(raw)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"caf\xe9\r\n", "caf\ufffd\r\n"),
        (b"---\nid: x\n---\ncaf\xe9\n", "caf\ufffd\n"),
        (codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"c", "ab\ufffd"),
        (b"\xff\xff", "\ufffd\ufffd"),
    ],
)
def test_bytes_that_were_replaced_are_named_and_count_for_the_id(raw: bytes, text: str) -> None:
    reading = parsed(raw)
    (item,) = reading.documents
    (problem,) = reading.problems
    assert reading.searchable and problem.hides_matches and "was replaced" in problem.reason
    assert item.text == text
    assert item.revision_id == revision_id_of(raw) != revision_id_of(text.encode())


def test_the_revision_id_is_gits_id_of_the_bytes() -> None:
    assert revision_id_of(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert revision_id_of(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert revision_id_of(b"hello\r\n") == "ef0493b275aa2080237f676d2ef6559246f56636"


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@settings(deadline=None)
@given(st.text(st.sampled_from("-: \n\r\tabidstu한\u2028\ufeff[]{}#'\""), max_size=60) | st.text(max_size=80))
def test_header_and_text_together_are_the_file(inside: str) -> None:
    whole = f"---\r\n{inside}\n---\rbody\r\n".encode("utf-8", "replace").decode()
    (item,) = parsed(whole).documents
    assert whole.endswith(item.text) and item.text.endswith("body\r\n")
    assert lines_of(whole)[item.body_line - 1 :] == lines_of(item.text)


@settings(deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda raw: b"---\n" + raw + b"\n---\nbody"))
def test_no_bytes_make_it_raise(raw: bytes) -> None:
    reading = parsed(raw)
    (item,) = reading.documents
    assert reading.searchable
    assert item.title and item.item_id and item.revision_id == revision_id_of(raw)
    assert item.status == "published" or item.status in ("draft", "archived")


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: a: b" + " " * 60_000 + "c\n---\n",
        "---\n" + "status: a: b\n" * 5_000 + "---\n",
        "---\n" * 200_000,
        "---\n" + "\r" * 60_000 + "---\n" + "\r" * 900_000,
        "\n" * 900_000 + "---\nstatus: x\n",
        "---\n"
        + "a0: &a [x]\n"
        + "".join(f"a{n}: &a [{'*a,' * 9}]\n" for n in range(40))
        + "status: *a\n---\n",
    ],
    ids=range(6),
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    parsed(text)
    assert time.process_time() - started < 3


# Which address a file has


def test_the_folders_of_dot_knowledge_are_bases(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/deploy.md")
    write(tmp_path / ".knowledge/runbooks/db/v1.2/restore.markdown")
    write(tmp_path / ".knowledge/runbooks/db.old/README.MD")
    write(tmp_path / ".knowledge/운영 절차/배포 절차.md")
    write(tmp_path / ".knowledge/adr/0001-use-git.md", "---\nid: adr-1\n---\n")
    write(tmp_path / ".knowledge/adr/picture.png")
    write(tmp_path / "docs/other.md")
    assert addresses(tmp_path) == [
        ("adr", "adr-1"),
        ("runbooks", "db/v1.2/restore"),
        ("runbooks", "db.old/README"),
        ("runbooks", "deploy"),
        ("운영 절차", "배포 절차"),
    ]


def test_configured_folders_are_bases_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    write(root / "docs/adr/0001.md")
    write(root / ".knowledge/z/a.md")
    write(tmp_path / "elsewhere/runbooks/deep/deploy.md")
    write(tmp_path / "home/notes/n.md")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    configured = ("docs/adr/", str(tmp_path / "elsewhere" / "runbooks"), "~/notes", "../home/./notes", " ")
    assert addresses(root, *configured) == [
        ("z", "a"),
        ("adr", "0001"),
        ("runbooks", "deep/deploy"),
        ("notes", "n"),
    ]


def test_a_file_belongs_to_the_innermost_base(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/a.md")
    write(tmp_path / "docs/adr/1.md")
    write(tmp_path / "docs/b.md")
    write(tmp_path / "c.md")
    expected = [("runbooks", "a"), (tmp_path.name, "c"), ("adr", "1"), ("docs", "b")]
    assert addresses(tmp_path, ".", "docs", "docs/adr") == expected
    assert addresses(tmp_path, "docs/*.md", "docs/adr") == [("runbooks", "a"), ("docs", "b"), ("adr", "1")]
    assert addresses(tmp_path, "docs/adr", "docs", "docs") == [("runbooks", "a"), ("adr", "1"), ("docs", "b")]


def test_folders_of_the_same_name_are_one_base(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/a.md")
    write(tmp_path / "docs/runbooks/b.md")
    assert addresses(tmp_path, "docs/runbooks") == [("runbooks", "a"), ("runbooks", "b")]


def test_two_files_with_one_id_are_both_read_since_only_who_has_both_can_tell(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/a.md", "---\nid: x\n---\n")
    write(tmp_path / ".knowledge/runbooks/b.md", "---\nid: x\n---\n")
    assert addresses(tmp_path) == [("runbooks", "x"), ("runbooks", "x")]


def test_a_glob_and_a_single_file(tmp_path: Path) -> None:
    write(tmp_path / "docs/a/adr/1.md")
    write(tmp_path / "docs/b/adr/2.md")
    write(tmp_path / "docs/b/other.md")
    assert addresses(tmp_path, "docs/*/adr") == [("docs", "a/adr/1"), ("docs", "b/adr/2")]
    assert addresses(tmp_path, "docs/b/other.md") == [("b", "other")]
    assert addresses(tmp_path, "docs/b/other.md", "docs") == [
        ("docs", "b/other"),
        ("docs", "a/adr/1"),
        ("docs", "b/adr/2"),
    ]


def test_an_id_from_a_decomposed_name_is_composed(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks" / f"{unicodedata.normalize('NFD', '배포')}.md")
    assert addresses(tmp_path) == [("runbooks", "배포")]


def test_a_base_that_is_a_link_has_its_own_name(tmp_path: Path) -> None:
    write(tmp_path / "docs/adr/1.md")
    link(tmp_path / ".knowledge/decisions", "../docs/adr")
    assert addresses(tmp_path) == [("decisions", "1")]
    assert addresses(tmp_path, "docs/adr") == [("decisions", "1")]


# Which files are listed


def test_without_any_folder_there_is_no_knowledge(tmp_path: Path) -> None:
    assert list_items(tmp_path, ()) == Listing()
    assert list_items(tmp_path, ("", "  ")) == Listing()


def test_the_places_are_told_even_when_nothing_is_in_them(tmp_path: Path) -> None:
    (tmp_path / ".knowledge").mkdir()
    (tmp_path / "docs").mkdir()
    assert list_items(tmp_path, ("docs",)) == Listing(
        locations=(str(tmp_path / ".knowledge"), str(tmp_path / "docs"))
    )


@pytest.mark.parametrize(
    "rules",
    [
        ".knowledge\n",
        ".knowledge/\n",
        "/.knowledge/\n",
        ".*\n",
        "*\n",
        ".knowledge/*\n",
        ".knowledge/**\n",
        "runbooks\n",
        "docs/\n",
        "**/adr\n",
    ],
)
def test_ignore_files_do_not_hide_a_base(tmp_path: Path, rules: str) -> None:
    write(tmp_path / ".gitignore", rules)
    write(tmp_path / ".knowledge/.gitignore", "*\n")
    write(tmp_path / ".knowledge/runbooks/a.md")
    write(tmp_path / ".knowledge/runbooks/deep/b.md")
    write(tmp_path / "docs/adr/1.md")
    assert addresses(tmp_path, "docs/adr") == [("runbooks", "a"), ("runbooks", "deep/b"), ("adr", "1")]


def test_ignore_files_count_inside_a_base(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/.gitignore", "drafts/\n")
    write(tmp_path / ".knowledge/runbooks/a.md")
    write(tmp_path / ".knowledge/runbooks/drafts/b.md")
    assert addresses(tmp_path) == [("runbooks", "a")]


def test_a_repository_in_dot_knowledge_and_folders_of_tools_are_no_bases(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/.git/description.md")
    write(tmp_path / ".knowledge/.obsidian/a.md")
    write(tmp_path / ".knowledge/runbooks/.git/a.md")
    write(tmp_path / ".knowledge/runbooks/a.md")
    assert addresses(tmp_path) == [("runbooks", "a")]


def test_a_file_in_no_base_is_named_but_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/runbooks/a.md")
    stray = write(tmp_path / ".knowledge/README.md")
    write(tmp_path / ".knowledge/._b.md")
    write(tmp_path / ".knowledge/notes.txt")
    listing = list_items(tmp_path, ())
    assert len(listing.files) == 1
    (problem,) = listing.problems
    assert (problem.path, problem.hides_matches) == (str(stray), False)


def test_links_out_of_the_workspace_are_named_and_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path / "outside/a.md")
    base = link(root / ".knowledge/base", tmp_path / "outside")
    write(root / ".knowledge/other/b.md")
    listing = list_items(root, ())
    assert [path.name for path in listing.files] == ["b.md"]
    reason = "a link that leads out of the workspace; name its target in knowledge.folders"
    assert listing.problems == (Problem(str(base), reason),)
    assert addresses(root / "..", "outside") == [("outside", "a")]
    other = tmp_path / "other root"
    whole = link(other / ".knowledge", tmp_path / "outside")
    assert list_items(other, ()) == Listing(locations=(str(whole),), problems=(Problem(str(whole), reason),))


def test_places_that_cannot_be_listed_are_named_and_not_absent(tmp_path: Path) -> None:
    broken = link(tmp_path / "a/.knowledge", "nowhere")
    listing = list_items(tmp_path / "a", ())
    assert listing.locations == (str(broken),) == tuple(problem.path for problem in listing.problems)
    file = write(tmp_path / "b/.knowledge")
    listing = list_items(tmp_path / "b", ())
    assert listing.locations == (str(file),) == tuple(problem.path for problem in listing.problems)
    inner = link(tmp_path / "c/.knowledge/base", "nowhere")
    loop = link(tmp_path / "c/.knowledge/loop", "loop")
    listing = list_items(tmp_path / "c", ("missing", "a\0b", "missing/*.md"))
    assert [problem.path for problem in listing.problems[:2]] == [str(inner), str(loop)]
    assert {problem.reason for problem in listing.problems[2:]} == {
        "the configured knowledge folder does not exist"
    }
    assert all(problem.hides_matches for problem in listing.problems) and len(listing.problems) == 5


# Reading from the disk


def test_an_item_that_cannot_be_read_costs_that_item_only(tmp_path: Path) -> None:
    write(tmp_path / ".knowledge/a/good.md")
    write(tmp_path / ".knowledge/a/large.md", "x" * 101)
    link(tmp_path / ".knowledge/a/broken.md", "nowhere")
    listing = list_items(tmp_path, ())
    readings = {path.name: read_item(path, tmp_path, (), 100) for path in listing.files}
    assert sorted(readings) == ["broken.md", "good.md", "large.md"]
    assert readings["good.md"].documents[0].title == "good.md"
    assert "101 bytes" in readings["large.md"].problems[0].reason
    for name in ("broken.md", "large.md"):
        assert (readings[name].documents, readings[name].searchable) == ((), False)


# Older revisions


@pytest.fixture
def history(tmp_path: Path) -> tuple[KnowledgeItem, list[str]]:
    """An item whose file has four committed contents, and their ids."""
    contents = [
        "# Deploy\n\nFirst.\n",
        "---\nid: deploy\nstatus: draft\n---\n# Deploy\n\nSecond.\n",
        "---\nid: someone-else\n---\nThird.\n",
        "---\nid: deploy\ntitle: Now\n---\nFourth.\n",
    ]
    path = tmp_path / ".knowledge/runbooks/deploy.md"
    settings = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def run_git(*arguments: str) -> None:
        subprocess.run(
            ["git", *settings, *arguments], cwd=tmp_path, env=environment, check=True, capture_output=True
        )

    run_git("init")
    for content in contents:
        write(path, content)
        run_git("add", ".")
        run_git("commit", "-m", "x")
    (item,) = read_item(path, tmp_path, (), MEGABYTE).documents
    return item, [revision_id_of(content.encode()) for content in contents]


@git
def test_an_older_revision_is_the_item_as_it_was_then(history: tuple[KnowledgeItem, list[str]]) -> None:
    item, (first, second, _, now) = history
    assert read_revision(item, first, MEGABYTE).documents == (
        replace(item, revision_id=first, title="Deploy", text="# Deploy\n\nFirst.\n", body_line=1),
    )
    (old,) = read_revision(item, second, MEGABYTE).documents
    assert (old.revision_id, old.status, old.text) == (second, "draft", "# Deploy\n\nSecond.\n")
    assert read_revision(item, now, MEGABYTE).documents == (item,)


@git
def test_a_content_with_another_id_was_another_item(history: tuple[KnowledgeItem, list[str]]) -> None:
    item, (_, _, other, _) = history
    assert read_revision(item, other, MEGABYTE) == Reading(searchable=False)


@git
def test_what_is_no_revision_and_what_is_too_large_gives_nothing(
    history: tuple[KnowledgeItem, list[str]],
) -> None:
    item, (first, *_) = history
    for revision_id, limit in (("0" * 40, MEGABYTE), ("", MEGABYTE), (first, 5)):
        assert read_revision(item, revision_id, limit) == Reading(searchable=False)


def test_outside_a_repository_there_are_no_older_revisions(tmp_path: Path) -> None:
    path = write(tmp_path / ".knowledge/runbooks/a.md")
    (item,) = read_item(path, tmp_path, (), MEGABYTE).documents
    assert read_revision(item, item.revision_id, MEGABYTE) == Reading(searchable=False)
