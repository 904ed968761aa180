r"""The command line as its users see it: every file of tests/cases/cli is a transcript that has to come out.

    store: cli-dock                 a folder of tests/stores, copied for each case; `{root}` is the copy
    cwd: src                        where the program runs, below the copy
    env: LC_ALL=C                   set for the program; `env: NAME=` takes it away
    write: src/a:b.py = text        one more file; Python's escapes count in the text
    $ prior-art search E4217        quoted as in a shell
    …                               stdout; JSON is compared as JSON
    stderr:
    …
    exit: 0

`{time}` stands for the present time, `{uri}` for the copy's URI, and in stderr `…` for words that are Python's
or the system's. Windows' paths are compared with `/`.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
CASES = sorted((TESTS / "cases" / "cli").glob("*.txt"))
PROGRAMS = {
    "prior-art": [sys.executable, "-m", "lsp_server"],
    "prior-art-lsp": [
        sys.executable,
        "-c",
        "import sys; from lsp_server.cli import serve_main; sys.exit(serve_main())",
    ],
}
TIMEOUT_SECONDS = 30
CACHE_OF_ROOT = re.compile(r"\S*[/\\]cache\d*[/\\][\w.-]+-[0-9a-f]{16}")
NOW = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass
class Run:
    """One command with what came, or has to come, of it."""

    command: str
    stdout: str = ""
    stderr: str = ""
    exit: str = ""


@dataclass
class Case:
    store: str = ""
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    windows: bool = True
    runs: list[Run] = field(default_factory=list)


def read_case(text: str) -> Case:
    head, *runs = re.split(r"^\$ ", text, flags=re.MULTILINE)
    case = Case()
    for line in head.splitlines():
        key, _, value = line.partition(": ")
        if key == "env":
            name, _, setting = value.partition("=")
            case.env[name] = setting
        elif key == "write":
            name, _, content = value.partition(" = ")
            case.files[name] = content.encode().decode("unicode_escape")
        elif key in ("store", "cwd"):
            setattr(case, key, value)
        else:
            assert not line or line.startswith("#"), line
            case.windows &= line != "# Not on Windows."
    case.runs = [read_run(run) for run in runs]
    return case


def read_run(text: str) -> Run:
    command, _, rest = text.partition("\n")
    output, _, ending = rest.rpartition("exit: ")
    stdout, _, stderr = output.partition("stderr:\n")
    return Run(command, stdout, stderr, ending.strip())


@dataclass
class Place:
    """A copied store with a home of its own beside it."""

    root: Path
    home: Path

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MASC_", "XDG_", "PYTHON", "LC_", "LANG"))
        }
        home = str(self.home)
        set_here = {name: self.fill(value) for name, value in more.items()}
        environment = {**kept, "HOME": home, "USERPROFILE": home, "APPDATA": home, **set_here}
        # The programs are found from any folder, installed or not.
        environment["PYTHONPATH"] = str(TESTS.parent)
        return {name: value for name, value in environment.items() if value}

    def fill(self, text: str) -> str:
        return text.replace("{root}", str(self.root)).replace("{long}", "x" * 201)

    def run(self, command: str, cwd: str = ".", env: Mapping[str, str] | None = None) -> Run:
        """Run a command, with what it writes as a transcript shows it."""
        run = self.run_as_it_is(command, cwd, env)
        return Run(command, self.general(run.stdout), self.general(run.stderr), run.exit)

    def run_as_it_is(self, command: str, cwd: str = ".", env: Mapping[str, str] | None = None) -> Run:
        program, *arguments = shlex.split(command)
        done = subprocess.run(
            PROGRAMS[program] + [self.fill(argument) for argument in arguments],
            cwd=self.root / cwd,
            env=self.environment(env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
        )
        return Run(command, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"), str(done.returncode))

    def general(self, text: str) -> str:
        """Text without what differs from one computer, place and time to the next."""
        try:
            return json.dumps(self._general(json.loads(text)), ensure_ascii=False)
        except ValueError:
            return str(self._general(text.replace("\r\n", "\n")))

    def _general(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._general(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._general(item) for item in value]
        if not isinstance(value, str):
            return value
        if os.name == "nt":
            value = value.replace("\\", "/")
        value = CACHE_OF_ROOT.sub("{cache}", value)
        value = value.replace(self.root.as_uri(), "{uri}").replace(self.root.as_posix(), "{root}")
        return NOW.sub("{time}", value)


def copy_store(name: str, folder: Path) -> Place:
    place = Place(folder / "work space", folder / "home")
    place.home.mkdir()
    shutil.copytree(TESTS / "stores" / name, place.root)
    return place


def comparable(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("…"))))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path) -> None:
    case = read_case(path.read_text(encoding="utf-8"))
    assert case.runs
    if os.name == "nt" and not case.windows:
        pytest.skip("needs POSIX")
    place = copy_store(case.store, tmp_path)
    for name, content in case.files.items():
        (place.root / name).write_text(content, encoding="utf-8")
    before = fingerprints(place.root)
    with ThreadPoolExecutor() as together:
        happenings = together.map(lambda run: place.run(run.command, case.cwd, case.env), case.runs)
    for expected, happened in zip(case.runs, happenings, strict=True):
        assert "Traceback" not in happened.stderr
        assert comparable(happened.stdout) == comparable(expected.stdout), expected.command
        if "…" in expected.stderr and pattern(expected.stderr).fullmatch(happened.stderr):
            happened.stderr = expected.stderr
        assert (happened.stderr, happened.exit) == (expected.stderr, expected.exit), expected.command
    # Nothing is ever written to a store.
    assert fingerprints(place.root) == before


def fingerprints(root: Path) -> dict[str, tuple[int, int]]:
    return {str(path): stat_of(path) for path in root.rglob("*")}


def stat_of(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def test_there_are_cases_and_each_is_well_formed() -> None:
    assert len(CASES) >= 25
    for path in CASES:
        case = read_case(path.read_text(encoding="utf-8"))
        assert (TESTS / "stores" / case.store).is_dir(), path.name
        assert all(run.exit in ("0", "1", "2", "3") for run in case.runs), path.name


# --- what a transcript cannot show ------------------------------------------------------------------------


@pytest.fixture
def dock(tmp_path: Path) -> Place:
    return copy_store("cli-dock", tmp_path)


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def close_stdout_and_run(place: Place, arguments: list[str]) -> tuple[int, str]:
    """Run with a stdout whose reader has already gone, as behind `| head -0`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            python("-m", "lsp_server", *arguments),
            cwd=place.root,
            env=place.environment({}),
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("search E4217", 0),
        ("search absent --json", 1),
        ("kg rotate --limit 50", 0),
        ("hover src/clock.py:6:30", 0),
        ("--help", 0),
        ("--version", 0),
    ],
)
def test_a_reader_that_has_gone_is_no_failure(dock: Place, arguments: str, status: int) -> None:
    assert close_stdout_and_run(dock, arguments.split()) == (status, "")


def test_a_reader_that_leaves_in_the_middle_is_no_failure(dock: Place) -> None:
    for number in range(200):  # Several times what a pipe holds.
        (dock.root / f"docs/wiki/{number}.md").write_text(f"# E4217 {'very ' * 300}\n")
    search = subprocess.Popen(
        python("-m", "lsp_server", "search", "E4217"),
        cwd=dock.root,
        env=dock.environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert search.stdout is not None and search.stderr is not None
    search.stdout.read(10)
    search.stdout.close()
    with search.stderr:
        assert search.stderr.read() == b""
    assert search.wait(TIMEOUT_SECONDS) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(dock: Place) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            python("-m", "lsp_server", "search", "E4217"),
            cwd=dock.root,
            env=dock.environment({}),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
        )
    assert (done.returncode, done.stderr) == (2, b"prior-art: no space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("redirection", "status"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), ("--root nowhere 2>&-", 2)]
)
def test_streams_may_be_closed(dock: Place, redirection: str, status: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m lsp_server search E4217 {redirection}', sys.executable],
        cwd=dock.root,
        env=dock.environment({}),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stderr) == (status, b"")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("redirection", ["<&-", ">&-"])
def test_a_server_without_its_streams_says_so(dock: Place, redirection: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m lsp_server serve {redirection}', sys.executable],
        cwd=dock.root,
        env=dock.environment({}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"prior-art: stdin or stdout is closed") and done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the folder of a process")
def test_a_current_folder_that_is_gone_is_one_line(dock: Place) -> None:
    done = subprocess.run(
        ["sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; "$0" -m lsp_server search E4217', sys.executable],
        cwd=dock.root,
        env=dock.environment({}),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1 and done.stderr.startswith(b"prior-art: ")


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are no text")
def test_names_and_arguments_that_are_no_text_are_survived(dock: Place) -> None:
    (dock.root / "docs/wiki" / os.fsdecode(b"caf\xe9.md")).write_text("# E7001 in a name\n")
    for arguments in (["search", "E7001"], ["search", "E7001", "--json"], ["search", b"caf\xe9"], ["status"]):
        done = subprocess.run(
            [sys.executable, "-m", "lsp_server", *arguments],
            cwd=dock.root,
            env=dock.environment({}),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
        )
        assert done.stderr == b""
        assert done.returncode == (1 if b"caf\xe9" in arguments else 0)
        done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "command", ["search a 'b\nc'", "search a --source 'b\nc'", "hover 'b\nc'", "status --root 'b\r\nc'"]
)
def test_a_complaint_is_one_line_whatever_was_typed(dock: Place, command: str) -> None:
    run = dock.run_as_it_is(f"prior-art {command}")
    assert (run.stdout, run.exit) == ("", "2")
    assert run.stderr.startswith("prior-art: ")
    assert len(run.stderr.splitlines()) == 1


def test_text_of_a_store_cannot_steer_the_terminal(dock: Place) -> None:
    page = "# \x1b]0;owned\x07 E7002 \x9b2J \x1b[31mred\n"
    (dock.root / "docs/wiki/escape.md").write_text(page, encoding="utf-8")
    (dock.root / "src/e.py").write_text("E7002\n")
    for command in ("prior-art search E7002", "prior-art hover src/e.py:1:1 --format plaintext"):
        run = dock.run(command)
        assert run.exit == "0"
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", run.stdout)
    assert "\x1b" not in dock.run("prior-art search '\x1b[31m' --source 'x\x1b[31m'").stderr


@pytest.mark.parametrize("link", [False, True])
def test_the_home_folder_is_never_taken_by_itself(dock: Place, tmp_path: Path, link: bool) -> None:
    home = dock.root
    if link:
        home = tmp_path / "link"
        try:
            home.symlink_to(dock.root)
        except OSError:
            pytest.skip("needs links")
    at_home = {"HOME": str(home), "USERPROFILE": str(home)}
    run = dock.run("prior-art search E4217", env=at_home)
    assert (run.stdout, run.exit) == ("", "2")
    assert "name the workspace with --root" in run.stderr
    assert dock.run("prior-art search E4217 --root .", env=at_home).exit == "0"


LOADED = """
import sys
from lsp_server.cli import main
status = main(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("command", ["search E4217", "search E4217 --json", "kg rotate", "status"])
def test_lookups_do_not_load_the_protocol(dock: Place, command: str) -> None:
    done = subprocess.run(
        python("-c", LOADED, *command.split()),
        cwd=dock.root,
        env=dock.environment({}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
    )
    assert done.returncode == 0
    loaded = set(done.stderr.split())
    assert "lsp_server" in loaded
    assert loaded.isdisjoint({"pygls", "lsprotocol", "cattrs", "asyncio", "psutil"})


def test_json_is_one_line_of_ascii(dock: Place) -> None:
    for command in ("search 서명 --json", "kg rotate --json", "status --json"):
        run = dock.run_as_it_is(f"prior-art {command}")
        assert run.stdout.isascii()
        assert run.stdout.splitlines(keepends=True) == [run.stdout]


def test_json_counts_agree_with_the_matches(dock: Place) -> None:
    answer = json.loads(dock.run("prior-art search E4217 --json").stdout)
    for source in answer["sources"].values():
        assert source["match_count"] == len(source["matches"])
    answer = json.loads(dock.run("prior-art kg rotating-key --json --limit 2").stdout)
    assert answer["result_count"] == len(answer["results"]) == 2
