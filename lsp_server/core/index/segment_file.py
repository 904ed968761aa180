"""A segment on disk: named arrays behind a header, mapped into memory when read.

Layout: eight bytes that say what this is, the length and the hash of the header as two little-endian 64-bit
numbers, the header as JSON, then the arrays, each at a multiple of 64 bytes. The header holds the type, place
and hash of each array. All hashes are checked when a file is opened, so a file that was cut short, or in
which a single bit changed, is never taken for a segment.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import stringzilla

from lsp_server.core.index.numbers import Numbers

_MAGIC = b"PRIORART"
_PREAMBLE = struct.Struct("<8sQQ")
_ALIGNMENT = 64


class DamagedFileError(ValueError):
    """The file is no segment, or no longer the one that was written."""


def write_segment(file: BinaryIO, arrays: Mapping[str, Numbers], meta: object) -> None:
    """Write arrays, and whatever JSON holds about them.

    Raises
    ------
    OSError
        As the file does; what was written is then of no use.
    """
    # The header names offsets from its own end, so that its length does not depend on them.
    offset = 0
    sections: dict[str, tuple[str, int, int, int]] = {}
    for name, array in arrays.items():
        sections[name] = array.dtype.str, len(array), offset, _hash(array)
        offset = _aligned(offset + array.nbytes)
    header = json.dumps({"sections": sections, "size": offset, "meta": meta}).encode()
    file.write(_PREAMBLE.pack(_MAGIC, len(header), _hash(header)))
    file.write(header)
    file.write(bytes(_start_of_sections(len(header)) - _PREAMBLE.size - len(header)))
    for array in arrays.values():
        file.write(np.ascontiguousarray(array).data)
        file.write(bytes(_aligned(array.nbytes) - array.nbytes))


def read_segment(path: Path) -> tuple[dict[str, Numbers], Any]:
    """The arrays and what was said about them. The arrays are views of the mapped file.

    Raises
    ------
    DamagedFileError
        It was not written by `write_segment`, or not to the end, or was changed since.
    OSError
        It could not be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _PREAMBLE.size:
            raise DamagedFileError("it is too short")
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        mapped = memoryview(pages)
    magic, header_size, header_hash = _PREAMBLE.unpack_from(mapped)
    header_bytes = mapped[_PREAMBLE.size : _PREAMBLE.size + header_size]
    if magic != _MAGIC or len(header_bytes) != header_size or _hash(header_bytes) != header_hash:
        raise DamagedFileError("its header is damaged")
    header = json.loads(bytes(header_bytes))
    start = _start_of_sections(header_size)
    if size != start + header["size"]:
        raise DamagedFileError("it was cut short")
    arrays: dict[str, Numbers] = {}
    for name, (kind, count, offset, expected) in header["sections"].items():
        array = np.frombuffer(mapped, np.dtype(kind), count, start + offset) if count else np.empty(0, kind)
        if _hash(array) != expected:
            raise DamagedFileError(f"{name} is damaged")
        arrays[name] = array
    if hasattr(mmap, "MADV_DONTNEED"):
        # Checking has touched every page; lookups touch few of them.
        pages.madvise(mmap.MADV_DONTNEED)
    return arrays, header["meta"]


def _start_of_sections(header_size: int) -> int:
    return _aligned(_PREAMBLE.size + header_size)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _hash(data: Any) -> int:
    return int(stringzilla.hash(memoryview(data).cast("B"))) if len(data) else 0
