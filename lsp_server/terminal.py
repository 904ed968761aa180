"""What a terminal, a pipe or another program gets: text that cannot steer it, and never a traceback."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lsp_server.core.model import Progress
from lsp_server.json_form import Json


def print_text(text: str) -> None:
    """Lines for a person."""
    with output():
        print(_visible(text))


def print_as_it_is(text: str) -> None:
    """A text with its own line ends and no other, so that chunks can be put together again."""
    with output():
        if sys.stdout is None:
            return
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="")  # Windows would write another line end.
        sys.stdout.write(_visible(text) if sys.stdout.isatty() else text)


def print_json(answer: Json) -> None:
    """JSON in one line, escaped, so that it survives every encoding and pipe."""
    with output():
        print(json.dumps(answer, ensure_ascii=True))


def complain(message: str) -> None:
    """Say in one line on stderr what is wrong."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"prior-art: {_visible(' '.join(message.split()))}", file=sys.stderr)


def _visible(text: str) -> str:
    """Text that cannot steer the terminal: what comes from stores is untrusted."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@contextmanager
def output() -> Iterator[None]:
    """Write to stdout what is printed inside, at the latest at the end.

    Whoever reads it may have seen enough and gone (EINVAL on Windows); that is no failure.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        # What is left over must not be written once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise


def write_utf8() -> None:
    """Write UTF-8 everywhere: a Windows console or a C locale would raise on Hangul, dashes and warning signs."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


class ProgressBar:
    """How far the reading of a large store is, on a terminal; nothing where stderr is none."""

    def __init__(self) -> None:
        self._bar: Any = None

    def show(self, root: Path, progress: Progress) -> None:
        """Draw it, and take it away at the end."""
        if self._bar is None:
            if sys.stderr is None or not sys.stderr.isatty():
                return
            from tqdm import tqdm

            self._bar = tqdm(
                desc=f"indexing {root.name}", unit="B", unit_scale=True, leave=False, file=sys.stderr
            )
        self._bar.total = progress.listed_bytes
        self._bar.update(progress.read_bytes - self._bar.n)
        if progress.is_complete:
            self._bar.close()
            self._bar = None
