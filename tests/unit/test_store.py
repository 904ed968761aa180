"""A store gives the answers of its files as they are now, whatever was read, cached, merged or reopened before."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from indexed import decoded, numbers, text_entry
from naive import naive_holding

from lsp_server.core import SearchCore, freshness
from lsp_server.core.composition import LIMITS, Limits
from lsp_server.core.index import cache as cache_module
from lsp_server.core.index import file_state
from lsp_server.core.index import store as store_module
from lsp_server.core.index.cache import Cache
from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.segment import Segment
from lsp_server.core.index.snapshot import Indexing
from lsp_server.core.index.store import Store
from lsp_server.core.matching import Term
from lsp_server.core.model import Listing, Problem, Progress, Reading
from lsp_server.core.source import Source
from lsp_server.sources import contracts, wiki

LIVENESS_SECONDS = 10.0
"""What takes longer than this does not happen at all."""

INDEXING = "indexing "
"""How the problem of a store begins that is not read yet."""

_moments = iter(range(10**9))


def write(path: Path, text: str | bytes, *, settled: bool = True) -> Path:
    """Write a file, one that is new or one that has been there for long, at a moment of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if settled:
        moment = time.time() - 86_400 - next(_moments)
        os.utime(path, (moment, moment))
    return path


def soon(happens: Callable[[], object], seconds: float = LIVENESS_SECONDS) -> bool:
    """Whether something happens within a generous time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happens():
            return True
        time.sleep(0.002)
    return bool(happens())


# --- one store: each file a list of documents --------------------------------------------------------------


class Shelf:
    """A folder whose files hold a document in each line, in a store that can be opened again."""

    def __init__(self, folder: Path, cache: Cache | None = None) -> None:
        self.folder = folder
        self.cache = cache
        self.read: list[str] = []
        self.unreadable: set[str] = set()
        self.doubtful: set[str] = set()
        self.store = self.open()

    def open(self) -> Store[str, str, Corpus[str]]:
        """Take a new store, as another process would."""
        indexing = Indexing(_entries, decoded, _index)
        self.read = []
        self.store = Store(Source("wiki", self._list, self._read), indexing, self.cache)
        return self.store

    def reopened(self) -> list[str]:
        """Open and refresh; the names of the files that were read for that."""
        self.open().refresh()
        return self.read

    def write(self, name: str, *lines: str, settled: bool = True) -> None:
        write(self.folder / name, "\n".join(lines), settled=settled)

    @property
    def shown(self) -> list[str]:
        corpus = self.store.snapshot.index
        return corpus.documents(np.arange(len(corpus)))

    @property
    def progress(self) -> str | None:
        """What the store says about not being read yet."""
        snapshot = self.store.snapshot
        said = [problem.reason for problem in snapshot.problems if problem.reason.startswith(INDEXING)]
        assert bool(said) == (not snapshot.is_complete)
        assert not said or snapshot.status == "incomplete"
        return said[0] if said else None

    def _list(self) -> Listing:
        return Listing(tuple(sorted(self.folder.iterdir())), (str(self.folder),))

    def _read(self, path: Path) -> Reading[str]:
        self.read.append(path.name)
        if path.name in self.unreadable:
            return Reading(problems=(Problem(str(path), "permission denied"),), searchable=False)
        lines = path.read_text("utf-8").split("\n")
        problems = (Problem(str(path), "a doubtful line"),) if path.name in self.doubtful else ()
        return Reading(tuple(f"{path.name}: {line}" for line in lines), problems)


def _entries(documents: Sequence[str]) -> list[Entry]:
    return [text_entry(document) for document in documents]


def _index(corpus: Corpus[str]) -> Corpus[str]:
    return corpus


@pytest.fixture
def always_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "CACHED_BYTES", 1)


@pytest.fixture
def never_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "OUTDATED_SHARE", 1e9)
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 10**9)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A shelf of three files, read and tidy."""
    (tmp_path / "files").mkdir()
    shelf = Shelf(tmp_path / "files", Cache(tmp_path / "cache"))
    for name in "abc":
        shelf.write(name, f"{name} one", f"{name} two", "the same")
    shelf.store.refresh()
    shelf.store.tidy()
    return shelf


@pytest.fixture
def indexed_documents(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every document from now on that a new segment is made of."""
    made: list[str] = []
    make = Segment.of

    def recorded(entries: Sequence[Entry], **how: Any) -> Segment:
        made.extend(decoded(entry.record) for entry in entries)
        return make(entries, **how)

    monkeypatch.setattr(Segment, "of", staticmethod(recorded))
    return made


@pytest.mark.usefixtures("always_cached")
def test_a_store_that_is_opened_again_reads_nothing_and_shows_the_same(shelf: Shelf) -> None:
    before = shelf.shown
    assert len(before) == 9
    assert shelf.reopened() == []
    assert shelf.shown == before
    assert (shelf.store.snapshot.status, shelf.progress) == ("complete", None)
    assert not shelf.store.is_untidy


@pytest.mark.usefixtures("always_cached")
def test_a_store_that_was_cached_is_searched_in_its_file(shelf: Shelf) -> None:
    """Nothing of it is held twice."""
    for _ in range(2):
        (segment,) = shelf.store.snapshot.index.segments
        assert isinstance(segment.text.blob, memoryview)
        shelf.reopened()


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are no text")
@pytest.mark.usefixtures("always_cached")
def test_files_of_any_name_are_found_again_in_the_cache(shelf: Shelf) -> None:
    for name in (os.fsdecode(b"caf\xe9"), "서버", "e\u0301", "a\nb", '"', "😀", " "):
        shelf.write(name, "one", "two")
    shelf.store.refresh()
    shelf.store.tidy()
    shown = shelf.shown
    assert len(shown) == 9 + 2 * 7
    assert shelf.reopened() == []
    assert shelf.shown == shown
    (segment,) = shelf.store.snapshot.index.segments
    assert isinstance(segment.text.blob, memoryview)


def test_a_small_store_is_not_cached(shelf: Shelf) -> None:
    assert shelf.cache is not None and shelf.cache.size() == 0
    assert shelf.reopened() == ["a", "b", "c"]


@pytest.mark.usefixtures("always_cached")
def test_only_what_changed_since_is_read_after_opening_again(shelf: Shelf) -> None:
    shelf.write("b", "other")
    (shelf.folder / "a").unlink()
    shelf.write("d", "new")
    assert shelf.reopened() == ["b", "d"]
    assert shelf.shown == ["b: other", "c: c one", "c: c two", "c: the same", "d: new"]


@pytest.mark.usefixtures("always_cached")
@pytest.mark.parametrize("reopened", [False, True])
def test_a_document_that_stays_in_its_file_is_not_indexed_again(
    shelf: Shelf, indexed_documents: list[str], reopened: bool
) -> None:
    if reopened:
        shelf.open()
    shelf.write("b", "inserted", "the same", "b one", "b one", "b two")
    shelf.store.refresh()
    assert indexed_documents == ["b: inserted", "b: b one"], "one more of an equal document is a new one"
    assert shelf.shown[3:8] == [f"b: {line}" for line in ("inserted", "the same", "b one", "b one", "b two")]
    shelf.write("b", "b two", "b one", "b one", "the same")
    shelf.store.refresh()
    assert len(indexed_documents) == 2, "another order of the same is nothing new"
    assert shelf.shown[3:7] == [f"b: {line}" for line in ("b two", "b one", "b one", "the same")]


@pytest.mark.usefixtures("always_cached")
def test_a_file_that_moved_in_the_order_moves_its_documents(shelf: Shelf) -> None:
    (shelf.folder / "a").rename(shelf.folder / "z")
    shelf.store.refresh()
    shown = shelf.shown
    assert shown[-3:] == ["z: a one", "z: a two", "z: the same"]
    shelf.store.tidy()
    assert shelf.shown == shown
    assert shelf.reopened() == []
    assert shelf.shown == shown


@pytest.mark.usefixtures("always_cached")
def test_a_file_with_a_problem_and_documents_keeps_both_in_the_cache(shelf: Shelf) -> None:
    shelf.doubtful.add("b")
    shelf.write("b", *(f"line {number}" for number in range(20)))
    shelf.store.refresh()
    before = shelf.store.snapshot
    assert (before.status, len(before.problems)) == ("incomplete", 1)
    shelf.store.tidy()
    assert shelf.reopened() == []
    after = shelf.store.snapshot
    assert (after.status, after.problems) == (before.status, before.problems)


@pytest.mark.usefixtures("always_cached")
def test_a_file_that_gave_nothing_but_a_problem_is_asked_again_after_opening(shelf: Shelf) -> None:
    shelf.unreadable.add("b")
    shelf.write("b", "now unreadable")
    shelf.store.refresh()
    shelf.store.tidy()
    assert shelf.store.snapshot.status == "incomplete"
    assert shelf.reopened() == ["b"]
    assert [problem.reason for problem in shelf.store.snapshot.problems] == ["permission denied"]
    shelf.unreadable.clear()
    assert shelf.reopened() == ["b"]
    assert (shelf.store.snapshot.status, "b: now unreadable" in shelf.shown) == ("complete", True)


@pytest.mark.usefixtures("always_cached")
def test_a_file_that_had_not_settled_is_read_again_after_opening(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_state, "UNSETTLED_NANOSECONDS", 10**18)
    shelf.write("b", "new", settled=False)
    shelf.store.refresh()
    shelf.store.tidy()
    monkeypatch.setattr(file_state, "UNSETTLED_NANOSECONDS", 0)
    assert "b" in shelf.reopened()
    assert shelf.shown[3] == "b: new"
    shelf.store.refresh()
    assert shelf.store.snapshot.is_current(str(shelf.folder / "b"))


@pytest.mark.usefixtures("always_cached")
def test_what_cannot_be_cached_is_said_and_answers_all_the_same(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as rules:
        rules.setattr(cache_module, "write_segment", refuse)
        shelf.write("b", *(f"line {number}" for number in range(20)))
        shelf.store.refresh()
        shown = shelf.shown
        shelf.store.tidy()
        assert shelf.store.cache_problem == "No space left on device"
        assert shelf.shown == shown
    shelf.open().refresh()
    assert shelf.read == ["b"], "what was cached before is still of use"
    assert shelf.shown == shown
    shelf.store.tidy()
    assert shelf.store.cache_problem is None
    assert shelf.reopened() == []


# --- reading a part at a time ------------------------------------------------------------------------------


def test_what_was_not_read_is_missing_and_the_store_says_how_far_it_is(shelf: Shelf) -> None:
    for name in "abcd":
        shelf.write(name, name * 100)
    shelf.open()
    assert not shelf.store.refresh(0)
    assert (shelf.shown, shelf.progress) == ([], "indexing 0 %, the rest is not searched yet")
    for read in (1, 2, 3):
        assert not shelf.store.refresh(0, at_least=1)
        assert shelf.shown == [f"{name}: {name * 100}" for name in "abcd"[:read]]
        assert shelf.progress == f"indexing {25 * read} %, the rest is not searched yet"
    assert shelf.store.refresh(1_000)
    assert (len(shelf.shown), shelf.progress, shelf.store.snapshot.status) == (4, None, "complete")
    assert shelf.read == ["a", "b", "c", "d"]


def test_a_changed_file_that_is_not_read_yet_shows_nothing_of_before(shelf: Shelf) -> None:
    shelf.write("b", "b" * 100)
    assert not shelf.store.refresh(50)
    assert [name for name in "abc" if any(line.startswith(name) for line in shelf.shown)] == ["a", "c"]
    assert shelf.progress is not None
    assert shelf.store.refresh(100)
    assert (shelf.shown[3], shelf.progress) == ("b: " + "b" * 100, None)


def test_a_new_file_that_is_not_read_yet_makes_the_store_incomplete(shelf: Shelf) -> None:
    shelf.write("d", "d" * 100)
    assert not shelf.store.refresh(50)
    assert len(shelf.shown) == 9
    assert shelf.progress is not None
    assert shelf.store.refresh(100)
    assert (shelf.shown[9:], shelf.progress) == (["d: " + "d" * 100], None)


def test_a_file_that_goes_before_it_was_read_leaves_the_store_complete(shelf: Shelf) -> None:
    shelf.write("d", "d" * 100)
    shelf.store.refresh(50)
    (shelf.folder / "d").unlink()
    assert shelf.store.refresh(50)
    assert (len(shelf.shown), shelf.progress) == (9, None)


@pytest.mark.usefixtures("always_cached")
def test_opening_a_cached_store_needs_no_budget(shelf: Shelf) -> None:
    shown = shelf.shown
    assert shelf.open().refresh(0)
    assert (shelf.shown, shelf.progress) == (shown, None)


def test_a_file_that_gives_nothing_never_keeps_others_from_being_read(shelf: Shelf) -> None:
    """It is asked again each time, as nothing tells when that helps, but it must not use up every slice."""
    for name in "abcd":
        shelf.write(name, name * 100)
    shelf.unreadable = {"a", "b"}
    shelf.open()
    assert soon(lambda: shelf.store.refresh(50, at_least=1), 1.0)
    assert [line[0] for line in shelf.shown] == ["c", "d"]
    assert shelf.progress is None


def test_of_several_files_that_gave_nothing_each_has_its_turn(shelf: Shelf) -> None:
    for name in "abc":
        shelf.write(name, name * 100)
    shelf.unreadable = {"a", "b", "c"}
    shelf.reopened()
    shelf.unreadable = {"a", "c"}
    assert soon(lambda: shelf.store.refresh(50, at_least=1) and shelf.shown, 1.0)


@pytest.mark.usefixtures("always_cached")
def test_documents_are_not_indexed_again_because_their_file_was_read_later(
    shelf: Shelf, indexed_documents: list[str]
) -> None:
    """As when many files changed a little, for instance by another branch."""
    for name in "abc":
        shelf.write(name, f"{name} one", f"{name} two", "the same", "x" * 100)
    while not shelf.store.refresh(100, at_least=1):
        pass
    assert indexed_documents == [f"{name}: {'x' * 100}" for name in "abc"]


# --- merging -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cached", [False, True])
def test_many_small_segments_become_one(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, cached: bool) -> None:
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 3)
    monkeypatch.setattr(store_module, "OUTDATED_SHARE", 1e9)
    if cached:
        monkeypatch.setattr(store_module, "CACHED_BYTES", 1)
        monkeypatch.setattr(store_module, "OUTDATED_SHARE", 0)
        shelf.write("base", *map(str, range(50)))
        shelf.store.refresh()
        shelf.store.tidy()
        monkeypatch.setattr(store_module, "OUTDATED_SHARE", 1e9)
    for number in range(20):
        shelf.write("b", f"number {number}", "stays")
        shelf.store.refresh()
        shown = shelf.shown
        assert f"b: number {number}" in shown and "b: number 0" not in shown[4:]
        shelf.store.tidy()
        assert shelf.shown == shown
        assert not shelf.store.is_untidy
        assert len(shelf.store.snapshot.index.segments) <= 3


def test_a_store_of_many_segments_may_become_empty(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 2)
    for name in "abc":
        shelf.write(name, "other")
        shelf.store.refresh()
    for name in "abc":
        (shelf.folder / name).unlink()
    shelf.store.refresh()
    shelf.store.tidy()
    assert shelf.shown == []
    shelf.write("a", "again")
    shelf.store.refresh()
    shelf.store.tidy()
    assert shelf.shown == ["a: again"]


@pytest.mark.usefixtures("always_cached")
@pytest.mark.parametrize("gone", ["abc", "ab", "c"])
def test_a_cached_store_may_lose_its_files(shelf: Shelf, gone: str) -> None:
    for name in gone:
        (shelf.folder / name).unlink()
    for _ in range(2):
        shelf.store.refresh()
        shelf.store.tidy()
        assert {line[0] for line in shelf.shown} == set("abc") - set(gone)
        shelf.reopened()


class SlowMerge:
    """Stands in for `merged` and waits, once, until it may end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()
        self._merged = store_module.merged
        monkeypatch.setattr(store_module, "merged", self._wait)

    def _wait(self, *arguments: Any) -> Segment:
        self.begun.release()
        assert self.may_end.wait(3 * LIVENESS_SECONDS)
        return self._merged(*arguments)


@pytest.fixture
def slow_merge(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowMerge]:
    slow = SlowMerge(monkeypatch)
    yield slow
    slow.may_end.set()


@pytest.mark.usefixtures("always_cached")
def test_what_changes_while_segments_are_merged_is_seen_and_stays(
    shelf: Shelf, slow_merge: SlowMerge
) -> None:
    shelf.write("b", *(f"b {number}" for number in range(20)), "the same")
    shelf.store.refresh()
    tidying = threading.Thread(target=shelf.store.tidy)
    tidying.start()
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS)
    assert "b: b 7" in shelf.shown
    shelf.write("b", "the same", "b 7", "b new", "b 3")
    (shelf.folder / "a").unlink()
    shelf.write("d", "new")
    shelf.store.refresh()
    expected = [
        "b: the same",
        "b: b 7",
        "b: b new",
        "b: b 3",
        "c: c one",
        "c: c two",
        "c: the same",
        "d: new",
    ]
    assert shelf.shown == expected
    slow_merge.may_end.set()
    tidying.join()
    assert shelf.shown == expected
    assert numbers(shelf.store.snapshot.index.holding(Term("new"))) == [2, 7]
    shelf.store.refresh()
    assert shelf.shown == expected
    assert sorted(shelf.reopened()) == ["b", "d"], "the cache holds what was there when merging began"
    assert shelf.shown == expected
    shelf.store.tidy()
    assert shelf.reopened() == []
    assert shelf.shown == expected


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
@pytest.mark.parametrize("read", ["meanwhile", "afterwards"])
def test_a_changed_file_may_wait_to_be_read_while_segments_are_merged(
    shelf: Shelf, slow_merge: SlowMerge, monkeypatch: pytest.MonkeyPatch, moment: str, read: str
) -> None:
    for number in range(4):
        shelf.write("a", f"number {number}", "stays")
        shelf.store.refresh()
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 2)

    def change_without_reading() -> None:
        shelf.write("b", "b two", "x" * 100, "b one")
        assert not shelf.store.refresh(50)

    def check() -> None:
        lines = [("a", "number 3"), ("a", "stays"), ("b", "b two"), ("b", "x" * 100), ("b", "b one")]
        assert shelf.shown[:5] == [f"{name}: {line}" for name, line in lines]
        assert shelf.shown[5:] == ["c: c one", "c: c two", "c: the same"]

    if moment == "before":
        change_without_reading()
    tidying = threading.Thread(target=shelf.store.tidy)
    tidying.start()
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS)
    if moment == "meanwhile":
        change_without_reading()
    if read == "meanwhile":
        shelf.store.refresh()
        check()
    slow_merge.may_end.set()
    tidying.join()
    if read == "afterwards":
        assert [line[0] for line in shelf.shown] == ["a"] * 2 + ["c"] * 3
        shelf.store.refresh()
    check()
    shelf.store.refresh()
    check()


def test_a_store_does_not_claim_to_be_further_than_it_is_because_it_was_merged(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        shelf.write("a", f"number {number}")
        shelf.store.refresh()
    shelf.write("b", "b" * 10_000)
    shelf.store.refresh(50)
    said = shelf.progress
    assert said is not None and said.startswith("indexing 0 %")
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 2)
    shelf.store.tidy()
    assert shelf.progress == said


# --- one store under any order of changes ------------------------------------------------------------------

names = st.sampled_from(["a", "b", "c", "d", "e"])
line = st.sampled_from(["alpha", "beta", "alpha beta", "beta 서버", "é", "e\u0301", "PR", "", "x" * 60])
some_lines = st.lists(line, min_size=1, max_size=5)


class ChangingShelf(RuleBasedStateMachine):
    """Compares a store with a list of lines after every change."""

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory(ignore_cleanup_errors=True)
        self.rules = pytest.MonkeyPatch()
        self.files: dict[str, list[str]] = {}
        root = Path(self.place.name)
        (root / "files").mkdir()
        self.shelf = Shelf(root / "files", Cache(root / "cache"))

    @initialize(
        cached_bytes=st.sampled_from([1, 200]),
        chunk=st.integers(1, 5),
        segments=st.integers(2, 4),
        share=st.sampled_from([0.0, 1 / 8, 1.0]),
    )
    def choose_limits(self, cached_bytes: int, chunk: int, segments: int, share: float) -> None:
        self.rules.setattr(store_module, "CACHED_BYTES", cached_bytes)
        self.rules.setattr(store_module, "CHUNK_DOCUMENTS", chunk)
        self.rules.setattr(store_module, "MOST_SEGMENTS", segments)
        self.rules.setattr(store_module, "OUTDATED_SHARE", share)

    @rule(name=names, lines=some_lines, settled=st.booleans())
    def write(self, name: str, lines: list[str], settled: bool) -> None:
        self.shelf.write(name, *lines, settled=settled)
        self.files[name] = lines

    @rule(name=names, lines=some_lines, at=st.integers(0, 5))
    def insert(self, name: str, lines: list[str], at: int) -> None:
        before = self.files.get(name, [])
        self.write(name, [*before[:at], *lines, *before[at:]], settled=True)

    @rule(name=names)
    def touch(self, name: str) -> None:
        if name in self.files:
            self.write(name, self.files[name], settled=True)

    @rule(name=names)
    def remove(self, name: str) -> None:
        if self.files.pop(name, None) is not None:
            (self.shelf.folder / name).unlink()

    @rule()
    def remove_all(self) -> None:
        for name in list(self.files):
            self.remove(name)

    @rule(name=names, other=names)
    def rename(self, name: str, other: str) -> None:
        if name in self.files and name != other:
            (self.shelf.folder / name).replace(self.shelf.folder / other)
            self.files[other] = self.files.pop(name)

    @rule(name=names)
    def hide_or_show(self, name: str) -> None:
        self.shelf.unreadable ^= {name}
        self.touch(name)

    @rule(name=names)
    def doubt_or_trust(self, name: str) -> None:
        self.shelf.doubtful ^= {name}
        self.touch(name)

    @rule(reopened=st.booleans(), tidied=st.booleans())
    def refresh(self, reopened: bool, tidied: bool) -> None:
        if reopened:
            self.shelf.open()
        assert self.shelf.store.refresh()
        self.check_complete()
        if tidied:
            self.shelf.store.tidy()
            self.check_complete()

    @rule(budget=st.integers(0, 80), reopened=st.booleans())
    def refresh_in_slices(self, budget: int, reopened: bool) -> None:
        # Files that give nothing have a test of their own.
        for name in list(self.shelf.unreadable):
            self.hide_or_show(name)
        if reopened:
            self.shelf.open()
        assert soon(lambda: self.part_is_all(budget)), "reading never ends"
        self.check_complete()

    def part_is_all(self, budget: int) -> bool:
        is_complete = self.shelf.store.refresh(budget, at_least=1)
        self.check_part()
        return is_complete

    @rule(
        waiting=st.one_of(st.none(), names),
        changes=st.lists(
            st.tuples(
                st.sampled_from(["insert", "remove"]), names, some_lines, st.sampled_from([None, 0, 60])
            ),
            max_size=3,
        ),
    )
    def tidy_while_files_change(
        self, waiting: str | None, changes: list[tuple[str, str, list[str], int | None]]
    ) -> None:
        if waiting in self.files:
            self.insert(waiting, ["x" * 60], at=1)
            self.shelf.store.refresh(0)
        seen = [self.shelf.shown]
        merge = store_module.merged

        def merge_meanwhile(*arguments: Any) -> Segment:
            for change, name, lines, budget in changes:
                self.remove(name) if change == "remove" else self.insert(name, lines, at=1)
                self.shelf.store.refresh(budget)
            seen.append(self.shelf.shown)
            return merge(*arguments)

        with pytest.MonkeyPatch.context() as rules:
            rules.setattr(store_module, "merged", merge_meanwhile)
            self.shelf.store.tidy()
        assert self.shelf.shown == seen[-1], "merging changes nothing that is seen"

    def lines_of(self, name: str) -> list[str]:
        return [] if name in self.shelf.unreadable else [f"{name}: {line}" for line in self.files[name]]

    def check_complete(self) -> None:
        shown = [line for name in sorted(self.files) for line in self.lines_of(name)]
        corpus = self.shelf.store.snapshot.index
        assert self.shelf.shown == shown
        assert self.shelf.progress is None
        for word in ("alpha", "a", "pr", "서버", "é", "beta 서버"):
            term = Term(word)
            assert numbers(corpus.holding(term)) == naive_holding([[text] for text in shown], term)
        troubled = (self.shelf.unreadable | self.shelf.doubtful) & self.files.keys()
        assert sorted(Path(problem.path).name for problem in self.shelf.store.snapshot.problems) == sorted(
            troubled
        )

    def check_part(self) -> None:
        by_name: dict[str, list[str]] = {}
        for text in self.shelf.shown:
            by_name.setdefault(text[0], []).append(text)
        assert all(shown == self.lines_of(name) for name, shown in by_name.items())
        assert (self.shelf.progress is None) == (len(by_name) == len(self.files))

    def teardown(self) -> None:
        self.rules.undo()
        self.place.cleanup()


TestChangingShelf = ChangingShelf.TestCase
TestChangingShelf.settings = settings(
    max_examples=50, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


# --- all stores of a root ----------------------------------------------------------------------------------


@pytest.fixture
def unthrottled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 0.0)


WORDS = """alpha beta gamma clock drift harbour tide E4217 WP-ST-1 `retry()` `lock` PR a b서버 서버를 버 é e\u0301
    ﬁle straße 😀 rotating-key killing-terminal rotating key mooring""".split()
QUERIES = [
    *"alpha E4217 retry 서버 버 é pr a STRASSE 😀 rotating-key WP-ST-1 nowhere p1 file".split(),
    *("clock drift", "rotating key", "harbour tide alpha", "clock  drift", "mooring the key", "alpha\nbeta"),
]
EVERYTHING = Limits(memory=None, wiki=None, board=None, contracts=100)


class Workspace:
    """A root whose stores change at random, and what a core that was opened just now says about it."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.chance = Random(seed)
        self.rows: list[dict[str, Any]] = []
        self.done: list[str] = []
        for kind in (self.memory, self.bound_memory, self.page, self.board, self.plan) * 4:
            kind()

    def change(self) -> None:
        """Change something."""
        kinds = (
            self.memory, self.bound_memory, self.notes, self.page, self.page, self.board, self.board,
            self.comments, self.plan, self.remove, self.rename, self.touch, self.ruin,
        )  # fmt: skip
        kind = self.chance.choice(kinds)
        self.done.append(kind.__name__)
        kind()

    def answers(self, core: SearchCore, queries: Sequence[str]) -> list[Any]:
        """Everything that a core says about some queries."""
        said: list[Any] = [core.standing(word) for word in ("retry", "lock", "alpha", "clock", "서버")]
        for query in queries:
            said += [core.prior_art(query, limits=limits) for limits in (LIMITS, EVERYTHING)]
            said += [core.prior_art(query, by_word=False), core.named(query)]
            for more in (
                {},
                {"by_word": False, "limit": 100},
                {"scope": "live"},
                {"state_filter": "SUCCESS"},
            ):
                said += [replace(core.search_kg(query, **more), searched_at="")]
        facts = core.prior_art("a", limits=EVERYTHING).memory.matches
        said.extend(core.named(fact.memory_id[:24]) for fact in facts)
        return said

    def queries(self) -> list[str]:
        return self.chance.sample(QUERIES, 4)

    def text(self, most: int = 12) -> str:
        blanks = " ", " ", " ", "\n", "  ", "\u00a0"
        words = self.chance.choices(WORDS, k=self.chance.randint(1, most))
        return "".join(word + self.chance.choice(blanks) for word in words).strip()

    def write(self, name: str, text: str | bytes) -> None:
        write(self.root / name, text, settled=self.chance.random() < 0.8)

    def keeper(self) -> str:
        return f".masc/config/keepers/k{self.chance.randrange(4)}"

    def memory(self) -> None:
        texts = {f"{self.text()} {self.chance.randrange(9)}" for _ in range(self.chance.randrange(6))}
        facts = [{"claim": text, "category": "fact", "first_seen": 1.5} for text in sorted(texts)]
        self.chance.shuffle(facts)
        self.write(f"{self.keeper()}.memory-current.json", json.dumps({"facts": facts}))

    def bound_memory(self) -> None:
        contents = self.chance.choices(["one", "two"], k=self.chance.randrange(4))
        facts = [
            {"claim": f"{self.text()} bound", "source": {"path": "notes.txt", "sha256": hashed(content)}}
            for content in contents
        ]
        self.write(f"{self.keeper()}.memory-source-current.json", json.dumps({"facts": facts}))

    def notes(self) -> None:
        self.write("notes.txt", self.chance.choice(["one", "two"]))

    def page(self) -> None:
        tags = (
            f"---\ntags: [{self.chance.choice(['lock', 'clock'])}]\n---\n"
            if self.chance.random() < 0.3
            else ""
        )
        body = "\n".join(self.text() for _ in range(self.chance.randrange(4)))
        name = f"{self.chance.choice(['', 'deep/'])}p{self.chance.randrange(8)}.md"
        self.write(f"docs/wiki/{name}", f"{tags}# {self.text(3)}\n{body}\n")

    def board(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            row = {
                "id": f"p{self.chance.randrange(12)}",
                "title": self.text(3),
                "body": self.text(),
                "author": self.chance.choice(["tide", "alpha", ""]),
                "hearth": self.chance.choice(["lock", None]),
                "created_at": self.chance.randrange(20),
                "expires_at": self.chance.choice([0, 0, 0, 1, 1e12]),
            }
            self.rows.insert(self.chance.randint(0, len(self.rows)), row)
        del self.rows[: max(0, len(self.rows) - 15)]
        lines = [json.dumps(row) for row in self.rows]
        if self.chance.random() < 0.2:
            lines.insert(self.chance.randint(0, len(lines)), "not JSON")
        self.write(".masc/board_posts.jsonl", "".join(f"{line}\n" for line in lines))

    def comments(self) -> None:
        rows = [
            {
                "id": f"c{number}",
                "post_id": f"p{self.chance.randrange(12)}",
                "expires_at": self.chance.choice([0, 1, 1e12]),
            }
            for number in range(self.chance.randrange(8))
        ]
        self.write(".masc/board_comments.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    def plan(self) -> None:
        shelf, number = self.chance.choice(["archive", "work-plan"]), self.chance.randrange(5)
        state = self.chance.choice(["COMPLETED", "PENDING", "ABORTED"])
        tags = "killing-terminal", "rotating-key", "mooring-boat"
        units = "".join(
            f"### {at}. {self.text(3).splitlines()[0]} | STATUS: {state}\n\n"
            f"**A:** {self.text()}\n\n**B:** clock\n\n**Tags:** [{self.chance.choice(tags)}]\n\n"
            for at in range(1, self.chance.randint(1, 4))
        )
        self.write(f".gem-squared/{shelf}/WP-ST-{number}.md", f"# WP-ST-{number}: {self.text(3)}\n\n{units}")

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def remove(self) -> None:
        if self.files():
            self.chance.choice(self.files()).unlink()
        if self.chance.random() < 0.1:
            for path in [path for path in self.files() if "wiki" in path.parts]:
                path.unlink()

    def rename(self) -> None:
        kinds = {path.suffix for path in self.files()} - {".txt", ".jsonl"}
        if kinds:
            suffix = self.chance.choice(sorted(kinds))
            path, other = self.chance.choices([path for path in self.files() if path.suffix == suffix], k=2)
            path.replace(other if self.chance.random() < 0.5 else other.with_name(f"x{other.name}"))

    def touch(self) -> None:
        if self.files():
            path = self.chance.choice(self.files())
            self.write(str(path.relative_to(self.root)), path.read_bytes())

    def ruin(self) -> None:
        if self.files():
            path = self.chance.choice(self.files())
            content = path.read_bytes()
            self.write(str(path.relative_to(self.root)), content[: len(content) // 2] + b"\xff{")


def hashed(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def fresh_answers(workspace: Workspace, queries: Sequence[str]) -> list[Any]:
    with pytest.MonkeyPatch.context() as limits:
        for name, value in DEFAULT_LIMITS.items():
            limits.setattr(store_module, name, value)
        with SearchCore.open(workspace.root, cached=False) as core:
            return workspace.answers(core, queries)


LIMIT_NAMES = "CACHED_BYTES", "CHUNK_DOCUMENTS", "MOST_SEGMENTS", "OUTDATED_SHARE"
DEFAULT_LIMITS = {name: getattr(store_module, name) for name in LIMIT_NAMES}


def is_complete(core: SearchCore) -> bool:
    return all(store.snapshot.is_complete for store in core._stores)


def is_idle() -> bool:
    """Whether nothing is read or merged in the background."""
    return not any(thread.name.startswith("index ") and thread.is_alive() for thread in threading.enumerate())


def settle(core: SearchCore) -> None:
    """Look at the disk as a lookup does, and wait for what is read in the background."""
    assert soon(is_idle), "merging never ends"
    core.expect_changes()
    core.standing("x")
    assert soon(lambda: is_complete(core)), "reading never ends"


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happened_the_answers_are_those_of_a_core_that_has_just_been_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Two cores share a cache, as two servers on the same workspace do."""
    chance = Random(seed)
    monkeypatch.setattr(store_module, "CACHED_BYTES", chance.choice([1, 500, 3_000]))
    monkeypatch.setattr(store_module, "CHUNK_DOCUMENTS", chance.choice([1, 4, 100]))
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", chance.choice([2, 4, 8]))
    monkeypatch.setattr(store_module, "OUTDATED_SHARE", chance.choice([0.0, 1 / 8, 1 / 2]))
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", chance.choice([0, 600, 1 << 30]))
    monkeypatch.setattr(freshness, "SLICE_BYTES", 8_000)
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 3_600.0)
    workspace = Workspace(tmp_path, seed)
    cores = [SearchCore.open(tmp_path), SearchCore.open(tmp_path, wait=False)]
    for _ in range(45):
        for _ in range(chance.randint(1, 3)):
            workspace.change()
        asked = chance.randrange(len(cores))
        what = chance.choice(
            ["look up", "look up", "look up", "refresh", "open again", "open without waiting"]
        )
        workspace.done.append(f"{asked}: {what}")
        if what == "refresh":
            cores[asked].refresh()
        elif what.startswith("open"):
            cores[asked].close()
            cores[asked] = SearchCore.open(tmp_path, wait=what == "open again")
        queries = workspace.queries()
        expected = fresh_answers(workspace, queries)
        settle(cores[asked])
        found = workspace.answers(cores[asked], queries)
        assert found == expected, (seed, queries, workspace.done)
    for core in cores:
        assert core.status().sources == SearchCore.open(tmp_path, cached=False).status().sources
        core.close()


def write_pages(root: Path, count: int, words: str = "alpha") -> list[Path]:
    return [
        write(root / f"docs/wiki/p{number:03}.md", f"# Page {number}\n{words}\n") for number in range(count)
    ]


def found_pages(core: SearchCore, query: str) -> list[str]:
    return [Path(match.path).name for match in core.prior_art(query).wiki.matches]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], threading.Event]]:
    """Gives an event that the reading of a page with some name waits for."""
    events: dict[str, threading.Event] = {}
    read = wiki.read_page

    def read_when_open(path: Path, max_bytes: int) -> Reading[Any]:
        if path.name in events:
            assert events[path.name].wait(3 * LIVENESS_SECONDS)
        return read(path, max_bytes)

    monkeypatch.setattr(wiki, "read_page", read_when_open)
    yield lambda name: events.setdefault(name, threading.Event())
    for event in events.values():
        event.set()


def test_a_large_store_answers_while_it_is_read_and_says_that_it_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: Callable[[str], threading.Event]
) -> None:
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 100)
    monkeypatch.setattr(freshness, "SLICE_BYTES", 100)
    # The lookups themselves read nothing more.
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 3_600.0)
    write_pages(tmp_path, 40)
    may_go_on = gate("p020.md")
    progress: list[Progress] = []
    with SearchCore.open(tmp_path, wait=False, on_progress=progress.append) as core:
        assert soon(lambda: len(found_pages(core, "alpha")) >= 10)
        answer = core.prior_art("alpha").wiki
        assert 10 <= len(answer.matches) <= 20
        assert answer.status == "incomplete"
        assert [problem.reason[: len(INDEXING)] for problem in answer.problems] == [INDEXING]
        assert core.prior_art("nowhere").wiki.status == "incomplete"
        may_go_on.set()
        assert soon(lambda: core.prior_art("alpha").wiki.status == "complete")
        assert len(found_pages(core, "alpha")) == 40
        assert soon(lambda: progress and progress[-1].is_complete)
    assert_steady(progress)


def assert_steady(progress: Sequence[Progress]) -> None:
    """It goes on only, ends once, and then all has been read."""
    read = [step.read_bytes for step in progress]
    assert read == sorted(read)
    assert [step.is_complete for step in progress] == [False] * (len(progress) - 1) + [True]
    assert all(step.read_bytes < step.listed_bytes for step in progress[:-1])
    assert progress[-1].read_bytes == progress[-1].listed_bytes


@pytest.mark.usefixtures("unthrottled")
@pytest.mark.parametrize("stores", ["wiki", "all"])
def test_progress_goes_on_until_all_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: str
) -> None:
    monkeypatch.setattr(freshness, "SLICE_BYTES", 200)
    write_pages(tmp_path, 50)
    if stores == "all":
        Workspace(tmp_path, seed=1)
    progress: list[Progress] = []
    with SearchCore.open(tmp_path, on_progress=progress.append) as core:
        assert len(progress) >= 4
        assert_steady(progress)
        core.refresh()
        found_pages(core, "alpha")
    assert_steady(progress)


def test_of_a_small_store_no_progress_is_reported(tmp_path: Path) -> None:
    write_pages(tmp_path, 5)
    progress: list[Progress] = []
    for wait in (True, False):
        with SearchCore.open(tmp_path, wait=wait, on_progress=progress.append) as core:
            assert len(found_pages(core, "alpha")) == 5
    assert progress == []


@pytest.mark.usefixtures("unthrottled")
def test_a_search_for_contracts_is_incomplete_until_all_plans_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read, read_plan = threading.Event(), contracts.read_plan

    def read_when_open(path: Path, max_bytes: int) -> Reading[Any]:
        assert may_read.wait(3 * LIVENESS_SECONDS)
        return read_plan(path, max_bytes)

    monkeypatch.setattr(contracts, "read_plan", read_when_open)
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 0)
    Workspace(tmp_path, seed=2)
    with SearchCore.open(tmp_path, wait=False) as core:
        for scope in ("all", "archive", "live"):
            answer = core.search_kg("rotating-key", scope=scope)
            assert answer.results == ()
            assert answer.status == "incomplete"
            assert [problem.reason[: len(INDEXING)] for problem in answer.problems] == [INDEXING]
        may_read.set()
        assert soon(lambda: core.search_kg("rotating-key").status == "complete")
        assert core.search_kg("rotating-key").results


def test_a_page_that_is_too_large_does_not_keep_a_root_from_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "SLICE_BYTES", 100)
    write(tmp_path / "docs/wiki/a.md", "x" * 5_000_000)
    write(tmp_path / "docs/wiki/b.md", b"\xff" * 500)
    write_pages(tmp_path, 20)
    opened: list[SearchCore] = []
    opening = threading.Thread(target=lambda: opened.append(SearchCore.open(tmp_path)), daemon=True)
    opening.start()
    opening.join(LIVENESS_SECONDS / 4)
    monkeypatch.setattr(freshness, "SLICE_BYTES", 1 << 40)
    assert opened, "opening never ends"
    assert len(found_pages(opened[0], "alpha")) == 20


@pytest.mark.usefixtures("always_cached")
def test_nothing_is_read_or_indexed_when_a_root_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed_documents: list[str]
) -> None:
    Workspace(tmp_path, seed=3)
    for path in tmp_path.rglob("*.*"):
        if path.is_file():
            write(path, path.read_bytes())
    with SearchCore.open(tmp_path) as core:
        before = core.status().sources
    assert all(source.document_count for source in before if source.name != "knowledge")
    read: list[str] = []
    read_file = Store._read_file

    def recorded(store: Store[Any, Any, Any], path: Path) -> Reading[Any]:
        read.append(path.name)
        return read_file(store, path)

    monkeypatch.setattr(Store, "_read_file", recorded)
    indexed_documents.clear()
    with SearchCore.open(tmp_path) as core:
        assert core.status().sources == before
    assert (read, indexed_documents) == ([], [])


def test_the_status_tells_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIOR_ART_CACHE", str(tmp_path / "cache"))
    write_pages(tmp_path, 5)
    with SearchCore.open(tmp_path) as core:
        cache = core.status().cache
        assert cache is not None
        assert (Path(cache.folder).parent, cache.bytes, cache.problem) == (tmp_path / "cache", 0, None)
    monkeypatch.setattr(store_module, "CACHED_BYTES", 1)
    with SearchCore.open(tmp_path) as core:
        cache = core.status().cache
        assert cache is not None and cache.bytes > 0
    with SearchCore.open(tmp_path, cached=False) as core:
        assert core.status().cache is None


# --- merging in the background -----------------------------------------------------------------------------


@pytest.fixture
def untidy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchCore]:
    """A core whose wiki is due to be merged with the next lookup, in several segments with dead pages."""
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 0.0)
    with monkeypatch.context() as limits:
        limits.setattr(store_module, "OUTDATED_SHARE", 1e9)
        limits.setattr(store_module, "MOST_SEGMENTS", 10**9)
        write_pages(tmp_path, 30)
        core = SearchCore.open(tmp_path)
        for number in (3, 7, 11):
            write(tmp_path / f"docs/wiki/p{number:03}.md", f"changed alpha {number}")
            core.refresh()
    monkeypatch.setattr(store_module, "CACHED_BYTES", 1)
    monkeypatch.setattr(store_module, "OUTDATED_SHARE", 0)
    with core:
        yield core


ALL_30 = [f"p{number:03}.md" for number in range(30)]


def test_a_lookup_never_waits_for_merging(untidy: SearchCore, tmp_path: Path, slow_merge: SlowMerge) -> None:
    assert found_pages(untidy, "alpha") == ALL_30
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS), "merging begins in the background"
    for number in range(5):
        assert found_pages(untidy, "alpha") == ALL_30
        write(tmp_path / "docs/wiki/p005.md", f"moving {number}", settled=False)
        assert soon(lambda number=number: found_pages(untidy, f"moving {number}") == ["p005.md"])
        assert found_pages(untidy, f"moving {number - 1}") == []
        write(tmp_path / "docs/wiki/p005.md", "alpha")
        assert soon(lambda: found_pages(untidy, "alpha") == ALL_30)
    (tmp_path / "docs/wiki/p000.md").unlink()
    assert found_pages(untidy, "alpha") == ALL_30[1:]
    slow_merge.may_end.set()
    assert soon(is_idle)
    assert found_pages(untidy, "alpha") == ALL_30[1:]
    with SearchCore.open(tmp_path) as other:
        assert found_pages(other, "alpha") == ALL_30[1:]


def test_a_large_change_is_seen_while_segments_are_merged(
    untidy: SearchCore, tmp_path: Path, slow_merge: SlowMerge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is too large for a lookup itself is read in the background, and merging may take long."""
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 1_000)
    assert found_pages(untidy, "alpha") == ALL_30
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS)
    write(tmp_path / "docs/wiki/p005.md", "large " * 1_000)
    assert soon(lambda: found_pages(untidy, "large") == ["p005.md"], LIVENESS_SECONDS / 3)


def test_two_who_refresh_at_once_while_segments_are_merged_do_no_harm(
    untidy: SearchCore, tmp_path: Path, slow_merge: SlowMerge
) -> None:
    """As when somebody asks for the status while the background is busy."""
    errors: list[BaseException] = []

    def refresh() -> None:
        try:
            untidy.status()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=refresh, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS)
    # Whoever would merge as well has time enough to begin.
    slow_merge.begun.acquire(timeout=0.2)
    slow_merge.may_end.set()
    for thread in threads:
        thread.join(LIVENESS_SECONDS)
    assert not errors
    assert found_pages(untidy, "alpha") == ALL_30
    assert [found_pages(untidy, f"changed alpha {number}") for number in (3, 7)] == [["p003.md"], ["p007.md"]]
    assert soon(is_idle)
    with SearchCore.open(tmp_path) as other:
        assert found_pages(other, "alpha") == ALL_30


def test_closing_does_not_wait_for_merging(untidy: SearchCore, slow_merge: SlowMerge) -> None:
    found_pages(untidy, "alpha")
    assert slow_merge.begun.acquire(timeout=LIVENESS_SECONDS)
    untidy.close()
    with pytest.raises(RuntimeError, match="is closed"):
        untidy.prior_art("alpha")


@pytest.mark.usefixtures("unthrottled", "always_cached")
def test_lookups_in_threads_while_files_change_and_segments_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "MOST_SEGMENTS", 3)
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 2_000)
    write_pages(tmp_path, 30, "steady alpha")
    stop, errors = threading.Event(), []

    def ask(core: SearchCore) -> None:
        try:
            while not stop.is_set():
                assert found_pages(core, "steady") == ALL_30
                assert all(name.startswith("moving") for name in found_pages(core, "moving"))
                core.standing("alpha")
        except BaseException as error:
            errors.append(error)

    with SearchCore.open(tmp_path) as core:
        threads = [threading.Thread(target=ask, args=(core,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(60):
            size = 3_000 if number % 10 == 9 else 1
            write(tmp_path / f"docs/wiki/moving{number % 7}.md", f"moving {number} " * size, settled=False)
            if number % 3 == 0:
                (tmp_path / f"docs/wiki/moving{number % 7}.md").unlink()
            if number % 15 == 0:
                core.refresh()
        stop.set()
        for thread in threads:
            thread.join()
        assert not errors
        settle(core)
        assert [found_pages(core, query) for query in ("steady", "moving", "moving 58")] == [
            ALL_30,
            found_pages(SearchCore.open(tmp_path, cached=False), "moving"),
            ["moving2.md"],
        ]


def test_a_change_of_any_size_is_seen_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 1_000)
    monkeypatch.setattr(freshness, "THROTTLE_SECONDS", 0.05)
    write_pages(tmp_path, 10)
    with SearchCore.open(tmp_path) as core:
        for number, size in enumerate((1, 500, 50_000)):
            write(tmp_path / "docs/wiki/p001.md", f"word{number} " * size, settled=False)
            assert soon(lambda number=number: found_pages(core, f"word{number}") == ["p001.md"])
            write(tmp_path / f"docs/wiki/new{number}.md", f"word{number} " * size, settled=False)
            assert soon(lambda number=number: len(found_pages(core, f"word{number}")) == 2)
            (tmp_path / f"docs/wiki/new{number}.md").rename(tmp_path / "docs/wiki/renamed.md")
            assert soon(lambda number=number: "renamed.md" in found_pages(core, f"word{number}"))
            (tmp_path / "docs/wiki/renamed.md").unlink()
            assert soon(lambda number=number: found_pages(core, f"word{number}") == ["p001.md"])


@pytest.mark.usefixtures("unthrottled")
def test_one_more_row_of_a_large_board_is_all_that_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed_documents: list[str]
) -> None:
    monkeypatch.setattr(freshness, "READ_AT_ONCE_BYTES", 1_000)
    rows = [
        json.dumps({"id": f"p{number}", "title": f"post {number}", "created_at": 1}) for number in range(100)
    ]
    board = write(tmp_path / ".masc/board_posts.jsonl", "\n".join(rows))
    with SearchCore.open(tmp_path) as core:
        assert len(indexed_documents) == 100
        write(board, "\n".join([*rows, json.dumps({"id": "new", "title": "a new one", "created_at": 2})]))
        assert soon(lambda: core.prior_art("new one").board.matches)
        assert len(indexed_documents) == 101
