"""Whatever happens to a process or to its cache, the next one gives the right answer, at worst after a rebuild."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lsp_server.core import SearchCore
from lsp_server.core.index.segment_file import DamagedFileError, read_segment
from lsp_server.json_form import prior_art_json

SOURCE = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 30
BLOCK = 4_096
KILLS = 8
WORDS = "clock drift harbour tide signing key lease terminal retry queue deploy rollback 서버 재시작".split()
QUERIES = "E0421", "clock drift harbour", "서버 재시작"

needs_posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


@dataclass(frozen=True)
class Place:
    """A workspace, and the environment in which it is searched."""

    root: Path
    home: Path
    cache: Path

    def start(self, *arguments: str, code: str | None = None) -> subprocess.Popen[bytes]:
        """Start `prior-art`, or code that is given the arguments."""
        program = ["-m", "lsp_server"] if code is None else ["-c", code]
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def environment(self) -> Mapping[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MASC_", "XDG_", "PYTHON"))
        }
        home = str(self.home)
        mine = {"HOME": home, "USERPROFILE": home, "APPDATA": home, "PYTHONPATH": str(SOURCE)}
        return {**kept, **mine, "PRIOR_ART_CACHE": str(self.cache)}

    def ask(self, query: str, code: str | None = None) -> Any:
        """What a search finds, as JSON; it has to end well."""
        return answer_of(self.start("search", query, "--json", code=code))

    def ask_all(self, queries: Sequence[str] = QUERIES) -> list[Any]:
        return [
            answer_of(process) for process in [self.start("search", query, "--json") for query in queries]
        ]

    def segments(self) -> list[Path]:
        return sorted(self.cache.glob("*/*.segment"))

    def with_cache(self, folder: Path) -> Place:
        return Place(self.root, self.home, folder)


def answer_of(process: subprocess.Popen[bytes]) -> Any:
    stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (stderr.decode(), process.returncode) == ("", 0)
    return json.loads(stdout)


def fill(root: Path, facts: int, pages: int) -> Path:
    """A memory that takes a while to index, and a wiki that is just large enough for the cache."""
    chance = Random(1)
    keepers, wiki = root / ".masc/config/keepers", root / "docs/wiki"
    keepers.mkdir(parents=True)
    wiki.mkdir(parents=True)
    for keeper in range(3):
        rows = [
            {"claim": f"E{number:04} {words(chance, 14)} in step {number}", "category": "fact"}
            for number in range(keeper, facts, 3)
        ]
        (keepers / f"k{keeper}.memory-current.json").write_text(json.dumps({"facts": rows}))
    for number in range(pages):
        lines = "\n".join(words(chance, 12) for _ in range(12))
        (wiki / f"p{number:03}.md").write_text(
            f"# Page {number}\n\n{lines}\nE{number:04}\n", encoding="utf-8"
        )
    return root


def words(chance: Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Only read by all tests that take it."""
    return fill(tmp_path_factory.mktemp("workspace") / "work space", facts=6_000, pages=200)


@pytest.fixture(scope="module")
def right(workspace: Path) -> list[Any]:
    """The right answers."""
    answers = uncached_answers(workspace, QUERIES)
    assert all(answer["status"] == "complete" for answer in answers)
    assert all(answer["sources"]["memory"]["match_count"] for answer in answers)
    return answers


def uncached_answers(root: Path, queries: Sequence[str]) -> list[Any]:
    """What `--json` has to print."""
    with SearchCore.open(root, cached=False) as core:
        forms = [prior_art_json(core.prior_art(query)) for query in queries]
    return [json.loads(json.dumps(form)) for form in forms]


@pytest.fixture
def place(workspace: Path, tmp_path: Path) -> Place:
    """The workspace with a cache of its own that is still empty."""
    (tmp_path / "home").mkdir()
    return Place(workspace, tmp_path / "home", tmp_path / "cache")


@pytest.fixture(scope="module")
def complete_cache(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("complete")
    Place(workspace, folder, folder / "cache").ask(QUERIES[0])
    return folder / "cache"


@pytest.fixture
def cached(place: Place, complete_cache: Path) -> Place:
    """The workspace with a cache of its own that is complete."""
    shutil.copytree(complete_cache, place.cache)
    assert len(place.segments()) == 2 and all(map(is_whole, place.segments()))
    return place


def is_whole(path: Path) -> bool:
    with suppress(DamagedFileError):
        read_segment(path)
        return True
    return False


def test_a_cache_is_written_once_and_then_used(cached: Place, right: list[Any]) -> None:
    before = cached.segments()
    assert cached.ask_all() == right
    assert cached.segments() == before


# --- processes that end too early --------------------------------------------------------------------------


@needs_posix
def test_a_process_may_be_killed_at_any_moment(place: Place, right: list[Any], tmp_path: Path) -> None:
    begun = time.monotonic()
    assert place.ask(QUERIES[0]) == right[0]
    duration = time.monotonic() - begun

    def kill_and_ask(number: int) -> Any:
        killed = place.with_cache(tmp_path / f"cache {number}")
        process = killed.start("search", QUERIES[0])
        time.sleep(duration * (number + 2) / (KILLS + 2))
        process.kill()
        process.communicate(timeout=TIMEOUT_SECONDS)
        return killed.ask(QUERIES[number % len(QUERIES)])

    with ThreadPoolExecutor(2) as together:
        assert list(together.map(kill_and_ask, range(KILLS))) == [
            right[number % len(QUERIES)] for number in range(KILLS)
        ]


DIE_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from lsp_server import cli
from lsp_server.core.index import cache

moment = sys.argv.pop(1)
write_segment, replace, writes = cache.write_segment, Path.replace, 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Dying:
    def __init__(self, file):
        self.file = file

    def write(self, data):
        global writes
        writes += 1
        if str(writes) == moment:
            self.file.flush()
            die()
        return self.file.write(data)

def dying_replace(path, target):
    moment == "before the rename" and die()
    replace(path, target)
    moment == "after the rename" and die()

cache.write_segment = lambda file, *rest: write_segment(Dying(file), *rest)
Path.replace = dying_replace
sys.exit(cli.main(sys.argv[1:]))
"""


@needs_posix
@pytest.mark.parametrize("moment", ["1", "4", "30", "before the rename", "after the rename"])
def test_a_process_may_be_killed_while_it_writes_the_cache(
    place: Place, right: list[Any], moment: str
) -> None:
    process = place.start(moment, "search", QUERIES[1], code=DIE_WHILE_WRITING)
    process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == -signal.SIGKILL
    assert place.ask(QUERIES[1]) == right[1]
    assert len(place.segments()) == 2 and all(map(is_whole, place.segments()))


@needs_posix
def test_a_cache_that_is_there_survives_the_death_of_whoever_replaces_it(tmp_path: Path) -> None:
    place = Place(fill(tmp_path / "root", facts=1_500, pages=0), tmp_path, tmp_path / "cache")
    place.ask("E0421")
    (before,) = place.segments()
    (place.root / ".masc/config/keepers/new.memory-current.json").write_text(
        json.dumps({"facts": [{"claim": f"N{number:04} {WORDS[number % 9]}"} for number in range(600)]})
    )
    process = place.start("20", "search", "N0421", code=DIE_WHILE_WRITING)
    process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == -signal.SIGKILL
    assert before in place.segments()
    queries = "E0421", "N0421"
    assert place.ask_all(queries) == uncached_answers(place.root, queries)
    assert all(map(is_whole, place.segments()))


# --- disks and folders that refuse -------------------------------------------------------------------------

LIMITED = """
import resource, sys
from lsp_server import cli

size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.exit(cli.main(sys.argv[1:]))
"""


@needs_posix
@pytest.mark.parametrize("size", [0, 100_000])
def test_a_full_disk_costs_the_cache_and_nothing_else(place: Place, right: list[Any], size: int) -> None:
    process = place.start(str(size), "search", QUERIES[1], "--json", code=LIMITED)
    assert answer_of(process) == right[1]
    assert not list(place.cache.glob("*/*.unfinished"))
    assert all(map(is_whole, place.segments()))


@needs_posix
def test_the_status_tells_of_a_full_disk_and_the_cache_is_written_once_it_is_not(
    place: Place, right: list[Any]
) -> None:
    (root,) = answer_of(place.start("100000", "status", "--json", code=LIMITED))["roots"]
    assert [root["sources"][name]["status"] for name in ("memory", "wiki")] == ["complete"] * 2
    assert root["cache"]["problem"]
    assert place.ask(QUERIES[1]) == right[1]
    assert len(place.segments()) == 2


def a_file(folder: Path) -> Path:
    folder.write_text("mine")
    return folder


def below_a_file(folder: Path) -> Path:
    folder.write_text("mine")
    return folder / "deeper"


def a_link_to_nowhere(folder: Path) -> Path:
    folder.symlink_to(folder.with_name("nowhere") / "at all")
    return folder


def a_name_too_long(folder: Path) -> Path:
    return folder / ("x" * 300)


@needs_posix
@pytest.mark.parametrize("make", [a_file, below_a_file, a_link_to_nowhere, a_name_too_long])
def test_a_cache_folder_that_can_be_none_costs_nothing_but_time(
    place: Place, right: list[Any], make: Callable[[Path], Path]
) -> None:
    impossible = place.with_cache(make(place.cache))
    assert impossible.ask(QUERIES[0]) == right[0]
    if make is a_file:
        assert place.cache.read_text() == "mine"


@pytest.mark.skipif(sys.platform != "linux", reason="needs the folder of processes")
def test_a_folder_in_which_nothing_can_be_made_is_told_of(place: Place) -> None:
    """The rights of a folder say nothing to root, who runs many a test."""
    refusing = place.with_cache(Path("/proc/self/task"))
    (root,) = answer_of(refusing.start("status", "--json"))["roots"]
    assert root["cache"]["problem"]
    assert (root["sources"]["memory"]["status"], root["sources"]["memory"]["documents"]) == (
        "complete",
        6_000,
    )


# --- several processes -------------------------------------------------------------------------------------


def test_processes_that_build_at_once_do_no_harm(place: Place, right: list[Any]) -> None:
    assert place.ask_all() == right
    assert place.segments() and all(map(is_whole, place.segments()))
    assert not list(place.cache.glob("*/*.unfinished"))
    assert place.ask_all() == right


# --- files that are no longer what was written -------------------------------------------------------------


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def cut_by_a_byte(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def flip_in_the_header(path: Path) -> None:
    flip(path, 100)


def flip_in_every_block(path: Path) -> None:
    for at in range(11, path.stat().st_size, BLOCK):
        flip(path, at)


def zero_a_block(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(10 * BLOCK)
        file.write(bytes(BLOCK))


def overwrite(path: Path) -> None:
    path.write_bytes(b"something else entirely\n" * 1_000)


def exchange(path: Path) -> None:
    """A segment of another store under this name."""
    (other,) = [other for other in path.parent.iterdir() if other != path]
    path.write_bytes(other.read_bytes())


DAMAGES: Sequence[Callable[[Path], None]] = (
    cut_in_half,
    cut_to_nothing,
    cut_by_a_byte,
    flip_in_the_header,
    flip_in_every_block,
    zero_a_block,
    overwrite,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_built_again(
    cached: Place, right: list[Any], damage: Callable[[Path], None]
) -> None:
    damaged = cached.segments()
    for path in damaged:
        damage(path)
        assert not is_whole(path)
    assert cached.ask(QUERIES[2]) == right[2]
    after = cached.segments()
    assert len(after) == 2 and not set(after) & set(damaged)
    assert all(map(is_whole, after))


def test_a_cache_that_was_removed_is_built_again(cached: Place, right: list[Any]) -> None:
    before = cached.segments()
    for path in before:
        path.unlink()
    assert cached.ask(QUERIES[1]) == right[1]
    assert len(cached.segments()) == len(before)


def test_a_segment_of_another_store_gives_no_wrong_answer(cached: Place, right: list[Any]) -> None:
    memory, _ = cached.segments()
    exchange(memory)
    assert cached.ask(QUERIES[1]) == right[1]


OF_ANOTHER_VERSION = """
import sys
import lsp_server
lsp_server.__version__ += ".other"
from lsp_server import cli
sys.exit(cli.main(sys.argv[1:]))
"""


def test_versions_that_take_turns_give_the_right_answers(cached: Place, right: list[Any]) -> None:
    for code in (OF_ANOTHER_VERSION, None):
        before = cached.segments()
        assert cached.ask(QUERIES[0], code) == right[0]
        assert not set(cached.segments()) & set(before)


def test_what_changed_between_two_runs_is_found(tmp_path: Path) -> None:
    place = Place(fill(tmp_path / "root", facts=1_500, pages=200), tmp_path, tmp_path / "cache")
    keepers, wiki = place.root / ".masc/config/keepers", place.root / "docs/wiki"
    query = "a new one: clock E0042"
    place.ask(query)
    assert len(place.segments()) == 2
    (wiki / "p007.md").write_text(f"{query} in a page\n")
    (wiki / "p042.md").unlink()
    assert place.ask(query) == uncached_answers(place.root, [query])[0]
    (keepers / "k1.memory-current.json").rename(keepers / "renamed.memory-current.json")
    (wiki / "p007.md").rename(wiki / "renamed.md")
    assert place.ask(query) == uncached_answers(place.root, [query])[0]
    (keepers / "k0.memory-current.json").unlink()
    (keepers / "new.memory-current.json").write_text(json.dumps({"facts": [{"claim": query}]}))
    assert place.ask(query) == uncached_answers(place.root, [query])[0]
