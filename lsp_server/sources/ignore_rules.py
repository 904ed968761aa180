"""What `.gitignore` files say of a file or folder, as git means it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

from lsp_server.sources.text_file import read_bytes

IGNORE_FILE = ".gitignore"
FOLDER_MARK = "ps_d"
"""What pathspec calls the slash behind a folder that a pattern matches, so that all below it matches too."""
REMEMBERED_VERDICTS = 100_000

_WHITE_END = re.compile(r"([\t\r\f\v])(?= *$)")
_ALL_BELOW = re.compile(r"/\*\*(/?) *$")


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of one ignore file, and the folder that they are relative to."""

    folder: Path
    patterns: _Patterns

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True = ignored, False = expressly kept, None = no rule applies."""
        return self.patterns.verdict(path.relative_to(self.folder).as_posix() + ("/" if is_folder else ""))


class _Patterns:
    """What an ignore file says of the names it was asked about; a folder's name ends in a slash."""

    def __init__(self, patterns: Iterable[RegexPattern]) -> None:
        self._patterns = tuple(patterns)
        self._verdicts: dict[str, bool | None] = {}

    def verdict(self, name: str) -> bool | None:
        """The word of the last pattern that matches; remembered, since the same folders are listed often."""
        if name not in self._verdicts:
            if len(self._verdicts) >= REMEMBERED_VERDICTS:
                self._verdicts.clear()
            matching = (p.include for p in reversed(self._patterns) if _matches_itself(p, name))
            self._verdicts[name] = next(matching, None)
        return self._verdicts[name]


def is_ignored(path: Path, is_folder: bool, rules: tuple[Rules, ...]) -> bool:
    """Whether the rules that apply to a path ignore it; those of the nearest ignore file stand last."""
    # The ignore file nearest to the path has the last word, as in git.
    for rule in reversed(rules):
        verdict = rule.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def rules_above(root: Path, folder: Path) -> tuple[Rules, ...]:
    """Rules of the ignore files above `folder` up to `root`, without those that ignore `folder` itself."""
    if not folder.is_relative_to(root) or folder == root:
        return ()
    above: list[Rules] = []
    for parent in reversed(folder.parents):
        if not parent.is_relative_to(root):
            continue
        above += rules_of(parent, spared=folder.relative_to(parent).as_posix() + "/")
    return tuple(above)


def rules_of(folder: Path, spared: str | None = None) -> tuple[Rules, ...]:
    """Rules of the folder's own ignore file, if it has one."""
    data, _ = read_bytes(folder / IGNORE_FILE)
    return (Rules(folder, _parse_rules(data, spared)),) if data else ()


@lru_cache(maxsize=1024)
def _parse_rules(data: bytes, spared: str | None) -> _Patterns:
    """The patterns of an ignore file, without those that apply to the folder `spared`."""
    # File names are decoded in the same way, so that a pattern also finds a name that is not valid UTF-8.
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    # As in git, a carriage return is part of the line end only just before the line feed.
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    patterns = (pattern for line in lines for pattern in _parse_line(line))
    return _Patterns(p for p in patterns if spared is None or p.match_file(spared) is None)


def _parse_line(line: str) -> tuple[RegexPattern, ...]:
    try:
        patterns = GitIgnoreSpec.from_lines([_as_git_means_it(line)]).patterns
    except (ValueError, re.error):
        # A pattern that is not valid ignores nothing; the others of its file still count.
        return ()
    return tuple(p for p in patterns if isinstance(p, RegexPattern) and p.include is not None)


def _as_git_means_it(line: str) -> str:
    # Git strips blanks from the end of a rule and nothing else; pathspec strips all white space outside sets.
    line = _WHITE_END.sub(r"[\1]", line)
    # To git `docs/**` is everything below `docs`, to pathspec also `docs` itself, of which nothing could be kept.
    return _ALL_BELOW.sub(r"/**/*\1", line)


def _matches_itself(pattern: RegexPattern, name: str) -> bool:
    """Whether a pattern matches an entry, and not merely a folder above it, which was entered already."""
    if pattern.regex is None or pattern.regex.search(name) is None:
        return False
    return any(
        match.groupdict().get(FOLDER_MARK) is None or match.end(FOLDER_MARK) == len(name)
        for match in pattern.regex.finditer(name)
    )
