"""`SearchCore` over real files: a change is seen, what is gone is not cited, what is broken is named."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from indexed import decoded, text_entry

from lsp_server.core import QueryError, SearchCore, freshness
from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.snapshot import Indexing
from lsp_server.core.index.store import Store
from lsp_server.core.model import Listing, PriorArt, Problem, Reading, SourceName
from lsp_server.core.source import Source

LONG_AGO = time.time() - 3600
PATIENCE_SECONDS = 10


@pytest.fixture
def unthrottled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 0.0)


@pytest.fixture
def throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 3600.0)


def write(path: Path, text: str, *, age: bool = True) -> Path:
    """Write a file that has been there for an hour, or one that is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    if age:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def write_memory(root: Path, keeper: str, *claims: str) -> Path:
    facts = [{"claim": claim, "category": "fact", "first_seen": 1.0} for claim in claims]
    return write(root / f".masc/config/keepers/{keeper}.memory-current.json", json.dumps({"facts": facts}))


def write_page(root: Path, name: str, text: str, **more: Any) -> Path:
    return write(root / "docs/wiki" / name, text, **more)


def write_posts(root: Path, *titles: str) -> Path:
    rows = [{"id": f"p{n}", "title": title, "body": "", "created_at": n} for n, title in enumerate(titles)]
    return write(root / ".masc/board_posts.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def write_plan(root: Path, wp_id: str, tag: str) -> Path:
    return write(
        root / f".gem-squared/archive/{wp_id}.md",
        f"# {wp_id}: A plan\n\n### 1. First | STATUS: COMPLETED\n\n**A:** text\n\n**Tags:** [{tag}]\n",
    )


def claims(answer: PriorArt) -> list[str]:
    return [match.text for match in answer.memory.matches]


def pages(answer: PriorArt) -> list[str]:
    return [Path(match.path).name for match in answer.wiki.matches]


# --- what is asked ---------------------------------------------------------------------------------------


@pytest.fixture
def core(tmp_path: Path) -> Iterator[SearchCore]:
    write_memory(tmp_path, "tide", "E0308 is a type mismatch", "two\r\nlines")
    write_page(tmp_path, "deploy.md", "# Deploy\r\ntwo\r\nlines of E0308\r\n")
    write_posts(tmp_path, "E0308 again", "two\nlines")
    write_plan(tmp_path, "WP-ST-1", "killing-terminal")
    with SearchCore.open(tmp_path) as opened:
        yield opened


def test_one_query_is_put_to_three_stores(core: SearchCore) -> None:
    answer = core.prior_art("e0308")
    assert claims(answer) == ["E0308 is a type mismatch"]
    assert [(match.title, match.line) for match in answer.wiki.matches] == [("Deploy", 3)]
    assert [match.id for match in answer.board.matches] == ["p0"]
    assert (answer.status, answer.query) == ("complete", "e0308")


@pytest.mark.parametrize("query", ["two\r\nlines", "two\nlines", "two\rlines"])
def test_a_query_may_have_the_line_ends_of_any_system(core: SearchCore, query: str) -> None:
    answer = core.prior_art(query)
    assert (claims(answer), pages(answer)) == (["two\r\nlines"], ["deploy.md"])
    assert [match.id for match in answer.board.matches] == ["p1"]
    assert answer.query == query
    assert core.search_kg("killing-terminal\r\n").total_count == 1


def test_a_source_that_was_not_asked_for_is_absent(core: SearchCore) -> None:
    chosen: tuple[SourceName, ...] = ("wiki",)
    answer = core.prior_art("E0308", chosen)
    assert (answer.memory.status, answer.wiki.status, answer.board.status) == ("absent", "complete", "absent")
    assert not answer.memory.matches


@pytest.mark.parametrize("ask", [SearchCore.prior_art, SearchCore.search_kg])
@pytest.mark.parametrize("query", ["", " \n", "x" * 201])
def test_a_query_that_cannot_be_answered_is_refused(
    core: SearchCore, ask: Callable[[SearchCore, str], Any], query: str
) -> None:
    with pytest.raises(QueryError, match=r"^the query "):
        ask(core, query)


def test_a_limit_below_one_is_refused(core: SearchCore) -> None:
    with pytest.raises(QueryError, match="the limit is 0; it has to be at least 1"):
        core.search_kg("killing-terminal", limit=0)


def test_status_counts_what_was_found(core: SearchCore, tmp_path: Path) -> None:
    write(tmp_path / ".masc/config/keepers/broken.memory-current.json", "{")
    status = core.status()
    assert status.root == str(tmp_path)
    assert [(each.name, each.status, each.document_count, each.file_count) for each in status.sources] == [
        ("memory", "incomplete", 2, 2),
        ("wiki", "complete", 1, 1),
        ("board", "complete", 2, 1),
        ("contracts", "complete", 1, 1),
        ("knowledge", "absent", 0, 0),
    ]
    assert all(each.locations for each in status.sources[:4])
    assert len(status.sources[0].problems) == 1


def test_a_root_without_stores_opens(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "missing"):
        with SearchCore.open(root) as core:
            answer = core.prior_art("anything")
            assert (answer.status, answer.found) == ("absent", False)
            assert core.search_kg("anything").status == "absent"
            assert [each.status for each in core.status().sources] == ["absent"] * 5


def test_empty_stores_are_complete(tmp_path: Path) -> None:
    write_memory(tmp_path, "tide")
    write_posts(tmp_path)
    (tmp_path / "docs/wiki").mkdir(parents=True)
    with SearchCore.open(tmp_path) as core:
        answer = core.prior_art("anything")
    assert (answer.memory.status, answer.wiki.status, answer.board.status) == ("complete",) * 3


@pytest.mark.usefixtures("unthrottled")
def test_prominent_words_follow_the_disk(core: SearchCore, tmp_path: Path) -> None:
    assert core.standing("DEPLOY").singled_out_in
    assert not core.standing("rollback").singled_out_in
    write_page(tmp_path, "rollback.md", "# Rollback\n")
    assert core.standing("rollback").singled_out_in


# --- queries and other arguments -------------------------------------------------------------------------


def test_blanks_around_a_query_do_not_count(tmp_path: Path) -> None:
    write_memory(tmp_path, "tide", "a PR waits", "a PRESS waits")
    write_page(tmp_path, "end.md", "ends with E0308")
    with SearchCore.open(tmp_path) as core:
        assert claims(core.prior_art(" PR ")) == ["a PR waits"]
        assert pages(core.prior_art("\tE0308 \n")) == ["end.md"]


def test_facts_that_hold_only_a_word_can_be_left_out(tmp_path: Path) -> None:
    write_memory(tmp_path, "tide", "the clock", "the drift", "clock drift")
    with SearchCore.open(tmp_path) as core:
        assert claims(core.prior_art("clock drift")) == ["clock drift", "the clock", "the drift"]
        answer = core.prior_art("clock drift", by_word=False)
        assert (claims(answer), answer.memory.total_count) == (["clock drift"], 1)


def test_what_the_seed_writes_as_bottom_means_the_default(tmp_path: Path) -> None:
    write_plan(tmp_path, "WP-ST-1", "mooring-boat")
    with SearchCore.open(tmp_path) as core:
        answer = core.search_kg("boat", project_slug=None, scope=None, state_filter=None, limit=None)
        assert answer.results == core.search_kg("boat").results != ()


@pytest.mark.parametrize("wrong", [{"scope": "foo"}, {"state_filter": "success"}, {"limit": 0}])
def test_an_argument_of_search_kg_that_is_none_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with SearchCore.open(tmp_path) as core, pytest.raises(QueryError, match=str(next(iter(wrong.values())))):
        core.search_kg("boat", **wrong)


def test_only_problems_of_the_scope_make_a_search_of_contracts_incomplete(tmp_path: Path) -> None:
    write_plan(tmp_path, "WP-ST-1", "mooring-boat")
    (tmp_path / ".gem-squared/work-plan").mkdir()
    (tmp_path / ".gem-squared/work-plan/WP-ST-2.md").write_bytes(b"\xff\xfe\xff")
    with SearchCore.open(tmp_path) as core:
        by_scope = {scope: core.search_kg("boat", scope=scope) for scope in ("all", "archive", "live")}
        assert {scope: answer.status for scope, answer in by_scope.items()} == {
            "all": "incomplete",
            "archive": "complete",
            "live": "incomplete",
        }
        assert by_scope["archive"].problems == ()


def test_a_bad_line_among_the_comments_is_named_and_hides_no_post(tmp_path: Path) -> None:
    write_posts(tmp_path, "First")
    write(tmp_path / ".masc/board_comments.jsonl", "no JSON\n")
    with SearchCore.open(tmp_path) as core:
        board = core.prior_art("First").board
        assert (board.status, len(board.matches), len(board.problems)) == ("complete", 1, 1)


@pytest.mark.usefixtures("throttled")
def test_a_change_that_somebody_announces_is_seen_within_the_throttle(tmp_path: Path) -> None:
    write_page(tmp_path, "old.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        write_page(tmp_path, "new.md", "alpha")
        assert pages(core.prior_art("alpha")) == ["old.md"]
        core.expect_changes()
        assert pages(core.prior_art("alpha")) == ["new.md", "old.md"]


# --- ids -------------------------------------------------------------------------------------------------


def test_a_post_and_a_fact_are_found_by_their_ids(tmp_path: Path) -> None:
    write_memory(tmp_path, "tide", "the clock drifts", "another claim")
    write_posts(tmp_path, "First", "Second")
    with SearchCore.open(tmp_path) as core:
        assert [post.title for post in core.named("p1")] == ["Second"]
        clock = next(iter(core.prior_art("clock").memory.matches))
        assert core.named(clock.memory_id) == (clock,)
        assert core.named(clock.memory_id[:20]) == (clock,)
        for unknown in ("p", "p99", "sha256:", "sha256:0000000", "sha256:" + "0" * 64, "the clock drifts"):
            assert core.named(unknown) == ()


def test_an_expired_post_is_not_found_by_its_id(tmp_path: Path) -> None:
    row = {"id": "p1", "title": "Old", "created_at": 1, "expires_at": 2.0}
    write(tmp_path / ".masc/board_posts.jsonl", json.dumps(row) + "\n")
    with SearchCore.open(tmp_path) as core:
        assert core.named("p1") == ()


@pytest.mark.parametrize(("content", "found"), [("as it was", 1), ("changed since", 0), (None, 0)])
def test_a_bound_fact_is_found_by_its_id_only_while_it_holds(
    tmp_path: Path, content: str | None, found: int
) -> None:
    digest = "sha256:" + hashlib.sha256(b"as it was").hexdigest()
    fact = {"claim": "a bound claim", "source": {"kind": "file", "path": "notes.txt", "sha256": digest}}
    write(
        tmp_path / ".masc/config/keepers/tide.memory-source-current.json",
        json.dumps({"revision": 1, "facts": [fact]}),
    )
    if content is not None:
        write(tmp_path / "notes.txt", content)
    memory_id = "sha256:" + hashlib.sha256(b"a bound claim").hexdigest()
    with SearchCore.open(tmp_path) as core:
        assert len(core.named(memory_id)) == found


# --- closing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda core: core.prior_art("x"),
        lambda core: core.search_kg("x"),
        lambda core: core.standing("x"),
        lambda core: core.status(),
        lambda core: core.refresh(),
    ],
)
def test_a_lookup_after_close_is_an_error_at_once(tmp_path: Path, ask: Callable[[SearchCore], Any]) -> None:
    with SearchCore.open(tmp_path) as core:
        ask(core)
    with pytest.raises(RuntimeError, match="is closed"):
        ask(core)
    core.close()  # once more does no harm


# --- changes on disk -------------------------------------------------------------------------------------


def test_many_changes_that_a_client_saw_are_looked_at_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, looks = freshness.Freshness._look, []

    def counted(self: freshness.Freshness) -> None:
        looks.append(self)
        look(self)

    page = write_page(tmp_path, "a.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        assert pages(core.prior_art("alpha")) == ["a.md"]
        monkeypatch.setattr(freshness.Freshness, "_look", counted)
        write(page, "gamma beta", age=False)
        for _ in range(500):
            core.expect_changes()
        assert pages(core.prior_art("beta")) == ["a.md"]
        assert len(looks) == 1


def test_changes_are_seen_within_a_second(tmp_path: Path) -> None:
    # By the clock of whoever looks at the disk; a busy machine's may run slower.
    assert 2 * freshness.THROTTLE_SECONDS <= 1
    page = write_page(tmp_path, "a.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        assert pages(core.prior_art("alpha")) == ["a.md"]
        assert pages(core.prior_art("beta")) == []
        write(page, "gamma beta", age=False)
        end = time.monotonic() + PATIENCE_SECONDS
        while not pages(core.prior_art("beta")):
            assert time.monotonic() < end, "never seen"
            time.sleep(0.01)


@pytest.mark.usefixtures("unthrottled")
def test_every_kind_of_change_is_seen(tmp_path: Path) -> None:
    first = write_page(tmp_path, "a.md", "alpha one")
    with SearchCore.open(tmp_path) as core:
        second = write_page(tmp_path, "b.md", "alpha two")
        assert pages(core.prior_art("alpha")) == ["a.md", "b.md"], "added"
        write(first, "beta", age=False)
        assert pages(core.prior_art("alpha")) == ["b.md"], "changed"
        second.rename(second.with_name("0.md"))
        assert pages(core.prior_art("alpha")) == ["0.md"], "renamed"
        second.with_name("0.md").unlink()
        assert pages(core.prior_art("alpha")) == [], "removed"
        write_memory(tmp_path, "new", "alpha")
        assert claims(core.prior_art("alpha")) == ["alpha"], "a whole new store"


@pytest.mark.usefixtures("unthrottled")
def test_a_change_of_equal_length_is_seen(tmp_path: Path) -> None:
    page = write_page(tmp_path, "a.md", "alpha", age=False)
    with SearchCore.open(tmp_path) as core:
        for text in ("gamma", "delta", "omega") * 5:
            write(page, text, age=False)
            assert pages(core.prior_art(text)) == ["a.md"]


@pytest.mark.usefixtures("unthrottled")
def test_a_replaced_file_of_equal_size_and_age_is_seen(tmp_path: Path) -> None:
    page = write_page(tmp_path, "a.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        write_page(tmp_path, "a.tmp", "gamma").replace(page)
        assert pages(core.prior_art("alpha")) == []
        assert pages(core.prior_art("gamma")) == ["a.md"]


@pytest.mark.usefixtures("unthrottled")
def test_a_comment_changes_the_reply_count(tmp_path: Path) -> None:
    write_posts(tmp_path, "alpha")
    with SearchCore.open(tmp_path) as core:
        assert core.prior_art("alpha").board.matches[0].reply_count == 0
        write(tmp_path / ".masc/board_comments.jsonl", '{"id": "c", "post_id": "p0", "content": "x"}\n')
        assert core.prior_art("alpha").board.matches[0].reply_count == 1


@pytest.mark.usefixtures("throttled")
def test_within_the_throttle_the_disk_is_left_alone(tmp_path: Path) -> None:
    with SearchCore.open(tmp_path) as core:
        write_page(tmp_path, "a.md", "alpha")
        assert pages(core.prior_art("alpha")) == []
        core.refresh()
        assert pages(core.prior_art("alpha")) == ["a.md"]


@pytest.mark.usefixtures("throttled")
@pytest.mark.parametrize("age", [True, False], ids=["old file", "file just written"])
def test_a_cited_file_that_is_gone_is_never_cited(tmp_path: Path, age: bool) -> None:
    page = write_page(tmp_path, "a.md", "alpha", age=age)
    write_page(tmp_path, "b.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        page.unlink()
        assert pages(core.prior_art("alpha")) == ["b.md"]


@pytest.mark.usefixtures("throttled")
def test_a_cited_file_that_changed_is_read_again(tmp_path: Path) -> None:
    page = write_page(tmp_path, "a.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        write(page, "\n\nalpha", age=False)
        assert core.prior_art("alpha").wiki.matches[0].line == 3


@pytest.mark.usefixtures("throttled")
def test_a_cited_file_that_changes_all_the_time_does_not_hide_other_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 0.1)
    write_page(tmp_path, "a.md", "alpha 0")
    with SearchCore.open(tmp_path) as core:
        write_memory(tmp_path, "tide", "alpha")
        end = time.monotonic() + PATIENCE_SECONDS
        number = 0
        while not claims(core.prior_art("alpha")):
            assert time.monotonic() < end, "never seen"
            number += 1
            write_page(tmp_path, "a.md", f"alpha {number}", age=False)


def test_a_plan_that_is_gone_is_never_cited(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "WP-ST-1", "killing-terminal")
    with SearchCore.open(tmp_path) as core:
        assert core.search_kg("killing-terminal").total_count == 1
        plan.unlink()
        assert core.search_kg("killing-terminal").results == ()


@pytest.mark.usefixtures("unthrottled")
def test_lookups_in_threads_while_files_change(tmp_path: Path) -> None:
    write_memory(tmp_path, "tide", "alpha 0")
    write_page(tmp_path, "steady.md", "alpha steady")
    stop = threading.Event()
    errors: list[BaseException] = []
    answers: list[PriorArt] = []

    def ask(core: SearchCore) -> None:
        try:
            while not stop.is_set():
                answers.append(core.prior_art("alpha"))
                core.standing("alpha")
        except BaseException as error:
            errors.append(error)

    with SearchCore.open(tmp_path) as core:
        threads = [threading.Thread(target=ask, args=(core,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for n in range(40):
            write(tmp_path / "docs/wiki/moving.md", f"alpha {n}", age=False)
            write_posts(tmp_path, f"alpha {n}")
            write(tmp_path / f"docs/wiki/{n}.md", "alpha", age=False)
            if n % 2:
                (tmp_path / "docs/wiki/moving.md").unlink()
                (tmp_path / f"docs/wiki/{n - 1}.md").unlink()
        stop.set()
        for thread in threads:
            thread.join()
    assert not errors
    assert answers
    assert all("steady.md" in pages(answer) and claims(answer) == ["alpha 0"] for answer in answers)


# --- what cannot be read ---------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "{", "[]", '{"facts": [{"claim": ""}]}', '{"facts": 1}', "\x00"])
def test_a_corrupt_snapshot_beside_a_good_one(tmp_path: Path, content: str) -> None:
    write_memory(tmp_path, "good", "alpha")
    corrupt = write(tmp_path / ".masc/config/keepers/bad.memory-current.json", content)
    with SearchCore.open(tmp_path) as core:
        found, missed = core.prior_art("alpha").memory, core.prior_art("nothing").memory
    assert [match.text for match in found.matches] == ["alpha"]
    for answer in (found, missed):
        assert answer.status == "incomplete"
        assert [problem.path for problem in answer.problems] == [str(corrupt)]


def test_nothing_but_corrupt_snapshots_is_a_failure_and_never_empty(tmp_path: Path) -> None:
    for keeper in ("a", "b"):
        write(tmp_path / f".masc/config/keepers/{keeper}.memory-current.json", "{")
    write_page(tmp_path, "a.md", "alpha")
    with SearchCore.open(tmp_path) as core:
        answer = core.prior_art("alpha")
    assert (answer.memory.status, len(answer.memory.problems)) == ("failed", 2)
    assert (answer.wiki.status, answer.status) == ("complete", "incomplete")
    assert pages(answer) == ["a.md"]


@pytest.mark.usefixtures("unthrottled")
def test_a_repaired_snapshot_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / ".masc/config/keepers/a.memory-current.json", "{")
    with SearchCore.open(tmp_path) as core:
        assert core.prior_art("alpha").memory.status == "failed"
        write_memory(tmp_path, "a", "alpha")
        assert core.prior_art("alpha").memory.status == "complete"
        write(path, "{")
        assert core.prior_art("alpha").memory.status == "failed"


def test_a_malformed_line_of_the_board_costs_that_line_only(tmp_path: Path) -> None:
    path = write_posts(tmp_path, "alpha")
    write(path, path.read_text("utf-8") + "not JSON\n")
    with SearchCore.open(tmp_path) as core:
        board = core.prior_art("alpha").board
    assert (board.status, [match.id for match in board.matches]) == ("incomplete", ["p0"])


# --- Store: what is read again ---------------------------------------------------------------------------


class Shelf:
    """Files of one folder as documents, with a record of which were read and faults to be switched on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read: list[str] = []
        self.unreadable: set[str] = set()
        self.built = 0
        indexing = Indexing(lambda texts: [text_entry(text) for text in texts], decoded, self._index)
        self.store: Store[str, str, tuple[str, ...]] = Store(Source("wiki", self._list, self._read), indexing)
        self.store.refresh()

    def reads_of_a_refresh(self) -> list[str]:
        self.read = []
        self.store.refresh()
        return self.read

    def _list(self) -> Listing:
        if "" in self.unreadable:
            raise PermissionError("no entry")
        return Listing(tuple(sorted(self.folder.iterdir())), (str(self.folder),))

    def _read(self, path: Path) -> Reading[str]:
        self.read.append(path.name)
        if path.name in self.unreadable:
            return Reading(problems=(Problem(str(path), "permission denied"),), searchable=False)
        return Reading((path.read_text("utf-8"),))

    def _index(self, corpus: Corpus[str]) -> tuple[str, ...]:
        self.built += 1
        return tuple(map(corpus.document, range(len(corpus))))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    for name in ("a", "b", "c"):
        write(tmp_path / name, name)
    return Shelf(tmp_path)


def test_only_what_changed_is_read_again(shelf: Shelf) -> None:
    assert shelf.read == ["a", "b", "c"]
    assert shelf.reads_of_a_refresh() == []
    write(shelf.folder / "b", "other")
    assert shelf.reads_of_a_refresh() == ["b"]
    (shelf.folder / "a").unlink()
    write(shelf.folder / "d", "d")
    assert shelf.reads_of_a_refresh() == ["d"]
    assert shelf.store.snapshot.index == ("other", "c", "d")


def test_the_index_is_built_again_only_for_other_content(shelf: Shelf) -> None:
    index, built = shelf.store.snapshot.index, shelf.built
    os.utime(shelf.folder / "b")
    assert shelf.reads_of_a_refresh() == ["b"]
    assert shelf.store.snapshot.index is index
    assert shelf.built == built


def test_a_file_that_was_just_written_is_read_until_it_has_settled(shelf: Shelf) -> None:
    write(shelf.folder / "b", "new", age=False)
    assert shelf.reads_of_a_refresh() == ["b"]
    snapshot = shelf.store.snapshot
    assert not snapshot.is_current(str(shelf.folder / "b")), "it may have changed without a new time stamp"
    assert snapshot.is_current(str(shelf.folder / "a"))
    time.sleep(0.06)
    assert shelf.reads_of_a_refresh() == ["b"]
    assert shelf.reads_of_a_refresh() == []
    assert shelf.store.snapshot.is_current(str(shelf.folder / "b"))


def test_an_unreadable_file_is_tried_again_although_its_time_stamp_stays(shelf: Shelf) -> None:
    shelf.unreadable.add("b")
    os.utime(shelf.folder / "b", (LONG_AGO, LONG_AGO - 1))
    shelf.store.refresh()
    assert (shelf.store.snapshot.index, shelf.store.snapshot.status) == (("a", "c"), "incomplete")
    built = shelf.built
    assert shelf.reads_of_a_refresh() == ["b"]
    assert shelf.built == built, "the same failure is no change"
    shelf.unreadable.clear()
    assert shelf.reads_of_a_refresh() == ["b"]
    assert (shelf.store.snapshot.index, shelf.store.snapshot.status) == (("a", "b", "c"), "complete")


def test_a_folder_that_cannot_be_listed_is_a_failure_until_it_can(shelf: Shelf) -> None:
    shelf.unreadable.add("")
    shelf.store.refresh()
    snapshot = shelf.store.snapshot
    assert (snapshot.status, snapshot.index) == ("failed", ())
    assert "no entry" in snapshot.problems[0].reason
    shelf.unreadable.clear()
    shelf.store.refresh()
    assert (shelf.store.snapshot.status, shelf.store.snapshot.index) == ("complete", ("a", "b", "c"))
