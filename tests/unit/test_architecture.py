"""Arrows point inward, and nothing that reads a store can write to one (design: rooms)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lsp_server

PACKAGE = Path(lsp_server.__file__).parent
CORE = sorted((PACKAGE / "core").rglob("*.py"))
SOURCES = sorted((PACKAGE / "sources").rglob("*.py"))

LATE_IMPORT = (PACKAGE / "core/search_core.py", "lsp_server.sources.composition")
"""`SearchCore.open` alone may reach outward, and only when it is called."""

CACHE = PACKAGE / "core/index/cache.py"
"""The one module that writes, and only below the folder of the cache."""

VERSION = ("lsp_server", "lsp_server.__version__")

WRITING_METHODS = frozenset(
    """write_text write_bytes writelines touch mkdir makedirs rmdir removedirs unlink remove rmtree rename renames
    replace symlink_to hardlink_to symlink link chmod chown utime truncate copy copyfile copytree move mkstemp
    mkdtemp NamedTemporaryFile TemporaryFile TemporaryDirectory""".split()
)
OS_FLAGS_THAT_WRITE = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND")
LIBRARIES_OF_FILES = frozenset({"shutil", "tempfile", "sqlite3", "dbm", "shelve", "subprocess", "socket"})


def shown(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports_of(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Every module that a file names in an import, wherever in the file that stands."""
    package = ("lsp_server", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) + "." if node.level else ""
            module = (base + (node.module or "")).rstrip(".")
            yield module, node
            if module in ("lsp_server", "lsp_server.core", "lsp_server.sources"):
                yield from ((f"{module}.{alias.name}", node) for alias in node.names)


def calls_that_write(tree: ast.Module) -> Iterator[str]:
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and may_write(call):
            yield ast.unparse(call)


def may_write(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if owner == "os" and name == "open":
        return any(flag in ast.unparse(call) for flag in OS_FLAGS_THAT_WRITE)
    if name == "open":
        return bool(set("wax+") & set(mode_of(call, 1 if owner is None else 0)))
    if name == "replace" and owner != "os":
        # `dataclasses.replace` is a function, and `str.replace` takes two arguments or three; a path's takes one.
        return owner is not None and len(call.args) == 1
    return name in WRITING_METHODS


def mode_of(call: ast.Call, position: int) -> str:
    """The mode of an `open`; one that cannot be told from the source may be any."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    for mode in (*call.args[position : position + 1], *named):
        return mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "w"
    return "r"


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_the_core_imports_nothing_of_the_protocol_and_nothing_outside_itself(path: Path) -> None:
    for module, node in imports_of(path):
        if (path, module) == LATE_IMPORT and node not in tree_of(path).body and node.col_offset > 0:
            continue
        assert module.split(".")[0] not in ("pygls", "lsprotocol"), module
        inside = module.startswith("lsp_server.core") or module in VERSION
        assert not module.startswith("lsp_server") or inside, module


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_sources_import_the_core_and_each_other_only(path: Path) -> None:
    for module, _ in imports_of(path):
        assert module.split(".")[0] not in ("pygls", "lsprotocol"), module
        assert not module.startswith("lsp_server") or module.startswith(
            ("lsp_server.core", "lsp_server.sources")
        )


@pytest.mark.parametrize("path", sorted({*CORE, *SOURCES} - {CACHE}), ids=shown)
def test_nothing_that_reads_a_store_can_write_to_one(path: Path) -> None:
    assert list(calls_that_write(tree_of(path))) == []
    assert LIBRARIES_OF_FILES.isdisjoint(module.split(".")[0] for module, _ in imports_of(path))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=shown)
def test_what_is_on_the_disk_is_asked_so_that_nothing_is_raised(path: Path) -> None:
    """`Path.is_dir` and its like raise for some paths; `on_disk.py` does not. An entry of a listing is no path."""
    asked = [
        ast.unparse(call)
        for call in ast.walk(tree_of(path))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("is_dir", "is_file", "exists", "is_mount", "isdir", "isfile")
        and ast.unparse(call.func.value) != "entry"
    ]
    assert asked == [] or path == PACKAGE / "core/on_disk.py"


@pytest.mark.parametrize(
    ("code", "writes"),
    [
        ("open(p)", False),
        ("open(p, 'rb')", False),
        ("open(p, 'w')", True),
        ("open(p, mode='ab')", True),
        ("open(p, 'r+b')", True),
        ("open(p, mode)", True),
        ("p.open()", False),
        ("p.open('rb')", False),
        ("p.open('x')", True),
        ("p.unlink()", True),
        ("p.write_text('')", True),
        ("p.replace(q)", True),
        ("os.replace(p, q)", True),
        ("os.open(p, os.O_RDONLY | flags)", False),
        ("os.open(p, os.O_RDONLY | os.O_CREAT)", True),
        ("text.replace('a', 'b')", False),
        ("text.replace('a', 'b', 1)", False),
        ("replace(answer, matches=())", False),
    ],
)
def test_what_counts_as_writing(code: str, writes: bool) -> None:
    assert bool(list(calls_that_write(ast.parse(code)))) == writes


def test_the_core_loads_without_the_protocol() -> None:
    code = "import sys, lsp_server.core; print(*sorted(name.split('.')[0] for name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(run.stdout.split())
    assert "lsp_server" in loaded
    assert loaded.isdisjoint({"pygls", "lsprotocol", "cattrs"})


def test_the_server_starts_without_what_only_its_commands_need() -> None:
    """A client waits for `initialize`; lists and pages are imported when somebody asks."""
    code = "import sys, lsp_server.server; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(run.stdout.split())
    assert "lsp_server.features.editor_commands" in loaded
    assert loaded.isdisjoint(
        f"lsp_server.{name}"
        for name in (
            "choices",
            "copy_text",
            "editor_questions",
            "hover",
            "lookup",
            "match_list",
            "page",
            "render",
        )
    )
    assert "numpy" not in loaded
