"""A file is read as it was written, or not at all."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from indexed import numbers, text_entry

from lsp_server.core.index.segment import Segment
from lsp_server.core.index.segment_file import DamagedFileError, read_segment, write_segment
from lsp_server.core.matching import Term

BLOCK = 4_096
META = [["a", None, 1.5, True], {"서버": ["\ud83d", "😀"]}]


def written(arrays: dict[str, Any], meta: object = None) -> bytes:
    file = io.BytesIO()
    write_segment(file, arrays, meta)
    return file.getvalue()


def read(folder: Path, content: bytes) -> tuple[dict[str, Any], Any]:
    """What a file of its own is read as; one that is mapped must not be written again."""
    handle, path = mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    return read_segment(Path(path))


def header_size(content: bytes) -> int:
    return 24 + int.from_bytes(content[8:16], "little")


@pytest.fixture(scope="module")
def segment() -> Segment:
    return Segment.of(
        [text_entry(f"document {number} of the 서버 {number * number}") for number in range(400)]
    )


@pytest.fixture(scope="module")
def content(segment: Segment) -> bytes:
    return written(segment.arrays(), META)


def test_a_segment_comes_back_as_it_was(segment: Segment, content: bytes, tmp_path: Path) -> None:
    arrays, meta = read(tmp_path, content)
    assert meta == META
    before = segment.arrays()
    assert arrays.keys() == before.keys()
    for name, array in arrays.items():
        assert array.dtype == before[name].dtype
        assert np.array_equal(array, before[name])
        assert not array.flags.writeable or not len(array)
    back = Segment.read(arrays)
    for needle in ("서버 16", "document", "of the", "no"):
        assert numbers(back.holding(Term(needle))) == numbers(segment.holding(Term(needle)))


dtypes = st.sampled_from(["|u1", "<u2", "<u4", "<u8", "<i8", "<f8"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.text(max_size=5), st.tuples(dtypes, st.integers(0, 200)), max_size=6),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
        max_leaves=8,
    ),
)
def test_arrays_of_every_type_and_length_come_back(
    tmp_path: Path, shapes: dict[str, tuple[str, int]], meta: object
) -> None:
    before = {name: np.arange(count).astype(kind) for name, (kind, count) in shapes.items()}
    arrays, read_meta = read(tmp_path, written(before, meta))
    assert read_meta == json.loads(json.dumps(meta))
    assert arrays.keys() == before.keys()
    for name, array in arrays.items():
        assert (array.dtype.str, array.tolist()) == (before[name].dtype.str, before[name].tolist())


def test_a_file_that_was_cut_short_anywhere_is_damaged(content: bytes, tmp_path: Path) -> None:
    assert len(content) > 10 * BLOCK
    edges = {cut + off for cut in range(0, len(content), BLOCK) for off in (-1, 0, 1)}
    edges |= {*range(32), header_size(content) - 1, header_size(content), header_size(content) + 1}
    for length in sorted(edges | {len(content) - 1}):
        if 0 <= length < len(content):
            with pytest.raises(DamagedFileError):
                read(tmp_path, content[:length])


@pytest.mark.parametrize("more", [1, 63, 64, BLOCK])
def test_a_file_that_has_grown_is_damaged(content: bytes, tmp_path: Path, more: int) -> None:
    with pytest.raises(DamagedFileError):
        read(tmp_path, content + bytes(more))


def test_a_flipped_bit_in_any_byte_of_the_header_is_found(content: bytes, tmp_path: Path) -> None:
    for at in range(header_size(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(DamagedFileError):
            read(tmp_path, bytes(damaged))


def test_a_flipped_bit_in_any_block_is_found_or_does_not_matter(content: bytes, tmp_path: Path) -> None:
    arrays, meta = read(tmp_path, content)
    ignored = 0
    for at in sorted({*range(0, len(content), BLOCK), *range(37, len(content), BLOCK), len(content) - 1}):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        try:
            other, other_meta = read(tmp_path, bytes(damaged))
        except DamagedFileError:
            continue
        # Between two arrays there is nothing but zeros.
        assert content[at] == 0
        assert other_meta == meta
        assert all(np.array_equal(other[name], arrays[name]) for name in arrays)
        ignored += 1
    assert ignored <= 3


def test_a_flipped_bit_in_any_byte_of_an_array_is_found(tmp_path: Path) -> None:
    """Arrays of 64 bytes leave no room between them."""
    arrays = {"first": np.arange(64, dtype=np.uint8), "second": np.zeros(8, np.uint64), "third": np.ones(8)}
    content = written(arrays)
    for at in range(len(content) - 3 * 64, len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(DamagedFileError):
            read(tmp_path, bytes(damaged))


def test_blocks_that_changed_their_places_are_found(content: bytes, tmp_path: Path) -> None:
    swapped = (
        content[:BLOCK] + content[2 * BLOCK : 3 * BLOCK] + content[BLOCK : 2 * BLOCK] + content[3 * BLOCK :]
    )
    zeroed = content[: 2 * BLOCK] + bytes(BLOCK) + content[3 * BLOCK :]
    for damaged in (swapped, zeroed, bytes(len(content))):
        with pytest.raises(DamagedFileError):
            read(tmp_path, damaged)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(lambda data: b"PRIORART" + data)))
def test_a_file_of_another_program_is_no_segment(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read(tmp_path, content)


@pytest.mark.parametrize("magic", [b"PRIORARS", b"priorart", b"\x00" * 8, b"\x89PNG\r\n\x1a\n"])
def test_another_magic_is_no_segment(content: bytes, tmp_path: Path, magic: bytes) -> None:
    with pytest.raises(DamagedFileError):
        read(tmp_path, magic + content[8:])


@pytest.mark.parametrize("size", [0, 1 << 62, (1 << 64) - 1])
def test_a_header_of_an_impossible_size_is_damaged(content: bytes, tmp_path: Path, size: int) -> None:
    with pytest.raises(DamagedFileError):
        read(tmp_path, content[:8] + size.to_bytes(8, "little") + content[16:])


def test_what_is_no_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=path.name):
            read_segment(path)
