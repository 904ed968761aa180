"""Where segments are kept between two runs. The only place in the core that writes to disk.

A cache saves time and nothing else: whatever is missing, damaged, made by another version or cannot be
written is built from the stores again. Files are written beside their place and renamed, and never changed
afterwards, so neither a crash nor another server on the same workspace leaves a half-written one to be read.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import stringzilla

from lsp_server import __version__
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.segment_file import DamagedFileError, read_segment, write_segment
from lsp_server.core.on_disk import is_folder

CACHE_VARIABLE = "PRIOR_ART_CACHE"
"""Names another folder for the cache."""

FORMAT = 2
"""Changes with the meaning of what is written."""

MADE_BY = (FORMAT, __version__, stringzilla.__version__, unicodedata.unidata_version)
"""What a cached segment depends on besides the files of the store: parsing, hashing and case folding."""

SUFFIX = ".segment"
_UNFINISHED_SUFFIX = ".unfinished"
_ABANDONED_SECONDS = 3600.0
"""A file that has been unfinished for so long was left behind by a crash."""


@dataclass(frozen=True, slots=True)
class Cache:
    """The cached segments of one root."""

    folder: Path

    def read(self, name: str) -> tuple[dict[str, Numbers], Any] | None:
        """The newest usable segment of a store, with what was written about it; `None` where there is none."""
        for path in self._segments_of(name):
            with suppress(OSError, DamagedFileError):
                arrays, said = read_segment(path)
                if isinstance(said, list) and said[:1] == [list(MADE_BY)] and len(said) == 2:
                    return arrays, said[1]
        return None

    def write(self, name: str, arrays: Mapping[str, Numbers], meta: object) -> None:
        """Keep a segment of a store in place of those before it.

        Raises
        ------
        OSError
            It could not be written; those before it are still there.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        # Never an existing name: Windows refuses to replace a file that some process has mapped.
        path = self.folder / f"{name}-{secrets.token_hex(8)}{SUFFIX}"
        unfinished = path.with_suffix(_UNFINISHED_SUFFIX)
        before = list(self._segments_of(name))
        try:
            with unfinished.open("xb") as file:
                write_segment(file, arrays, (MADE_BY, meta))
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
        for old in before:
            # Where it is mapped, Windows keeps it; a later write removes it.
            with suppress(OSError):
                old.unlink()
        self._remove_abandoned()

    def size(self) -> int:
        """Bytes on disk, of what is finished."""
        return sum(_size_of(path) for path in _kept_files(self.folder) if path.suffix == SUFFIX)

    def _segments_of(self, name: str) -> Iterator[Path]:
        """The files of one store, newest first."""
        paths = [path for path in _kept_files(self.folder) if path.name.startswith(f"{name}-")]
        paths = [path for path in paths if path.suffix == SUFFIX]
        return iter(sorted(paths, key=_modified_at, reverse=True))

    def _remove_abandoned(self) -> None:
        for path in _kept_files(self.folder):
            if path.suffix == _UNFINISHED_SUFFIX and time.time() - _modified_at(path) > _ABANDONED_SECONDS:
                with suppress(OSError):
                    path.unlink()


def cache_folder() -> Path | None:
    """The folder of all caches: `$PRIOR_ART_CACHE`, else where this platform keeps what can be made again.

    `None` where none is named and there is no home folder.
    """
    configured = os.environ.get(CACHE_VARIABLE, "")
    if configured:
        return Path(configured)
    try:
        folder = platformdirs.user_cache_path("prior-art-lsp", appauthor=False)
    except RuntimeError:
        return None
    # Earlier platformdirs leave a home that they do not know as "~", which is no folder.
    return folder if folder.is_absolute() else None


def cache_of(root: Path, reading: object = None) -> Cache | None:
    """The cache of one root; `None` where there is no folder for it.

    Parameters
    ----------
    reading
        Whatever else decides what is read of a file; each value has a cache of its own.
    """
    digest = hashlib.sha256(repr((str(root), reading)).encode("utf-8", "surrogatepass")).hexdigest()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name)[:40].strip(".-") or "root"
    folder = cache_folder()
    return None if folder is None else Cache(folder / f"{name}-{digest[:16]}")


def clear(folder: Path) -> int:
    """Remove every cached segment below the folder of all caches, and nothing else; returns the bytes freed.

    Raises
    ------
    OSError
        Some file could not be removed.
    """
    freed = 0
    for place in sorted(folder.iterdir()) if is_folder(folder) else ():
        kept = _kept_files(place)
        for path in kept:
            freed += _size_of(path)
            path.unlink()
        if kept:
            with suppress(OSError):
                place.rmdir()
    return freed


_KEPT_NAME = re.compile(rf"[a-z]+-[0-9a-f]{{16}}(?:{re.escape(SUFFIX)}|{re.escape(_UNFINISHED_SUFFIX)})")


def _kept_files(folder: Path) -> list[Path]:
    """The files of one root's cache, by their names."""
    with suppress(OSError):
        return [path for path in folder.iterdir() if _KEPT_NAME.fullmatch(path.name)]
    return []


def _size_of(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _modified_at(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
