"""A document comes back from its record as it was."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.model import (
    BoundFact,
    Comment,
    Contract,
    Fact,
    Page,
    Post,
    PostRow,
    UnitWork,
    WorkPlan,
)
from lsp_server.core.search_board import read_row
from lsp_server.core.search_kg import PlannedUnit, read_contract
from lsp_server.core.search_memory import read_fact

text = st.text(
    st.one_of(st.sampled_from('\ud83d\ude00\udcff\u0000\u2028"\\[]{},\n서é'), st.characters()), max_size=12
)
number = st.floats(allow_nan=False)
whole = st.integers(-(10**308), 10**308)

facts = st.builds(Fact, text, text, st.none() | number, text, text, text)
posts = st.builds(Post, text, text, st.none() | text, text, number, whole, whole, text, whole)
contracts = st.builds(Contract, text, text, text)
states = st.sampled_from(["SUCCESS", "FAILURE", "—"])
tuples_of_text = st.lists(text, max_size=3).map(tuple)
units = st.builds(
    UnitWork, whole, text, text, states, contracts, tuples_of_text, st.none() | text, text, whole
)
plans = st.builds(
    WorkPlan,
    text,
    text,
    text,
    states,
    st.sampled_from(["archive", "live"]),
    st.none() | text,
    text,
    st.lists(units, max_size=2).map(tuple),
)
documents = st.one_of(
    facts,
    st.builds(BoundFact, facts, text, text),
    st.builds(Page, text, text, whole),
    st.builds(PostRow, posts, text, number),
    st.builds(Comment, text, text, number),
    plans,
    st.builds(PlannedUnit, plans, units),
)

EMPTY_FACT = Fact("", "", None, "", "", "")
EMPTY_POST = Post("", "", None, "", 0.0, 0, 0, "", 0)
EMPTY_UNIT = UnitWork(0, "", "", "—", Contract("", "", ""), (), None, "", 0)
EMPTY_PLAN = WorkPlan("", "", "", "—", "live", None, "", ())


@settings(max_examples=300, deadline=None)
@given(documents)
@example(EMPTY_FACT)
@example(BoundFact(EMPTY_FACT, "", ""))
@example(Page("", "", 0))
@example(PostRow(EMPTY_POST, "", 0.0))
@example(Comment("", "", 0.0))
@example(EMPTY_PLAN)
@example(PlannedUnit(dataclasses.replace(EMPTY_PLAN, units=(EMPTY_UNIT, EMPTY_UNIT)), EMPTY_UNIT))
@example(dataclasses.replace(EMPTY_FACT, text="\ud83d\ude00", first_seen=1e-300))
@example(dataclasses.replace(EMPTY_FACT, text="😀", first_seen=float("inf")))
@example(dataclasses.replace(EMPTY_FACT, first_seen=0.1 + 0.2))
@example(dataclasses.replace(EMPTY_UNIT, tags=("", "a", "\ud83d")))
@example(dataclasses.replace(EMPTY_UNIT, tags=("",), result=""))
def test_a_document_comes_back_equal_and_of_the_same_types(document: Any) -> None:
    back = from_record(type(document), to_record(document))
    assert back == document
    assert repr(back) == repr(document)
    assert hash(back) == hash(document)


def test_two_lone_surrogates_are_not_the_character_that_a_pair_of_them_means() -> None:
    two, one = (dataclasses.replace(EMPTY_FACT, text=text) for text in ("\ud83d\ude00", "😀"))
    assert to_record(two) != to_record(one)
    assert from_record(Fact, to_record(two)) == two != one


@settings(deadline=None)
@given(documents)
def test_the_record_itself_tells_which_of_a_stores_two_kinds_it_is(document: Any) -> None:
    readers: list[tuple[tuple[type, ...], Any]] = [
        ((Fact, BoundFact), read_fact),
        ((PostRow, Comment), read_row),
        ((PlannedUnit, WorkPlan), read_contract),
    ]
    for kinds, read in readers:
        if isinstance(document, kinds):
            assert read(to_record(document)) == document


@settings(max_examples=50, deadline=None)
@given(documents)
def test_a_record_is_one_line_of_bytes_without_the_separator(document: Any) -> None:
    record = to_record(document)
    assert b"\n" not in record and b"\xff" not in record


@pytest.mark.parametrize("kind", [Fact, BoundFact, Page, PostRow, Comment, WorkPlan, PlannedUnit, UnitWork])
def test_every_field_is_of_a_kind_that_records_can_hold(kind: Any) -> None:
    """A dict or a set would come back as something else, and a dataclass or `None` as a bare list."""
    for field, hint in get_type_hints(kind).items():
        for choice in get_args(hint) or (hint,):
            is_plain = choice in (str, int, float, bool, type(None), ...) or isinstance(choice, str)
            assert is_plain or dataclasses.is_dataclass(choice), field
        assert not (type(None) in get_args(hint) and any(map(dataclasses.is_dataclass, get_args(hint)))), (
            field
        )


@pytest.mark.parametrize("record", [b'["a"]', b'["","",null,"","","","too many"]'])
def test_a_record_of_another_shape_is_refused(record: bytes) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_record(Fact, record)
