"""A source-bound fact holds while the file it was taken from has the given content."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest
from files_on_disk import link
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import BoundFact, Fact
from lsp_server.core.source import Verdict
from lsp_server.sources.verification import MAX_SOURCE_BYTES, verify, verify_all

CONTENT = b"retries = 5\n"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def bound(source_path: str, content: bytes = CONTENT) -> BoundFact:
    return BoundFact(Fact("claim", "fact", None, "sha256:0", "k", "k.json"), source_path, digest(content))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "base"
    (base / "src").mkdir(parents=True)
    (base / "src" / "retry.toml").write_bytes(CONTENT)
    return base


@pytest.mark.parametrize(
    "path", ["src/retry.toml", "./src/retry.toml", "src/../src/retry.toml", "src//retry.toml"]
)
def test_the_same_content_is_verified(base: Path, path: str) -> None:
    assert verify(base, bound(path)) == "verified"


def test_an_absolute_path_below_the_base_is_verified(base: Path) -> None:
    assert verify(base, bound(str(base / "src" / "retry.toml"))) == "verified"


def test_the_hash_is_of_the_raw_bytes(base: Path) -> None:
    content = b"\xef\xbb\xbfa\r\nb\xff"
    (base / "raw").write_bytes(content)
    assert verify(base, bound("raw", content)) == "verified"


def test_an_empty_file_can_be_verified(base: Path) -> None:
    (base / "empty").write_bytes(b"")
    assert verify(base, bound("empty", b"")) == "verified"


def test_changed_content_is_invalidated(base: Path) -> None:
    (base / "src" / "retry.toml").write_bytes(b"retries = 6\n")
    assert verify(base, bound("src/retry.toml")) == "invalidated"


def test_a_change_is_seen_even_if_size_and_time_stay_the_same(base: Path) -> None:
    file = base / "src" / "retry.toml"
    before = file.stat()
    assert verify(base, bound("src/retry.toml")) == "verified"
    file.write_bytes(b"retries = 6\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert verify(base, bound("src/retry.toml")) == "invalidated"
    file.write_bytes(CONTENT)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert verify(base, bound("src/retry.toml")) == "verified"


@pytest.mark.parametrize("path", ["gone.toml", "no/such/folder.toml"])
def test_a_missing_file_is_invalidated(base: Path, path: str) -> None:
    assert verify(base, bound(path)) == "invalidated"


@pytest.mark.parametrize("path", ["src", ".", "src/.."])
def test_a_folder_is_invalidated(base: Path, path: str) -> None:
    assert verify(base, bound(path)) == "invalidated"


@pytest.mark.parametrize(
    ("size", "expected"), [(MAX_SOURCE_BYTES, "verified"), (MAX_SOURCE_BYTES + 1, "invalidated")]
)
def test_one_byte_more_than_the_limit_is_invalidated(base: Path, size: int, expected: Verdict) -> None:
    content = b"x" * size
    (base / "large").write_bytes(content)
    assert MAX_SOURCE_BYTES == 1_048_576
    assert verify(base, bound("large", content)) == expected


@pytest.mark.parametrize("path", ["../outside", "src/../../outside", "a\0b"])
def test_a_path_that_is_not_below_the_base_is_unverified(base: Path, path: str) -> None:
    (base.parent / "outside").write_bytes(CONTENT)
    assert verify(base, bound(path)) == "unverified"


def test_an_absolute_path_elsewhere_is_unverified(base: Path) -> None:
    (base.parent / "outside").write_bytes(CONTENT)
    assert verify(base, bound(str(base.parent / "outside"))) == "unverified"


def test_a_sibling_that_merely_begins_like_the_base_is_unverified(base: Path) -> None:
    (base.parent / "base-2").write_bytes(CONTENT)
    assert verify(base, bound("../base-2")) == "unverified"


def test_a_link_out_of_the_base_is_unverified(base: Path) -> None:
    (base.parent / "outside").write_bytes(CONTENT)
    link(base / "out", base.parent / "outside")
    assert verify(base, bound("out")) == "unverified"


def test_a_link_inside_the_base_is_followed(base: Path) -> None:
    link(base / "in", base / "src" / "retry.toml")
    assert verify(base, bound("in")) == "verified"


def test_a_base_that_is_itself_a_link_is_followed(base: Path) -> None:
    assert verify(link(base.parent / "alias", base), bound("src/retry.toml")) == "verified"


def test_a_loop_of_links_gives_no_answer(base: Path) -> None:
    link(base / "loop", "loop")
    assert verify(base, bound("loop")) == "unverified"


@pytest.mark.skipif(os.name == "nt", reason="both are merely missing there")
@pytest.mark.parametrize("path", ["src/retry.toml/deeper", "x" * 5000])
def test_a_read_error_other_than_missing_gives_no_answer(base: Path, path: str) -> None:
    assert verify(base, bound(path)) == "unverified"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_is_invalidated_and_not_waited_for(base: Path) -> None:
    os.mkfifo(base / "pipe")
    verdicts: list[Verdict] = []
    asking = threading.Thread(target=lambda: verdicts.append(verify(base, bound("pipe"))), daemon=True)
    asking.start()
    asking.join(5)
    assert verdicts == ["invalidated"]


@given(st.text(st.characters(codec=None), max_size=40))
def test_no_path_makes_it_raise_or_verifies_what_it_should_not(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    base = tmp_path_factory.getbasetemp() / "any-base"
    base.mkdir(exist_ok=True)
    assert verify(base, bound(path)) in ("invalidated", "unverified")


def test_facts_of_one_file_have_their_own_verdicts(base: Path) -> None:
    same, other, gone = bound("src/retry.toml"), bound("src/retry.toml", b"another content"), bound("no/file")
    verdicts = verify_all(base, (same, other, gone))
    assert verdicts == {fact: verify(base, fact) for fact in (same, other, gone)}
    assert [verdicts[fact] for fact in (same, other, gone)] == ["verified", "invalidated", "invalidated"]
