"""The newest usable segment is read, no write that fails loses an older one, and nothing else is touched."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from files_on_disk import write

from lsp_server.core import SearchCore
from lsp_server.core.index import cache as cache_module
from lsp_server.core.index.cache import CACHE_VARIABLE, MADE_BY, Cache, cache_folder, cache_of, clear
from lsp_server.core.index.segment_file import write_segment


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "caches" / "root-0123456789abcdef")


def put(cache: Cache, text: str, name: str = "wiki") -> None:
    cache.write(name, {"text": np.frombuffer(text.encode(), np.uint8)}, [text])


def got(cache: Cache, name: str = "wiki") -> str | None:
    """What is cached; the arrays and what was written about them have to agree."""
    kept = cache.read(name)
    if kept is None:
        return None
    arrays, (text,) = kept
    assert bytes(arrays["text"]).decode() == text
    return str(text)


def files(cache: Cache) -> list[Path]:
    return sorted(cache.folder.iterdir()) if cache.folder.is_dir() else []


def old_file(
    cache: Cache, text: str, made_by: object = MADE_BY, *, age: float = 60.0, name: str = "wiki"
) -> Path:
    """A segment that was left there some time ago, as by another process."""
    return raw_file(cache, (made_by, [text]), text, age=age, name=name)


def raw_file(cache: Cache, meta: object, text: str, *, age: float, name: str = "wiki") -> Path:
    cache.folder.mkdir(parents=True, exist_ok=True)
    path = cache.folder / f"{name}-{len(files(cache)):016x}.segment"
    with path.open("wb") as file:
        write_segment(file, {"text": np.frombuffer(text.encode(), np.uint8)}, meta)
    return aged(path, age)


def aged(path: Path, seconds: float) -> Path:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))
    return path


def make_unfinished(cache: Cache, age: float) -> Path:
    cache.folder.mkdir(parents=True, exist_ok=True)
    path = cache.folder / f"wiki-{len(files(cache)):016x}.unfinished"
    path.write_bytes(b"PRIORART, half of it")
    return aged(path, age)


# --- reading and writing -----------------------------------------------------------------------------------


def test_what_was_written_is_read_and_replaces_what_was_there(cache: Cache) -> None:
    assert got(cache) is None
    for text in ("first", "second", "third"):
        put(cache, text)
        assert got(cache) == text
        assert len(files(cache)) == 1
    assert cache.size() == files(cache)[0].stat().st_size


def test_every_store_has_a_segment_of_its_own(cache: Cache) -> None:
    for name in ("memory", "wiki", "board", "contracts"):
        put(cache, f"of {name}", name)
    put(cache, "new", "board")
    assert [got(cache, name) for name in ("memory", "wiki", "board")] == ["of memory", "of wiki", "new"]
    assert got(cache, "wik") is None
    assert len(files(cache)) == 4


def test_the_newest_wins(cache: Cache) -> None:
    old_file(cache, "old", age=60)
    old_file(cache, "newest", age=10)
    old_file(cache, "oldest", age=600)
    assert got(cache) == "newest"
    put(cache, "written")
    assert got(cache) == "written"
    assert len(files(cache)) == 1


@pytest.mark.parametrize("part", range(len(MADE_BY)))
def test_a_segment_that_anything_else_was_made_by_is_ignored(cache: Cache, part: int) -> None:
    other = [*MADE_BY]
    other[part] = "another"
    old_file(cache, "of another version", other, age=10)
    assert got(cache) is None
    old_file(cache, "of this version", age=60)
    assert got(cache) == "of this version"


@pytest.mark.parametrize(
    "meta", [None, 1, [], ["one"], ["a", "b", "c"], {"made_by": []}, [1, []], [None, None]]
)
def test_a_segment_that_says_other_things_about_itself_is_of_another_version(
    cache: Cache, meta: object
) -> None:
    raw_file(cache, meta, "of a version to come", age=10)
    assert got(cache) is None
    old_file(cache, "of this version", age=60)
    assert got(cache) == "of this version"


@pytest.mark.parametrize("damage", [b"", b"PRIORART", b"\x00" * 4096, b"text of another program\n" * 300])
def test_a_damaged_newest_one_falls_back_to_the_one_before(cache: Cache, damage: bytes) -> None:
    old_file(cache, "before", age=60)
    newest = old_file(cache, "newest", age=10)
    newest.write_bytes(damage)
    aged(newest, 10)
    assert got(cache) == "before"
    put(cache, "written again")
    assert got(cache) == "written again"
    assert len(files(cache)) == 1


def test_a_folder_in_the_place_of_a_segment_does_no_harm(cache: Cache) -> None:
    (cache.folder / f"wiki-{'0' * 16}.segment").mkdir(parents=True)
    assert got(cache) is None
    put(cache, "written")
    assert got(cache) == "written"


# --- what cannot be written --------------------------------------------------------------------------------


class FullDiskError(OSError):
    def __init__(self) -> None:
        super().__init__(errno.ENOSPC, "No space left on device")


def fail_half_way(error: BaseException) -> Any:
    def write_half(file: BinaryIO, *_: object) -> None:
        file.write(b"PRIORART and half of the header")
        raise error

    return write_half


@pytest.mark.parametrize("error", [FullDiskError(), KeyboardInterrupt(), MemoryError()])
def test_a_write_that_fails_half_way_leaves_what_was_there_and_nothing_of_its_own(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    put(cache, "before")
    before = files(cache)
    monkeypatch.setattr(cache_module, "write_segment", fail_half_way(error))
    with pytest.raises(type(error)):
        put(cache, "after")
    assert files(cache) == before
    assert got(cache) == "before"


def test_a_rename_that_fails_leaves_what_was_there(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    put(cache, "before")
    before = files(cache)

    def refuse(_path: Path, _target: Path) -> Path:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        put(cache, "after")
    assert files(cache) == before
    assert got(cache) == "before"


def test_an_old_segment_that_cannot_be_removed_is_passed_over(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows keeps a file that some process has mapped."""
    mapped = old_file(cache, "mapped", age=60)
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == mapped:
            raise PermissionError(errno.EACCES, "in use")
        unlink(path, missing_ok)

    with monkeypatch.context() as rules:
        rules.setattr(Path, "unlink", refuse)
        put(cache, "after")
        assert mapped.exists()
        assert got(cache) == "after"
    put(cache, "later")
    assert not mapped.exists()
    assert got(cache) == "later"


def test_a_read_only_folder_is_an_error_to_write_and_can_be_read(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(cache, "before")
    before = files(cache)
    open_file = Path.open

    # Rights say nothing to root, who runs many a test.
    def refuse(path: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+"):
            raise OSError(errno.EROFS, "Read-only file system")
        return open_file(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(OSError, match="Read-only"):
        put(cache, "after")
    assert got(cache) == "before"
    assert files(cache) == before


@pytest.mark.parametrize("depth", [0, 1])
def test_a_file_in_the_place_of_the_folder_is_an_error_to_write_only(tmp_path: Path, depth: int) -> None:
    (tmp_path / "file").write_text("mine")
    cache = Cache(tmp_path / "file" / "root" if depth else tmp_path / "file")
    assert got(cache) is None
    assert cache.size() == 0
    with pytest.raises(OSError, match="file"):
        put(cache, "text")
    assert (tmp_path / "file").read_text() == "mine"


# --- several writers, and what crashes leave behind --------------------------------------------------------


def test_two_writers_at_once_leave_one_of_their_segments_whole(cache: Cache) -> None:
    errors: list[BaseException] = []
    seen: set[str | None] = set()

    def write(who: str) -> None:
        try:
            for number in range(40):
                put(cache, f"{who} {number} " + who * 5_000)
                seen.add(got(cache))
        except BaseException as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(who,)) for who in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not errors
    put(cache, "last")
    assert got(cache) == "last"
    assert len(files(cache)) == 1


def test_only_what_has_been_unfinished_for_an_hour_was_abandoned(cache: Cache) -> None:
    fresh, hour, day = (make_unfinished(cache, age) for age in (10, 3_500, 86_400))
    just_over = make_unfinished(cache, 3_700)
    assert got(cache) is None, "what is unfinished is never read"
    put(cache, "text")
    assert fresh.exists() and hour.exists()
    assert not day.exists() and not just_over.exists()
    assert got(cache) == "text"


def test_files_of_others_in_the_folder_stay_and_are_not_read(cache: Cache) -> None:
    cache.folder.mkdir(parents=True)
    names = (
        "notes.txt",
        "wiki.segment",
        "wiki-1.segment",
        f"wiki-{'0' * 16}.segment.bak",
        f"{'0' * 16}.segment",
    )
    foreign = [cache.folder / name for name in names]
    for path in foreign:
        path.write_text("mine")
        aged(path, 86_400)
    put(cache, "text")
    put(cache, "again")
    assert got(cache) == "again"
    assert {path.read_text() for path in foreign} == {"mine"}
    assert cache.size() == sum(path.stat().st_size for path in files(cache) if path not in foreign)


# --- where it is -------------------------------------------------------------------------------------------


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere"
    assert cache_of(Path("/work/space")).folder.parent == tmp_path / "elsewhere"


@pytest.mark.parametrize("value", [None, ""])
def test_without_it_the_folder_is_the_platforms(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv(CACHE_VARIABLE)
    else:
        monkeypatch.setenv(CACHE_VARIABLE, value)
    assert cache_folder().is_absolute()
    assert "prior-art-lsp" in cache_folder().parts


def test_without_a_home_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homeless: Callable[..., Path]
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr("platformdirs.user_cache_path", homeless)
    assert cache_folder() is None
    assert cache_of(tmp_path) is None
    write(tmp_path / "docs" / "wiki" / "a.md", "# alpha\n")
    with SearchCore.open(tmp_path) as core:
        assert core.prior_art("alpha").wiki.total_count == 1
        assert core.status().cache is None


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "서버",
        "..",
        "...",
        "a/../b",
        "-x-",
        "con",
        "x" * 300,
        "\udcff",
        "😀",
        "a\nb",
        "",
        "wiki-0.segment",
        "~",
    ],
)
def test_a_root_of_any_name_has_a_plain_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    cache = cache_of(Path("/") / name)
    assert cache.folder.parent == tmp_path
    assert cache.folder.name.isascii() and cache.folder.name.isprintable() and len(cache.folder.name) <= 64
    put(cache, "text")
    assert got(cache) == "text"
    assert cache_of(Path("/") / name) == cache


def test_different_roots_and_ways_of_reading_have_different_caches() -> None:
    roots = [Path("/a/b"), Path("/a/c"), Path("/c/b"), Path("/A/b"), Path("/a/b\udcff")]
    folders = {cache_of(root, reading).folder for root in roots for reading in (None, 1, 2, "1")}
    assert len(folders) == 4 * len(roots)


# --- clearing ----------------------------------------------------------------------------------------------


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def test_clearing_removes_every_segment_and_tells_how_much_that_was(tmp_path: Path) -> None:
    caches = [Cache(tmp_path / f"root-{number}") for number in range(3)]
    for cache in caches:
        put(cache, "text" * 100)
        put(cache, "text", "board")
        make_unfinished(cache, 10)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    # What is not finished yet is on the disk, but of no use.
    assert 0 < sum(cache.size() for cache in caches) < size
    assert clear(tmp_path) == size
    assert tree(tmp_path) == {}
    assert clear(tmp_path) == 0
    assert clear(tmp_path / "missing") == 0
    put(caches[0], "again")
    assert got(caches[0]) == "again"


def test_clearing_leaves_all_that_is_not_ours(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "root-1")
    put(cache, "text")
    (cache.folder / "notes.txt").write_text("mine")
    (tmp_path / f"wiki-{'0' * 16}.segment").write_text("not in a folder of a root")
    (tmp_path / "photos" / "deeper").mkdir(parents=True)
    (tmp_path / "photos" / "deeper" / f"wiki-{'0' * 16}.segment").write_text("too deep")
    before = tree(tmp_path)
    before = {name: content for name, content in before.items() if not content or b"PRIORART" not in content}
    assert clear(tmp_path) > 0
    assert tree(tmp_path) == before


def test_clearing_leaves_an_empty_folder_that_never_was_a_cache(tmp_path: Path) -> None:
    """Somebody may have named a folder with other things in it for the cache."""
    (tmp_path / "empty folder of mine").mkdir()
    put(Cache(tmp_path / "root-1"), "text")
    assert clear(tmp_path) > 0
    assert tree(tmp_path) == {"empty folder of mine": None}
