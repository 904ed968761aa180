"""Reading one text file so that nothing in it can stop the index (spec/field-notes.md §2 items 25 and 30)."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from lsp_server.core.model import Problem

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
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
    encoding = "utf-8"
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], name
            break
    try:
        return _unify_line_ends(data.decode(encoding)), None
    except UnicodeDecodeError as error:
        reason = f"not valid {encoding.upper()} at byte {error.start}; what could not be read was replaced"
        return _unify_line_ends(data.decode(encoding, errors="replace")), Problem(str(path), reason)


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, max_bytes: int | None = None) -> tuple[bytes | None, Problem | None]:
    """The bytes of a regular file, of at most `max_bytes` where that is given, or why there are none."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None, Problem(str(path), "not a regular file")
            if max_bytes is not None and status.st_size > max_bytes:
                return None, Problem(
                    str(path), f"has {status.st_size} bytes; the setting maxFileBytes allows {max_bytes}"
                )
            return file.read(), None
    except OSError as error:
        return None, Problem(str(path), reason_of(error))


def reason_of(error: OSError) -> str:
    """An operating-system error in a few words, without the path that stands beside it."""
    return (error.strerror or type(error).__name__).lower()
