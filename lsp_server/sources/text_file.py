"""Reading one text file so that nothing in it can stop the index (spec/field-notes.md §2 items 25 and 30)."""

from __future__ import annotations

import codecs
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from lsp_server.core.model import Problem
from lsp_server.core.on_disk import is_there

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_text(path: Path, max_bytes: int | None = None) -> tuple[str | None, Problem | None]:
    r"""The file's text without byte order mark, with `\n` as its only line end.

    Returns
    -------
    tuple
        `(text, None)`; `(None, problem)` when the file gave nothing; `(text, problem)` when some bytes
        are not valid text and were replaced, so that a match may be missing there.
    """
    data, problem = read_bytes(path, max_bytes)
    if data is None:
        return None, problem
    text, replaced = decode(data)
    return _unify_line_ends(text), Problem(str(path), replaced) if replaced else None


def decode(data: bytes) -> tuple[str, str | None]:
    """A file's text without byte order mark, each line end as it is, and what had to be replaced, if anything."""
    encoding = "utf-8"
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], name
            break
    try:
        return data.decode(encoding), None
    except UnicodeDecodeError as error:
        reason = f"not valid {encoding.upper()} at byte {error.start}; what could not be read was replaced"
        return data.decode(encoding, errors="replace"), reason


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, max_bytes: int | None = None) -> tuple[bytes | None, Problem | None]:
    """The bytes of a regular file, of at most `max_bytes` where that is given, or why there are none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None, Problem(str(path), "not a regular file")
        size = status.st_size
        if max_bytes is None or size <= max_bytes:
            with open_without_waiting(path) as file:
                data = file.read() if max_bytes is None else file.read(max_bytes + 1)
            if max_bytes is None or len(data) <= max_bytes:
                return data, None
            size = len(data)
    except OSError as error:
        return None, Problem(str(path), reason_of(error))
    return None, Problem(str(path), f"has {size} bytes; the setting maxFileBytes allows {max_bytes}")


def open_without_waiting(path: Path) -> BinaryIO:
    """Open a file for reading, even if a pipe without a writer has just taken its place."""
    # POSIX has the flag; Windows has no pipes among the files of a folder.
    without_waiting = getattr(os, "O_NONBLOCK", 0)
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | without_waiting))


@lru_cache(65_536)
def path_in(folder: Path, name: str) -> Path:
    """The path of a name in a folder; the same one each time, since making thousands takes milliseconds."""
    return folder / name


def is_absent(path: Path) -> bool:
    """Whether there is nothing at `path`, so that a store is not missed but does not exist.

    Not so where it cannot be told, or where a link on the way, or `path` itself, has lost its target: that is
    a store which cannot be read just now, on a drive that is not mounted for instance.
    """
    for place in (path, *path.parents):
        try:
            found = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return False
        return place != path and (not stat.S_ISLNK(found.st_mode) or is_there(place))
    return True


def is_by_product(name: str) -> bool:
    """Whether a file name is that of an Emacs lock or of a macOS resource fork beside the real file.

    The first is a link to nowhere, the second is not text; both end like the file that they belong to.
    """
    return name.startswith((".#", "._"))


def reason_of(error: OSError) -> str:
    """An operating-system error in a few words, without the path that stands beside it."""
    return (error.strerror or type(error).__name__).lower()
