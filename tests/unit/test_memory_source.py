"""Keepers' memory: which snapshots are read, what a snapshot may look like, and what makes it unreadable."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from files_on_disk import link
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import BoundFact, Fact, Listing, Problem
from lsp_server.sources.layout import MascLayout, masc_layout
from lsp_server.sources.memory import list_snapshots, memory_id, read_snapshot

FACT = {"claim": "Deploys need a clean clock.", "category": "constraint", "first_seen": 1756000000.0}
NEWER_FACT = {
    **FACT,
    "last_seen": 1756000009,
    "origin": {"kind": "authored", "trace_id": "t-1"},
    "basis": {"kind": "derived", "derivations": [{"rule_id": "r", "premise_ids": ["sha256:00"]}]},
    "reinforcement": 3,
}
SHA = "ab" * 32
BOUND = {
    "claim": "Retries are five.",
    "first_seen": 5,
    "source": {"kind": "file", "path": "a.toml", "sha256": SHA},
}


def snapshot(*facts: Any, **more: Any) -> dict[str, Any]:
    return {
        "revision": 1,
        "updated_at": 1756000000.0,
        "source": {"kind": "librarian", "trace_id": "t", "generation": 0},
        "facts": list(facts),
        "change": {"added": [], "removed": [], "retained": len(facts)},
        **more,
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def layout(tmp_path: Path) -> MascLayout:
    return masc_layout(tmp_path, {})


def names(listing: Listing) -> list[str]:
    return [path.name for path in listing.files]


# Which snapshots are read


def test_without_a_folder_there_is_no_store(layout: MascLayout) -> None:
    assert list_snapshots(layout, None) == Listing()


def test_an_empty_folder_is_an_empty_store(layout: MascLayout) -> None:
    layout.keepers[0].mkdir(parents=True)
    assert list_snapshots(layout, None) == Listing(locations=(str(layout.keepers[0]),))


def test_every_keeper_is_read_sorted_by_name_and_the_ordinary_facts_before_the_bound_ones(
    layout: MascLayout,
) -> None:
    for name in (
        "b.memory-current.json",
        "a.memory-source-current.json",
        "a-b.memory-current.json",
        "a.memory-current.json",
        "한.memory-current.json",
    ):
        write(layout.keepers[0] / name, snapshot())
    assert names(list_snapshots(layout, None)) == [
        "a.memory-current.json",
        "a.memory-source-current.json",
        "a-b.memory-current.json",
        "b.memory-current.json",
        "한.memory-current.json",
    ]


def test_no_other_name_is_read(layout: MascLayout) -> None:
    for name in (
        "k.memory-current.json.rejected-1756000000",
        "k.memory-current.json.rejected-1756000000-2",
        "k.memory-current.json.lock",
        "k.memory-current.json.tmp",
        "k.memory-journal.jsonl",
        "k.memory-absorbed.jsonl",
        "k.memory-events.jsonl",
        "k.facts.jsonl",
        "_shared.facts.jsonl",
        "memory-current.json",
        ".memory-current.json",
        ".memory-source-current.json",
        "._k.memory-current.json",
        ".#k.memory-current.json",
        "k.toml",
    ):
        write(layout.keepers[0] / name, snapshot())
    assert names(list_snapshots(layout, None)) == []


def test_one_keeper_is_exactly_that_keeper(layout: MascLayout) -> None:
    for name in (
        "a.memory-current.json",
        "a.memory-source-current.json",
        "aa.memory-current.json",
        "a.b.memory-current.json",
        "b.memory-current.json",
    ):
        write(layout.keepers[0] / name, snapshot())
    assert names(list_snapshots(layout, "a")) == ["a.memory-current.json", "a.memory-source-current.json"]
    assert names(list_snapshots(layout, "a.b")) == ["a.b.memory-current.json"]


def test_a_configured_keeper_without_memory_is_named_and_not_merely_absent(layout: MascLayout) -> None:
    assert list_snapshots(layout, "nobody") == Listing()
    write(layout.keepers[0] / "a.memory-current.json", snapshot())
    (problem,) = list_snapshots(layout, "nobody").problems
    assert problem == Problem(str(layout.keepers[0]), "no memory of the configured keeper 'nobody'")


def test_the_older_folder_counts_only_for_names_that_the_newer_one_does_not_have(layout: MascLayout) -> None:
    newer, older = layout.keepers
    write(newer / "a.memory-current.json", snapshot())
    write(older / "a.memory-current.json", snapshot(FACT))
    write(older / "b.memory-current.json", snapshot(FACT))
    listing = list_snapshots(layout, None)
    assert listing.files == (newer / "a.memory-current.json", older / "b.memory-current.json")
    assert listing.locations == (str(newer), str(older))


def test_a_file_in_place_of_the_folder_is_named(layout: MascLayout) -> None:
    write(layout.keepers[0], b"")
    write(layout.keepers[1] / "a.memory-current.json", snapshot(FACT))
    listing = list_snapshots(layout, None)
    assert names(listing) == ["a.memory-current.json"]
    assert [problem.path for problem in listing.problems] == [str(layout.keepers[0])]


@pytest.mark.parametrize("broken", ["keepers", "config", ".masc"])
def test_a_broken_link_on_the_way_is_named_and_not_absent(tmp_path: Path, broken: str) -> None:
    layout = masc_layout(tmp_path, {})
    folder = layout.keepers[0]
    place = {"keepers": folder, "config": folder.parent, ".masc": folder.parent.parent}[broken]
    link(place, "nowhere")
    listing = list_snapshots(layout, None)
    assert listing.files == ()
    assert str(folder) in listing.locations
    assert str(folder) in [problem.path for problem in listing.problems]


# What a snapshot may look like


@pytest.mark.parametrize("row", [FACT, NEWER_FACT, {**FACT, "category": "harbour-lore"}])
def test_the_shapes_of_all_versions_are_read(tmp_path: Path, row: dict[str, Any]) -> None:
    file = write(tmp_path / "mira.memory-current.json", snapshot(row, something="new"))
    reading = read_snapshot(file)
    assert reading.problems == ()
    assert reading.documents == (
        Fact(
            text=FACT["claim"],  # type: ignore[arg-type]
            category=row["category"],
            first_seen=1756000000.0,
            memory_id="sha256:" + hashlib.sha256(b"Deploys need a clean clock.").hexdigest(),
            keeper="mira",
            path=str(file),
        ),
    )


def test_facts_keep_their_stored_order_and_a_claim_its_exact_text(tmp_path: Path) -> None:
    claims = ["zeta", "  alpha\n배포 😀 ", "é", "e\u0301"]
    file = write(tmp_path / "k.memory-current.json", snapshot(*({**FACT, "claim": c} for c in claims)))
    facts = [document for document in read_snapshot(file).documents if isinstance(document, Fact)]
    assert [fact.text for fact in facts] == claims
    assert len({fact.memory_id for fact in facts}) == len(claims)


def test_a_snapshot_without_facts_is_empty_and_searchable(tmp_path: Path) -> None:
    reading = read_snapshot(write(tmp_path / "k.memory-current.json", snapshot()))
    assert (reading.documents, reading.problems, reading.searchable) == ((), (), True)


@pytest.mark.parametrize(
    "row",
    [
        {"claim": "x"},
        {"claim": "x", "category": "fact", "first_seen": 1756000000},
        {"claim": "x", "category": "fact", "first_seen": None},
        {"claim": "x", "category": "fact", "first_seen": -1.5},
    ],
)
def test_what_an_unknown_version_may_leave_out_or_write_otherwise(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    reading = read_snapshot(write(tmp_path / "k.memory-current.json", snapshot(row)))
    assert reading.problems == ()
    assert [document.text for document in reading.documents if isinstance(document, Fact)] == ["x"]


def test_numbers_that_are_not_needed_may_be_of_any_size(tmp_path: Path) -> None:
    text = '{"revision":%s,"updated_at":1e999,"facts":[{"claim":"x"}]}' % ("9" * 6000)
    assert len(read_snapshot(write(tmp_path / "k.memory-current.json", text)).documents) == 1


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        file = write(tmp_path / "k.memory-current.json", json.dumps(snapshot(FACT)).encode(encoding))
        assert len(read_snapshot(file).documents) == 1


def test_a_bound_fact_carries_its_source(tmp_path: Path) -> None:
    upper = {**BOUND, "claim": "b", "source": {"path": "b.toml", "sha256": "sha256:" + SHA.upper()}}
    file = write(tmp_path / "k.memory-source-current.json", {"facts": [BOUND, upper], "invalidations": []})
    reading = read_snapshot(file)
    assert reading.problems == ()
    assert [
        (document.source_path, document.sha256, document.fact.keeper, document.fact.category)
        for document in reading.documents
        if isinstance(document, BoundFact)
    ] == [("a.toml", SHA, "k", "fact"), ("b.toml", SHA, "k", "fact")]


def test_a_claim_that_is_no_valid_unicode_has_an_id_too() -> None:
    assert memory_id("\ud800") != memory_id("\ud801")


# What makes it unreadable: never empty, never partial

GOOD = json.dumps(FACT)
BAD = {
    "empty file": b"",
    "only white space": b" \n",
    "cut off": json.dumps(snapshot(FACT))[:-3].encode(),
    "something after the end": json.dumps(snapshot(FACT)).encode() + b"{}",
    "no object": b"[]",
    "null": b"null",
    "no facts": b"{}",
    "facts are null": b'{"facts":null}',
    "facts are an object": b'{"facts":{}}',
    "a fact is text": f'{{"facts":[{GOOD},"x"]}}'.encode(),
    "a fact without a claim": f'{{"facts":[{GOOD},{{}}]}}'.encode(),
    "a blank claim": f'{{"facts":[{GOOD},{{"claim":" \\n"}}]}}'.encode(),
    "a claim that is a number": f'{{"facts":[{GOOD},{{"claim":5}}]}}'.encode(),
    "a category that is a list": f'{{"facts":[{GOOD},{{"claim":"x","category":[]}}]}}'.encode(),
    "a category that is null": f'{{"facts":[{GOOD},{{"claim":"x","category":null}}]}}'.encode(),
    "first_seen is text": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":"y"}}]}}'.encode(),
    "first_seen is true": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":true}}]}}'.encode(),
    "first_seen is NaN": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":NaN}}]}}'.encode(),
    "first_seen is infinite": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":1e999}}]}}'.encode(),
    "first_seen of 400 digits": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":{"9" * 400}}}]}}'.encode(),
    "first_seen of 5000 digits": f'{{"facts":[{GOOD},{{"claim":"x","first_seen":{"9" * 5000}}}]}}'.encode(),
    "the same claim twice": f'{{"facts":[{GOOD},{GOOD}]}}'.encode(),
    "a field twice": f'{{"facts":[{GOOD}],"facts":[]}}'.encode(),
    "a field of a fact twice": b'{"facts":[{"claim":"x","claim":"y"}]}',
    "bytes that are not UTF-8": f'{{"facts":[{GOOD},{{"claim":"'.encode() + b'\xff"}]}',
    "nested too deeply": b"[" * 200_000,
    "fields nested too deeply": b'{"facts":' * 200_000,
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD.keys())
def test_any_error_makes_the_whole_snapshot_unreadable(tmp_path: Path, content: bytes) -> None:
    file = write(tmp_path / "k.memory-current.json", content)
    reading = read_snapshot(file)
    assert reading.documents == ()
    assert not reading.searchable
    assert [problem.path for problem in reading.problems] == [str(file)]
    assert "\n" not in reading.problems[0].reason


@pytest.mark.parametrize(
    "source",
    [
        None,
        "a.toml",
        {},
        {"path": "a.toml"},
        {"sha256": SHA},
        {"path": " ", "sha256": SHA},
        {"path": 5, "sha256": SHA},
        {"path": "a.toml", "sha256": 5},
        {"path": "a.toml", "sha256": SHA[:-1]},
        {"path": "a.toml", "sha256": SHA[:-1] + "g"},
        {"path": "a.toml", "sha256": "sha512:" + SHA},
        {"path": "a.toml", "sha256": "٣" * 64},
    ],
)
def test_a_bound_fact_without_a_sound_source_makes_its_store_unreadable(tmp_path: Path, source: Any) -> None:
    content = {"facts": [BOUND, {**BOUND, "claim": "y", "source": source}]}
    reading = read_snapshot(write(tmp_path / "k.memory-source-current.json", content))
    assert (reading.documents, reading.searchable, len(reading.problems)) == ((), False, 1)


def test_a_folder_in_place_of_a_snapshot_is_named(layout: MascLayout) -> None:
    (layout.keepers[0] / "k.memory-current.json").mkdir(parents=True)
    (file,) = list_snapshots(layout, None).files
    reading = read_snapshot(file)
    assert not reading.searchable
    assert [problem.path for problem in reading.problems] == [str(file)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["claim", "category", "first_seen", "source", "path", "sha256"]), inner
        )
    ),
    max_leaves=8,
)
rows = st.fixed_dictionaries(
    {},
    optional={
        "claim": json_values,
        "category": json_values,
        "first_seen": json_values,
        "source": st.fixed_dictionaries(
            {}, optional={"path": json_values, "sha256": json_values | st.just(SHA)}
        ),
    },
)


@pytest.mark.parametrize("kind", ["memory-current", "memory-source-current"])
@given(content=st.fixed_dictionaries({"facts": st.lists(rows | json_values, max_size=4)}) | json_values)
def test_no_json_makes_it_raise_or_gives_a_part(
    tmp_path_factory: pytest.TempPathFactory, kind: str, content: Any
) -> None:
    file = write(tmp_path_factory.getbasetemp() / f"any.{kind}.json", json.dumps(content))
    reading = read_snapshot(file)
    assert reading.searchable is not bool(reading.problems)
    if reading.searchable:
        assert len(reading.documents) == len(content["facts"])
    else:
        assert reading.documents == ()


@pytest.mark.parametrize("kind", ["memory-current", "memory-source-current"])
@given(content=st.binary() | st.text('{}[]",:1e-truefalsn \\u').map(str.encode))
def test_no_bytes_make_it_raise(tmp_path_factory: pytest.TempPathFactory, kind: str, content: bytes) -> None:
    reading = read_snapshot(write(tmp_path_factory.getbasetemp() / f"any.{kind}.json", content))
    assert reading.documents == () and not reading.searchable and len(reading.problems) == 1
