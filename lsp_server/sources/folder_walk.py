"""Finding the files of a folder or glob: ignore files honoured, heavy folders pruned, links kept inside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec

from lsp_server.core.index.store import Fingerprint, fingerprint_of
from lsp_server.core.model import Problem
from lsp_server.sources.text_file import read_text, reason_of

PRUNED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "node_modules", "site-packages", "__pycache__", ".venv", "venv", ".tox", ".nox"}
)
MARKDOWN_SUFFIXES = (".md", ".markdown")
IGNORE_FILE = ".gitignore"

_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to walk, or the part of it that a glob selects."""

    folder: Path
    glob: str | None = None
    """In gitignore syntax, relative to `folder`."""
    by_person: bool = False
    """Configured by a person, who then hears of it when it does not exist."""

    @staticmethod
    def configured(root: Path, entry: str) -> Place:
        """The place that an entry of the setting names: relative to `root`, absolute, or from `~`."""
        steady: list[str] = []
        parts = Path(entry).expanduser().parts
        for part in parts:
            if _WILDCARD.search(part):
                break
            steady.append(part)
        rest = parts[len(steady) :]
        return Place(root.joinpath(*steady), "/" + "/".join(rest) if rest else None, by_person=True)

    def __str__(self) -> str:
        return f"{self.folder}{self.glob or ''}"


def find_files(root: Path, place: Place) -> Iterator[Path | Problem]:
    """The files of a place sorted by path, and a problem for each folder that could not be listed.

    `.gitignore` files from `root` down are honoured, but a rule that ignores the place itself is not: who
    names a folder wants it. A link is followed only to a target inside `root` or the place, and no folder
    is entered twice.
    """
    if place.folder.is_file():
        yield place.folder
        return
    if not place.folder.is_dir():
        if place.by_person:
            yield Problem(str(place.folder), "the configured wiki folder does not exist")
        return
    home = [Path(os.path.realpath(root))]
    if place.by_person:
        home.append(Path(os.path.realpath(place.folder)))
    elif not _is_inside(place.folder, home):
        yield Problem(
            str(place.folder), "a link that leads out of the workspace; name its target in wiki.folders"
        )
        return
    yield from _walk(place.folder, _Walk(home, set(), _selector(place)), _rules_above(root, place.folder))


@dataclass(frozen=True, slots=True)
class _Walk:
    home: list[Path]
    entered: set[str]
    is_wanted: Callable[[Path], bool]


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one ignore file, and the folder that they are relative to."""

    folder: Path
    spec: GitIgnoreSpec

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True = ignored, False = expressly kept, None = no rule applies."""
        name = path.relative_to(self.folder).as_posix() + ("/" if is_folder else "")
        return self.spec.check_file(name).include


def _walk(folder: Path, walk: _Walk, rules: tuple[_Rules, ...]) -> Iterator[Path | Problem]:
    real = os.path.realpath(folder)
    if real in walk.entered:
        return
    walk.entered.add(real)
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield Problem(str(folder), reason_of(error))
        return
    rules = (*rules, *_rules_of(folder))
    for entry in entries:
        path = folder / entry.name
        if entry.is_symlink() and not _is_inside(path, walk.home):
            continue
        is_folder = entry.is_dir()
        if _is_ignored(path, is_folder, rules):
            continue
        if not is_folder:
            if walk.is_wanted(path):
                yield path
        elif entry.name not in PRUNED_FOLDERS and not (path / "pyvenv.cfg").exists():
            yield from _walk(path, walk, rules)


def _is_ignored(path: Path, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    # The ignore file nearest to the path has the last word, as in git.
    for rule in reversed(rules):
        verdict = rule.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _is_inside(path: Path, home: list[Path]) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(folder) for folder in home)


def _selector(place: Place) -> Callable[[Path], bool]:
    if place.glob is None:
        return lambda path: path.suffix.lower() in MARKDOWN_SUFFIXES
    spec = GitIgnoreSpec.from_lines([place.glob])
    return lambda path: spec.match_file(path.relative_to(place.folder).as_posix())


def _rules_above(root: Path, folder: Path) -> tuple[_Rules, ...]:
    """Rules of the ignore files above `folder` up to `root`, without those that ignore `folder` itself."""
    if not folder.is_relative_to(root) or folder == root:
        return ()
    above: list[_Rules] = []
    for parent in reversed(folder.parents):
        if not parent.is_relative_to(root):
            continue
        inside = folder.relative_to(parent).as_posix() + "/"
        above += (
            _Rules(parent, GitIgnoreSpec(p for p in rule.spec.patterns if p.match_file(inside) is None))
            for rule in _rules_of(parent)
        )
    return tuple(above)


def _rules_of(folder: Path) -> tuple[_Rules, ...]:
    ignore_file = folder / IGNORE_FILE
    fingerprint = fingerprint_of(ignore_file)
    return () if fingerprint is None else (_Rules(folder, _read_spec(ignore_file, fingerprint)),)


@lru_cache(maxsize=1024)
def _read_spec(ignore_file: Path, _fingerprint: Fingerprint) -> GitIgnoreSpec:
    text, _ = read_text(ignore_file)
    try:
        return GitIgnoreSpec.from_lines((text or "").split("\n"))
    except ValueError:
        # A pattern that git itself would not take ignores nothing.
        return GitIgnoreSpec(())
