"""What of a path or of a reason can be pasted into a public bug report.

Nobody's own words: the home folder is `~`, a root is `<root>`, and of all other names only those are shown that
stand on everybody's computer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

HIDDEN = "…"

EVERYBODYS_NAMES = frozenset(
    {
        *("usr", "opt", "bin", "local", "lib", "share", ".local", ".cache", ".config"),
        *("Library", "Caches", "Application Support"),
        *("AppData", "Local", "Roaming", "Cache", "Scripts"),
        *(".venv", "venv", "pipx", "venvs", "uv", "tools"),
        *("prior-art", "prior-art-lsp", "prior-art-lsp.exe", "config.toml", ".prior-art.toml"),
        *(".masc", "clusters", "config", "keepers", "board_posts.jsonl"),
        *(".gem-squared", "archive", "work-plan", "docs", "wiki", "library", ".knowledge"),
    }
)

PUBLIC_SUFFIXES = (".memory-current.json", ".memory-source-current.json", ".md", ".json", ".jsonl", ".toml")
"""What is shown of a file that is somebody's own."""

# A text as Python writes it with `repr`; the apostrophe of "item's" begins none.
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
# Reasons that end in an exception's own words, which may be anything.
_OPEN_ENDED = re.compile(r"(could not be (?:read|listed)): .*", re.DOTALL)
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True, slots=True)
class Anchors:
    """The folders that have a public name, each with that name, the innermost first."""

    names: tuple[tuple[Path, str], ...] = ()

    @staticmethod
    def of(root: Path | None, extra_roots: Iterable[Path] = ()) -> Anchors:
        """`<root>`, `<extra root 1>` and so on, and the home folder as `~`."""
        own = [(root, "<root>")] if root else []
        extra = ((folder, f"<extra root {number}>") for number, folder in enumerate(extra_roots, start=1))
        anchors = (*own, *extra, *((home, "~") for home in _home()))
        return Anchors(tuple(sorted(anchors, key=lambda anchor: -len(anchor[0].parts))))

    def shown(self, path: Path) -> str:
        """A path with its anchor, and every name hidden that may be somebody's own."""
        anchor, names = self._split(path)
        return "/".join([anchor, *(name for name, _ in groupby(map(_public_name, names)))])

    def _split(self, path: Path) -> tuple[str, tuple[str, ...]]:
        for folder, name in self.names:
            if path.is_relative_to(folder):
                return name, path.relative_to(folder).parts
        return "", path.relative_to(path.anchor).parts


def public_reason(reason: str) -> str:
    """A reason without what it quotes."""
    return _OPEN_ENDED.sub(r"\1", _QUOTED.sub(f"'{HIDDEN}'", reason))


def public_key(key: str) -> str:
    """The name of a setting that nobody knows, unless it is no name."""
    return key if _KEY.fullmatch(key) else HIDDEN


def _public_name(name: str) -> str:
    if name in EVERYBODYS_NAMES:
        return name
    return HIDDEN + next((suffix for suffix in PUBLIC_SUFFIXES if name.endswith(suffix)), "")


def _home() -> Iterator[Path]:
    try:
        yield Path.home()
    except RuntimeError:
        return
