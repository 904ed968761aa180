"""Nothing is ever written to a workspace: what is new after any lookup lies below the folder of the cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from editor import STORES, Editor, capabilities_of, wait_until

from lsp_server.core import SearchCore

SOURCE = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 30
FILLER = "the clock of the harbour drifts, and nobody has signed for it. " * 40


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The harbour's stores, each made so large that it is cached, and some files that cannot be read."""
    root = tmp_path / "work space"
    shutil.copytree(STORES / "harbour", root)
    facts = [{"claim": f"E{number} {FILLER}", "category": "fact"} for number in range(80)]
    add(root / ".masc/config/keepers/large.memory-current.json", json.dumps({"facts": facts}))
    add(root / ".masc/config/keepers/broken.memory-current.json", "{")
    rows = [{"id": f"large{number}", "title": f"E{number}", "body": FILLER} for number in range(80)]
    posts = root / ".masc/board_posts.jsonl"
    add(posts, posts.read_text("utf-8") + "".join(f"{json.dumps(row)}\n" for row in rows))
    for number in range(80):
        add(root / f"docs/wiki/large/{number}.md", f"# Page {number}\n\n{FILLER}\n")
        unit = f"### 1. Mooring | STATUS: COMPLETED\n\n**A:** {FILLER}\n\n**Tags:** [mooring-boat]\n"
        add(root / f".gem-squared/archive/WP-LG-{number}.md", f"# WP-LG-{number}: Large\n\n{unit}")
    add(root / "a.py", 'raise Error("E4217")\n')
    return root


def add(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def tree(root: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every file and folder with the time of its last change and its content."""
    paths = [root, *sorted(root.rglob("*"))]
    return {
        path.relative_to(root).as_posix(): (
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else None,
        )
        for path in paths
    }


def test_opening_looking_up_and_caching_leave_the_workspace_as_it_was(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("PRIOR_ART_CACHE", str(cache))
    before = tree(workspace)
    for wait in (True, False, True):
        with SearchCore.open(workspace, wait=wait) as core:
            for query in ("E4217", "clock harbour", "mooring-boat", "WP-LG-7", "large7", "서명"):
                core.prior_art(query)
                core.search_kg(query)
                core.named(query)
                core.standing(query)
            status = core.status()
    statuses = {source.name: source.status for source in status.sources}
    assert [statuses[name] for name in ("wiki", "board", "contracts")] == ["complete"] * 3
    assert tree(workspace) == before
    cached = sorted(path.name.split("-")[0] for path in cache.rglob("*") if path.is_file())
    assert cached == ["board", "contracts", "memory", "wiki"]
    assert sorted(tmp_path.iterdir()) == [cache, workspace]


WATCHED = """
import os, sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move", "shutil.copyfile",
    "tempfile.mkstemp", "tempfile.mkdtemp",
}
changed = []

def watch(event, arguments):
    if event == "open" and arguments[2] & WRITES or event in CHANGES:
        changed.append(arguments[0])
        if event in ("os.rename", "os.link", "os.symlink"):
            changed.append(arguments[1])

sys.addaudithook(watch)
from lsp_server import cli
status = cli.main(sys.argv[1:])
for place in changed:
    print(os.path.abspath(os.fsdecode(place)), file=sys.stderr)
sys.exit(status)
"""


def places_written_by(workspace: Path, home: Path, cache: Path | None, *arguments: str) -> set[Path]:
    """Every path that a command opens for writing, makes, renames or removes, be it for a moment only."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MASC_", "XDG_", "PRIOR_"))
    }
    mine = {"HOME": str(home), "USERPROFILE": str(home), "LOCALAPPDATA": str(home / "local")}
    mine |= {"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        cwd=workspace,
        env={**kept, **mine, **({"PRIOR_ART_CACHE": str(cache)} if cache else {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert done.returncode in (0, 1, 3), done.stderr.decode()
    return {Path(line) for line in done.stderr.decode().splitlines()} - {Path(os.devnull)}


COMMANDS = (
    ("search", "E4217"),
    ("search", "nowhere", "--json"),
    ("kg", "mooring-boat"),
    ("hover", "a.py:1:15"),
    ("status",),
    ("cache", "clear"),
)


def test_commands_touch_nothing_but_the_cache(workspace: Path, tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    before = tree(workspace)
    for command in COMMANDS:
        written = places_written_by(workspace, home, cache, *command)
        assert {path for path in written if path != cache and cache not in path.parents} == set(), command
        assert bool(written) == (command in (COMMANDS[0], COMMANDS[-1])), "it is cached by the first one"
    assert tree(workspace) == before
    assert list(home.iterdir()) == []
    assert [path for path in cache.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(
    sys.platform != "linux", reason="needs a home that can be moved, and to know what is in it"
)
def test_the_cache_is_where_the_platform_keeps_caches(workspace: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    written = places_written_by(workspace, home, None, "search", "E4217")
    cache = home / ".cache/prior-art-lsp"
    assert any(cache in path.parents for path in written)
    assert {path for path in written if cache not in path.parents} <= {cache, *cache.parents}
    assert [path.name for path in home.iterdir()] == [".cache"]


def test_a_server_touches_nothing_but_the_cache(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    monkeypatch.setenv("PRIOR_ART_CACHE", str(cache))
    before = tree(workspace)
    with Editor(capabilities_of("vscode"), [workspace], home) as editor:
        uri = (workspace / "a.py").as_uri()
        wait_until(lambda: editor.hover_text(uri, 'raise Error("E4‸217")') is not None)
        wait_until(lambda: len(list(cache.glob("*/*.segment"))) == 4)
    assert tree(workspace) == before
    assert [path for path in home.rglob("*") if path.is_file()] == []
