"""Keepers' current memory: `<keeper>.memory-current.json` and `<keeper>.memory-source-current.json`.

A snapshot is read whole or not at all: any error in it makes it unreadable, never empty or partial
(spec/masc.md §1.4). Fields that this reader does not know are left alone, since real files span versions.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsp_server.core.model import BoundFact, Fact, Listing, Problem, Reading
from lsp_server.core.on_disk import is_folder
from lsp_server.sources.layout import MascLayout
from lsp_server.sources.text_file import is_absent, is_by_product, path_in, read_text, reason_of

CURRENT_SUFFIX = ".memory-current.json"
BOUND_SUFFIX = ".memory-source-current.json"
DEFAULT_CATEGORY = "fact"


class SnapshotError(ValueError):
    """What makes a snapshot unreadable, in a few words."""


def list_snapshots(layout: MascLayout, keeper: str | None) -> Listing:
    """Every keeper's snapshot files sorted by name, or only `keeper`'s.

    The same file name in a later folder is a left-over of an earlier layout and not read.
    """
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    locations: list[str] = []
    for folder in layout.keepers:
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208 - there are many, and only their names are needed
        except OSError as error:
            if not is_absent(folder):
                problems.append(Problem(str(folder), reason_of(error)))
                locations.append(str(folder))
            continue
        wanted = [name for name in names if _is_snapshot_of(name, keeper)]
        if wanted or keeper is None:
            locations.append(str(folder))
        for name in wanted:
            found.setdefault(name, path_in(folder, name))
    if keeper is not None and not found and not problems:
        reason = f"no memory of the configured keeper {keeper!r}"
        problems = [Problem(str(folder), reason) for folder in layout.keepers if is_folder(folder)][:1]
    ordered = sorted(found, key=lambda name: (keeper_of(name), name))
    return Listing(tuple(found[name] for name in ordered), tuple(locations), tuple(problems))


def keeper_of(name: str) -> str:
    """The keeper whose snapshot a file name is."""
    suffix = BOUND_SUFFIX if name.endswith(BOUND_SUFFIX) else CURRENT_SUFFIX
    return name[: -len(suffix)]


def read_snapshot(path: Path) -> Reading[Fact | BoundFact]:
    """The facts of one snapshot of either kind, in stored order (spec/masc.md §1.2 and §1.6)."""
    text, problem = read_text(path)
    if text is None or problem is not None:
        return Reading(problems=(problem,) if problem else (), searchable=False)
    try:
        snapshot = _parse_object(text)
        if path.name.endswith(BOUND_SUFFIX):
            return Reading(tuple(_bound_facts(snapshot, path)))
        return Reading(tuple(_facts(snapshot, path)))
    except SnapshotError as error:
        return Reading(problems=(Problem(str(path), f"not a memory snapshot: {error}"),), searchable=False)


def memory_id(claim: str) -> str:
    """`sha256:` and the hash of the claim's UTF-8 bytes; derived, never stored."""
    return "sha256:" + hashlib.sha256(claim.encode("utf-8", "surrogatepass")).hexdigest()


def _is_snapshot_of(name: str, keeper: str | None) -> bool:
    if not name.endswith((CURRENT_SUFFIX, BOUND_SUFFIX)) or is_by_product(name):
        return False
    owner = keeper_of(name)
    return bool(owner) if keeper is None else owner == keeper


def _facts(snapshot: dict[str, Any], path: Path) -> Iterator[Fact]:
    seen: set[str] = set()
    for row in _rows(snapshot):
        fact = _fact(row, path)
        if fact.memory_id in seen:
            raise SnapshotError(f"the claim {fact.text[:40]!r} stands in it twice")
        seen.add(fact.memory_id)
        yield fact


def _bound_facts(snapshot: dict[str, Any], path: Path) -> Iterator[BoundFact]:
    for row in _rows(snapshot):
        source = row.get("source")
        if not isinstance(source, dict):
            raise SnapshotError("a source-bound fact has no source")
        source_path, digest = source.get("path"), source.get("sha256")
        if not isinstance(source_path, str) or not source_path.strip():
            raise SnapshotError("a source-bound fact has no source path")
        if not isinstance(digest, str) or not _is_digest(digest.removeprefix("sha256:")):
            raise SnapshotError(f"the sha256 of {source_path!r} is none")
        yield BoundFact(_fact(row, path), source_path, digest.removeprefix("sha256:").lower())


def _rows(snapshot: dict[str, Any]) -> list[dict[str, Any]]:
    rows = snapshot.get("facts")
    if not isinstance(rows, list):
        raise SnapshotError("it has no list of facts")
    if not all(isinstance(row, dict) for row in rows):
        raise SnapshotError("a fact is not an object")
    return rows


def _fact(row: dict[str, Any], path: Path) -> Fact:
    claim = row.get("claim")
    if not isinstance(claim, str) or not claim.strip():
        raise SnapshotError("a fact has no claim")
    category = row.get("category", DEFAULT_CATEGORY)
    if not isinstance(category, str):
        raise SnapshotError(f"the category of {claim[:40]!r} is not text")
    first_seen = row.get("first_seen")
    if first_seen is not None and (not isinstance(first_seen, float) or not math.isfinite(first_seen)):
        raise SnapshotError(f"first_seen of {claim[:40]!r} is not a number")
    return Fact(
        text=claim,
        category=category,
        first_seen=first_seen,
        memory_id=memory_id(claim),
        keeper=keeper_of(path.name),
        path=str(path),
    )


def _is_digest(text: str) -> bool:
    return len(text) == 64 and all(character in "0123456789abcdefABCDEF" for character in text)


def _parse_object(text: str) -> dict[str, Any]:
    try:
        # Every number as a float: Python refuses to read, or to compare, integers that are very long.
        value = json.loads(text, parse_int=float, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise SnapshotError(
            f"invalid JSON at line {error.lineno}: {error.msg.removesuffix(' starting at')}"
        ) from error
    except RecursionError as error:
        raise SnapshotError("its JSON is nested too deeply") from error
    if not isinstance(value, dict):
        raise SnapshotError("it is not an object")
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise SnapshotError("a field stands in it twice")
    return value
