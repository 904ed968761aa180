"""Items and their revisions, read by their address (seeds/search-knowledge.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from files_on_disk import write
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knowledge_items import LEXICAL, ask, error_of, ids, read, same, write_items

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.knowledge.answer import KnowledgeReading
from lsp_server.knowledge import knowledge_error_json, knowledge_json
from lsp_server.sources.knowledge import revision_id_of

git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

TEXT = "# Keys\n\n\r\nRotate the 🔑 key: 서명 키를 교체한다.\n"
HEADER = "---\ntitle: Keys\n---\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_items(
        tmp_path,
        {
            "runbooks/keys.md": HEADER + TEXT,
            "runbooks/eu/deploy.md": "Deploy to the EU.\n",
            "guides/keys.md": "Keys of pianos.\n",
            "guides/배포.md": "# 배포 절차\n",
            "guides/empty.md": "",
        },
    )
    return tmp_path


@pytest.fixture
def core(root: Path) -> Iterator[SearchCore]:
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        yield core


# Addresses


@pytest.mark.parametrize(
    ("item_id", "asked_base", "base_id", "content"),
    [
        ("eu/deploy", None, "runbooks", "Deploy to the EU.\n"),
        ("eu/deploy", "runbooks", "runbooks", "Deploy to the EU.\n"),
        ("배포", "guides", "guides", "# 배포 절차\n"),
        ("keys", "runbooks", "runbooks", TEXT),
        ("keys", "guides", "guides", "Keys of pianos.\n"),
        # An id of several bases is that of the first.
        ("keys", None, "guides", "Keys of pianos.\n"),
        ("empty", None, "guides", ""),
        # A blank text is absent.
        ("empty", " ", "guides", ""),
    ],
)
def test_an_item_is_read_by_its_id(
    core: SearchCore, item_id: str, asked_base: str | None, base_id: str, content: str
) -> None:
    reading = read(core, item_id, knowledge_base_id=asked_base)
    assert (reading.content, reading.total_chars) == (content, len(content))
    assert (reading.item.item_id, reading.item.base_id) == (item_id, base_id)
    assert (reading.offset, reading.limit_chars, reading.is_truncated) == (0, 4000, False)


def test_the_current_revision_may_be_pinned(core: SearchCore, root: Path) -> None:
    raw = (root / ".knowledge/runbooks/keys.md").read_bytes()
    current = revision_id_of(raw)
    by_search = ask(core, "rotate", knowledge_base_id="runbooks").results[0].item.revision_id
    unpinned = read(core, "keys", knowledge_base_id="runbooks")
    assert current == by_search == unpinned.item.revision_id
    assert read(core, "keys", knowledge_base_id="runbooks", knowledge_revision_id=current) == unpinned
    # Without a base it is the item of the first one, and this revision is none of that item's.
    assert error_of(core, {"knowledge_item_id": "keys", "knowledge_revision_id": current}).code == (
        "knowledge_resource_unavailable"
    )


def test_what_was_found_can_be_read(core: SearchCore) -> None:
    answer = ask(core, "keys rotate deploy 배포")
    assert len(answer.results) == 4
    for result, envelope in zip(answer.results, knowledge_json(answer)["results"], strict=True):
        reading = core.knowledge(envelope["reference"])
        assert isinstance(reading, KnowledgeReading)
        assert replace(reading.item, text="") == result.item
        assert result.excerpt in reading.item.text


# Windows


@pytest.mark.parametrize(
    ("offset", "limit", "content", "is_truncated"),
    [
        (0, 1, "a", True),
        (0, 5, "a😀서e\u0301", False),
        (0, 4, "a😀서e", True),
        (1, 1, "😀", True),
        (2, 1, "서", True),
        (4, 1, "\u0301", False),
        (1, 10_000, "😀서e\u0301", False),
        (5, 1, "", False),
        (6, 1, "", False),
        (10**30, 10_000, "", False),
    ],
)
def test_a_window_counts_code_points(
    tmp_path: Path, offset: int, limit: int, content: str, is_truncated: bool
) -> None:
    write_items(tmp_path, {"runbooks/a.md": "a😀서e\u0301"})
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        reading = read(core, "a", offset=offset, limit_chars=limit)
    assert (reading.content, reading.is_truncated, reading.total_chars) == (content, is_truncated, 5)
    assert (reading.offset, reading.limit_chars) == (offset, limit)


def test_by_default_a_window_has_4000_code_points(tmp_path: Path) -> None:
    write_items(tmp_path, {"runbooks/a.md": "😀" * 12_001})
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        for parameters, length in (({}, 4000), ({"limit_chars": 10_000}, 10_000), ({"offset": 8001}, 4000)):
            reading = read(core, "a", **parameters)
            assert (len(reading.content), reading.total_chars) == (length, 12_001)
            assert reading.is_truncated is (reading.offset + length < 12_001)


@pytest.fixture(scope="module")
def item_to_overwrite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchCore, Path]]:
    root = tmp_path_factory.mktemp("chunks")
    write_items(root, {"runbooks/a.md": "text"})
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        yield core, root / ".knowledge/runbooks/a.md"


any_text = st.text(st.sampled_from("ab \n\r😀서버e\u0301\u2028\ufeff-#\0👩‍🔧") | st.characters(codec="utf-8"))


@example("\r\n\r\n", 1)
@example("👩‍🔧서버\u1100\u1161", 2)
@given(any_text, st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_the_chunks_of_a_pinned_revision_are_its_text(
    item_to_overwrite: tuple[SearchCore, Path], text: str, limit: int
) -> None:
    core, path = item_to_overwrite
    raw = (HEADER + "x" + text).encode()
    path.write_bytes(raw)
    chunks: list[str] = []
    offset, is_truncated = 0, True
    while is_truncated:
        envelope = knowledge_json(
            read(core, "a", knowledge_revision_id=revision_id_of(raw), offset=offset, limit_chars=limit)
        )
        chunks.append(envelope["content"])
        assert envelope["content_total_chars"] == len(text) + 1
        offset, is_truncated = offset + len(chunks[-1]), envelope["content_truncated"]
    assert "".join(chunks) == "x" + text
    assert all(len(chunk) == limit for chunk in chunks[:-1])


def test_chunks_of_two_revisions_are_never_mixed(tmp_path: Path) -> None:
    """Without a repository the earlier revision is gone; a reader who has pinned it is told."""
    path = write(tmp_path / ".knowledge/runbooks/a.md", "first text\n")
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        reading = read(core, "a", limit_chars=5)
        write(path, "other text\n")
        pinned = {"knowledge_item_id": "a", "knowledge_revision_id": reading.item.revision_id, "offset": 5}
        assert error_of(core, pinned).code == "knowledge_resource_unavailable"
        unpinned = read(core, "a", offset=5)
    assert unpinned.item.revision_id != reading.item.revision_id


# Revisions in a repository


def commit(root: Path, contents: Mapping[str, str | None]) -> None:
    """Write or remove files below `.knowledge` and commit all there is."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    known = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]

    def run(*arguments: str) -> None:
        subprocess.run(
            ["git", *known, *arguments], cwd=root, env=environment, check=True, capture_output=True
        )

    if not (root / ".git").exists():
        run("init")
    write_items(root, {name: content for name, content in contents.items() if content is not None})
    for name in (name for name, content in contents.items() if content is None):
        (root / ".knowledge" / name).unlink()
    run("add", "--all")
    run("commit", "-m", "x")


def revision(content: str) -> str:
    return revision_id_of(content.encode())


PUBLISHED_FIRST = "---\ntitle: First\nowner: Kim\n---\n첫째 😀 first\n"
DRAFT = "---\nstatus: draft\n---\ndraft text\n"
ARCHIVED = "---\nstatus: archived\n---\narchived text\n"
STAGING = "---\nscope: staging\n---\nstaging text\n"
OTHER_ID = "---\nid: other\n---\nother item\n"
NOW = "---\ntitle: Now\n---\nnow\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for content in (PUBLISHED_FIRST, DRAFT, ARCHIVED, STAGING, OTHER_ID, NOW):
        commit(tmp_path, {"runbooks/a.md": content, "runbooks/b.md": f"b {content}"})
    return tmp_path


@git
def test_an_older_revision_is_read_as_it_was(repository: Path) -> None:
    with SearchCore.open(repository, LEXICAL, cached=False) as core:
        now = read(core, "a")
        old = read(core, "a", knowledge_revision_id=revision(PUBLISHED_FIRST))
        window = read(core, "a", knowledge_revision_id=revision(PUBLISHED_FIRST), offset=3, limit_chars=2)
        staging = read(core, "a", knowledge_revision_id=revision(STAGING))
    assert (now.content, now.item.revision_id) == ("now\n", revision(NOW))
    assert (old.content, old.item.title, old.item.owner) == ("첫째 😀 first\n", "First", "Kim")
    assert (old.item.item_id, old.item.base_id, old.item.path) == ("a", "runbooks", now.item.path)
    assert old.item.revision_id == revision(PUBLISHED_FIRST)
    assert (window.content, window.total_chars, window.is_truncated) == ("😀 ", len(old.content), True)
    assert (staging.content, staging.item.scope) == ("staging text\n", "staging")


@git
def test_a_pinned_revision_outlives_an_edit(repository: Path) -> None:
    """Somebody commits while another one reads: the second chunk is still that of the first."""
    with SearchCore.open(repository, LEXICAL, cached=False) as core:
        first = read(core, "a", limit_chars=2)
        commit(repository, {"runbooks/a.md": "entirely new\n"})
        second = read(core, "a", knowledge_revision_id=first.item.revision_id, offset=2)
        assert first.content + second.content == "now\n"
        assert read(core, "a").content == "entirely new\n"


@git
def test_an_edit_that_is_not_committed_is_the_current_revision(repository: Path) -> None:
    path = repository / ".knowledge/runbooks/a.md"
    with SearchCore.open(repository, LEXICAL, cached=False) as core:
        write(path, "edited\n")
        assert read(core, "a", knowledge_revision_id=revision("edited\n")).content == "edited\n"
        assert read(core, "a", knowledge_revision_id=revision(NOW)).content == "now\n"
        # It was never committed, so it is gone for good.
        write(path, "edited again\n")
        parameters = {"knowledge_item_id": "a", "knowledge_revision_id": revision("edited\n")}
        assert error_of(core, parameters).code == "knowledge_resource_unavailable"


@git
def test_revisions_that_may_not_be_seen_are_like_missing_ones(repository: Path) -> None:
    options = replace(LEXICAL, knowledge_scopes=("production",))
    commits = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.strip()
    with SearchCore.open(repository, options, cached=False) as core:
        answers = [
            json.dumps(
                knowledge_error_json(
                    error_of(core, {"knowledge_item_id": "a", "knowledge_revision_id": revision_id})
                ),
                ensure_ascii=False,
            )
            for revision_id in (
                "0" * 40,
                revision(DRAFT),
                revision(ARCHIVED),
                revision(STAGING),
                revision(OTHER_ID),
                # Of another file.
                revision(f"b {PUBLISHED_FIRST}"),
                # A name of git's for the right thing is no id.
                revision(PUBLISHED_FIRST)[:12],
                revision(PUBLISHED_FIRST).upper(),
                "HEAD",
                "HEAD:.knowledge/runbooks/a.md",
                commits,
                "../a",
                "\0",
                "리비전",
                "x" * 10_000,
            )
        ]
        assert read(core, "a", knowledge_revision_id=revision(PUBLISHED_FIRST)).item.title == "First"
    assert same(answers)


@git
@pytest.mark.parametrize("content", [DRAFT, ARCHIVED, "---\nscope: staging\n---\nnow\n", OTHER_ID, None])
def test_no_revision_of_an_item_that_may_not_be_seen_is_read(repository: Path, content: str | None) -> None:
    """What is published no more is gone with all of its past."""
    parameters = {"knowledge_item_id": "a", "knowledge_revision_id": revision(PUBLISHED_FIRST)}
    options = replace(LEXICAL, knowledge_scopes=("production",))
    with SearchCore.open(repository, options, cached=False) as core:
        assert core.knowledge(parameters)
        commit(repository, {"runbooks/a.md": content})
        # At once, before the next look at the disk, and after it.
        at_once = error_of(core, parameters)
        core.refresh()
        afterwards = error_of(core, parameters)
    assert at_once.code == afterwards.code == "knowledge_resource_unavailable"


# Nothing tells what is there from what is not


def test_the_same_bytes_for_whatever_is_not_there(root: Path) -> None:
    write_items(
        root,
        {
            "runbooks/draft.md": "---\nstatus: draft\n---\ntext\n",
            "runbooks/archived.md": "---\nstatus: archived\n---\ntext\n",
            "runbooks/unclear.md": "---\nstatus: in review\n---\ntext\n",
            "runbooks/staging.md": "---\nscope: staging\n---\ntext\n",
            "secret/item.md": "---\nscope: staging\n---\ntext\n",
            "too-large/item.md": "x" * 3000,
        },
    )
    item_id, base_id, revision_id = "knowledge_item_id", "knowledge_base_id", "knowledge_revision_id"
    scope = "---\nscope: staging\n---\ntext\n"
    requests: list[dict[str, object]] = [
        {item_id: "missing"},
        {item_id: "missing", base_id: "missing"},
        {item_id: "missing", base_id: "runbooks"},
        {item_id: "draft"},
        {item_id: "draft", base_id: "runbooks"},
        {item_id: "draft", revision_id: revision("---\nstatus: draft\n---\ntext\n")},
        {item_id: "archived"},
        {item_id: "unclear"},
        {item_id: "staging"},
        {item_id: "staging", revision_id: revision(scope)},
        {item_id: "item", base_id: "secret"},
        {item_id: "item", base_id: "too-large"},
        {item_id: "eu/deploy", base_id: "guides"},
        {item_id: "eu/deploy", revision_id: "0" * 40},
        {item_id: "eu/deploy", revision_id: "0" * 40, "offset": 10**9},
        {item_id: "eu/../eu/deploy"},
        {item_id: "../guides/keys"},
        {item_id: str(root / ".knowledge/guides/keys.md")},
        {item_id: "\0"},
        {item_id: "x" * 10_000},
    ]
    options = replace(LEXICAL, knowledge_scopes=("production",), max_file_bytes=2000)
    with SearchCore.open(root, options, cached=False) as core:
        answers = [
            json.dumps(knowledge_error_json(error_of(core, request)), ensure_ascii=False).encode()
            for request in requests
        ]
    with SearchCore.open(root / "runbooks", options, cached=False) as elsewhere:
        answers.append(json.dumps(knowledge_error_json(error_of(elsewhere, {item_id: "keys"}))).encode())
    assert same(answers)


# What happens on the disk


def test_changes_on_the_disk_are_read(root: Path) -> None:
    path = root / ".knowledge/guides/배포.md"
    with SearchCore.open(root, LEXICAL, cached=False) as core:

        def content(item_id: str, *, refreshed: bool = True) -> str | None:
            if refreshed:
                core.refresh()
            try:
                return read(core, item_id).content
            except Exception as error:
                assert getattr(error, "code", None) == "knowledge_resource_unavailable", error
                return None

        # Edited, withdrawn and removed: at once, whatever the throttle says.
        write(path, "edited\n")
        assert content("배포", refreshed=False) == "edited\n"
        write(path, "---\nstatus: archived\n---\nedited\n")
        assert content("배포", refreshed=False) is None
        assert content("배포") is None
        write(path, "---\nstatus: published\n---\nagain\n")
        assert content("배포") == "again\n"
        write(path, "---\nid: deploying\n---\nnamed\n")
        assert content("배포", refreshed=False) is None
        assert (content("배포"), content("deploying")) == (None, "named\n")
        path.replace(path.with_name("moved.md"))
        assert content("deploying", refreshed=False) is None
        assert content("deploying") == "named\n"
        write(path.with_name("moved.md"), "plain\n")
        assert (content("deploying"), content("moved")) == (None, "plain\n")
        path.with_name("moved.md").replace(write(root / ".knowledge/other/moved.md", ""))
        assert content("moved") == "plain\n"
        assert read(core, "moved").item.base_id == "other"
        (root / ".knowledge/other/moved.md").unlink()
        assert content("moved", refreshed=False) is None
        assert content("moved") is None
        assert ids(ask(core, "plain")) == []


def test_what_is_published_while_a_session_runs_is_read(tmp_path: Path) -> None:
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        assert error_of(core, {"knowledge_item_id": "a"}).code == "knowledge_resource_unavailable"
        write_items(tmp_path, {"runbooks/a.md": "new\n"})
        core.expect_changes()
        assert read(core, "a").content == "new\n"


def test_of_items_with_one_id_the_first_is_read(tmp_path: Path) -> None:
    write_items(tmp_path, {"runbooks/a.md": "first\n", "runbooks/z.md": "---\nid: a\n---\nsecond\n"})
    second = "---\nid: a\n---\nsecond\n"
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        assert read(core, "a").content == "first\n"
        parameters = {"knowledge_item_id": "a", "knowledge_revision_id": revision(second)}
        assert error_of(core, parameters).code == "knowledge_resource_unavailable"
        (tmp_path / ".knowledge/runbooks/a.md").unlink()
        core.refresh()
        assert read(core, "a", knowledge_revision_id=revision(second)).content == "second\n"


def test_an_item_outside_the_scopes_takes_nobodys_id_and_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIOR_ART_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "w/.knowledge/base/a.md", "---\nid: same\nscope: secret\n---\nhidden gateway\n")
    write(tmp_path / "w/.knowledge/base/b.md", "---\nid: same\nscope: open\n---\nseen gateway\n")
    with SearchCore.open(tmp_path / "w", StoreOptions(knowledge_scopes=("open",))) as core:
        reading = core.knowledge({"knowledge_item_id": "same"})
        assert isinstance(reading, KnowledgeReading)
        assert reading.content == "seen gateway\n"
        status = core.status().sources[-1]
        assert (status.name, status.status, status.document_count, status.problems) == (
            "knowledge",
            "complete",
            1,
            (),
        )
