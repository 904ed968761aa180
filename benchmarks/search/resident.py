"""Resident memory of this process, told apart by what backs it."""

from __future__ import annotations

import re
from pathlib import Path

_SMAPS = Path("/proc/self/smaps")
_HEADER = re.compile(rb"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$")
_FIELD = re.compile(rb"^(Rss|Anonymous): +([0-9]+) kB$")


def resident_bytes() -> dict[str, int | None]:
    """`private`: what only this process has and nothing can drop; `mapped`: pages of files, libraries included.

    A page of a mapped file that was written to is private. Where the system does not tell them apart, `private` is
    all that is resident, by psutil, and `mapped` is not known.
    """
    if not _SMAPS.exists():
        import psutil

        return {"private": psutil.Process().memory_info().rss, "mapped": None}
    private = mapped = 0
    is_file = False
    resident = 0
    for line in _SMAPS.read_bytes().splitlines():
        if field := _FIELD.match(line):
            size = int(field[2]) * 1024
            if field[1] == b"Rss":
                resident = size
            else:
                private += size if is_file else resident
                mapped += resident - size if is_file else 0
        elif header := _HEADER.match(line):
            is_file = header[1].startswith(b"/")
    return {"private": private, "mapped": mapped}
