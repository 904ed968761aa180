"""Finding the files of a folder or glob: ignore files honoured, heavy folders pruned, links kept inside."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pathspec import GitIgnoreSpec

from lsp_server.core.model import Problem
from lsp_server.sources.ignore_rules import IGNORE_FILE, Rules, is_ignored, rules_above, rules_of
from lsp_server.sources.text_file import is_by_product, path_in, reason_of

PRUNED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "node_modules", "site-packages", "__pycache__", ".venv", "venv", ".tox", ".nox"}
)
VIRTUAL_ENVIRONMENT_MARK = "pyvenv.cfg"
MARKDOWN_SUFFIXES = (".md", ".markdown")
MAX_FILES = 50_000
MAX_FOLDERS = 50_000
"""What a glob such as `~/**/notes` may cost at most."""

# A junction is a link between folders that `is_symlink` does not call one.
_MAY_BE_JUNCTION = os.name == "nt"
_WILDCARD = re.compile(r"[*?\[]")
_LITERAL_SUFFIX = re.compile(r"\.\w+$")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to walk, or the part of it that a glob selects."""

    root: Path
    """Ignore files from here down count, and links must not lead out of it."""
    folder: Path
    glob: str | None = None
    """In gitignore syntax, relative to `folder`."""
    by_person: bool = False
    """Configured by a person, who then hears of it when it does not exist."""

    @staticmethod
    def configured(root: Path, entry: str) -> Place:
        """The place that an entry of the setting names: relative to `root`, absolute, or from `~`.

        What exists under exactly that name is meant, even if the name looks like a glob.
        """
        path = Path(os.path.abspath(root / os.path.expanduser(entry)))  # noqa: PTH100, PTH111 - neither raises
        if os.path.lexists(path):
            return Place(root, path, by_person=True)
        parts = path.parts
        steady = next((n for n, part in enumerate(parts) if n and _WILDCARD.search(part)), len(parts))
        glob = "/" + "/".join(parts[steady:]) if steady < len(parts) else None
        return Place(root, Path(*parts[:steady]), glob, by_person=True)

    def __str__(self) -> str:
        return f"{self.folder}{self.glob or ''}"


def sort_out(
    found_in: Iterable[tuple[str, Iterable[Path | Problem]]],
) -> tuple[tuple[Path, ...], tuple[Problem, ...]]:
    """The files and the problems of some named places; after `MAX_FILES` a place only says that it has more."""
    files: list[Path] = []
    problems: list[Problem] = []
    for name, found in found_in:
        for each in found:
            if isinstance(each, Problem):
                problems.append(each)
            elif len(files) < MAX_FILES:
                files.append(each)
            else:
                problems.append(Problem(name, f"only the first {MAX_FILES} files are searched"))
                break
    return tuple(files), tuple(problems)


def find_files(place: Place, found_before: set[str]) -> Iterator[Path | Problem]:
    """The files of a place sorted by path, and a problem for each folder that could not be listed.

    A folder gives its Markdown files; a glob gives those that it matches, or that stand below a folder which
    it matches, and other files only where its last part ends in their suffix. `.gitignore` files from the
    root down are honoured, but a rule that ignores the place itself is not: who names a folder wants it.
    A link is followed only to a target inside the root or the place, and no folder is entered twice.

    Parameters
    ----------
    found_before
        Real paths of the files that are not wanted again; those found are added.
    """
    try:
        is_folder = stat.S_ISDIR(place.folder.stat().st_mode)
        is_wanted = _selector(place)
    except (FileNotFoundError, ValueError) as error:
        yield Problem(str(place.folder), _why_not(place, error))
        return
    except OSError as error:
        yield Problem(str(place.folder), reason_of(error))
        return
    home = [_real(place.root)]
    if place.by_person:
        home.append(_real(place.folder))
    elif not _is_inside(_real(place.folder), home):
        yield Problem(
            str(place.folder), "a link that leads out of the workspace; name its target in wiki.folders"
        )
        return
    start = _Entry(place.folder, _real(place.folder), is_folder, rules_above(place.root, place.folder))
    yield from _walk(start, _Walk(home, found_before, is_wanted))


def _why_not(place: Place, error: FileNotFoundError | ValueError) -> str:
    if isinstance(error, _GlobError):
        return f"the glob {place.glob!r} is not valid"
    if place.by_person:
        return "the configured wiki folder does not exist"
    return "a link whose target does not exist"


class _GlobError(ValueError):
    """A glob that pathspec does not take."""


@dataclass(frozen=True, slots=True)
class _Walk:
    home: list[str]
    found_before: set[str]
    is_wanted: Callable[[Path], bool]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file or folder still to be visited, with the ignore rules of the folders above it."""

    path: Path
    real: str
    is_folder: bool
    rules: tuple[Rules, ...]


def _walk(start: _Entry, walk: _Walk) -> Iterator[Path | Problem]:
    # A stack of its own, since folders can be nested more deeply than calls.
    waiting = [start]
    entered: set[str] = set()
    while waiting:
        entry = waiting.pop()
        if not entry.is_folder:
            if entry.real not in walk.found_before:
                walk.found_before.add(entry.real)
                yield entry.path
        elif entry.real not in entered:
            if len(entered) == MAX_FOLDERS:
                yield Problem(str(start.path), f"only the first {MAX_FOLDERS} folders are searched")
                return
            entered.add(entry.real)
            try:
                children = _children(entry, walk, is_start=entry is start)
            except OSError as error:
                yield Problem(str(entry.path), reason_of(error))
            else:
                waiting.extend(reversed(children))


def _children(folder: _Entry, walk: _Walk, is_start: bool) -> list[_Entry]:
    """What is to be visited inside a folder, sorted by name."""
    with os.scandir(folder.path) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    names = {entry.name for entry in entries}
    if VIRTUAL_ENVIRONMENT_MARK in names and not is_start:
        return []
    rules = folder.rules
    if IGNORE_FILE in names:
        rules = (*rules, *rules_of(folder.path))
    children: list[_Entry] = []
    for entry in entries:
        path = path_in(folder.path, entry.name)
        is_folder = _is_folder(entry)
        if (
            entry.name in PRUNED_FOLDERS
            if is_folder
            else is_by_product(entry.name) or not walk.is_wanted(path)
        ):
            continue
        real = os.path.join(folder.real, entry.name)  # noqa: PTH118 - a string for each of many files
        if entry.is_symlink() or (is_folder and _MAY_BE_JUNCTION):
            real = _real(path)
            if not _is_inside(real, walk.home):
                continue
        if not is_ignored(path, is_folder, rules):
            children.append(_Entry(path, real, is_folder, rules))
    return children


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A loop of links, say. Should it be a page by its name, reading it tells the reason.
        return False


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _is_inside(real: str, home: list[str]) -> bool:
    return any(Path(real).is_relative_to(folder) for folder in home)


def _selector(place: Place) -> Callable[[Path], bool]:
    if place.glob is None:
        return _is_markdown
    try:
        spec = GitIgnoreSpec.from_lines([place.glob])
    except (ValueError, re.error) as error:
        raise _GlobError from error
    last_part = place.glob.rpartition("/")[2]
    names_suffix = _LITERAL_SUFFIX.search(last_part) is not None

    def is_wanted(path: Path) -> bool:
        if not (_is_markdown(path) or (names_suffix and fnmatchcase(path.name, last_part))):
            return False
        return spec.match_file(path.relative_to(place.folder).as_posix())

    return is_wanted


def _is_markdown(path: Path) -> bool:
    return path.name.lower().endswith(MARKDOWN_SUFFIXES)
