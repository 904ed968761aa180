"""`search_kg`: which contracts answer a query, how well, and in which order (seeds/search-kg.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from operator import attrgetter
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexed import contract_index

from lsp_server.core.model import Contract, ContractMatch, Relevance, Scope, Shelf, State, UnitWork, WorkPlan
from lsp_server.core.search_kg import search_contracts
from lsp_server.core.verbs import gerunds, noun_stems


def search_plans(
    plans: Sequence[WorkPlan], query: str, **options: Any
) -> tuple[tuple[ContractMatch, ...], int]:
    return search_contracts(contract_index(plans), query, **options)


def unit(index: int = 1, *tags: str, title: str = "", **more: Any) -> UnitWork:
    contract = Contract(a=more.pop("a", ""), b=more.pop("b", ""), p=more.pop("p", ""))
    values: dict[str, Any] = {
        "status": "COMPLETED",
        "state": "SUCCESS",
        "result": None,
        "notes": "",
        "line": index * 10,
    }
    return UnitWork(index=index, title=title, contract=contract, tags=tags, **{**values, **more})


def plan(
    wp_id: str, *units: UnitWork, shelf: Shelf = "archive", state: State = "SUCCESS", path: str = ""
) -> WorkPlan:
    return WorkPlan(
        wp_id=wp_id,
        title=f"Title of {wp_id}",
        status="COMPLETED",
        state=state,
        shelf=shelf,
        project_slug=None,
        path=path or f"{shelf}/{wp_id}.md",
        units=units,
    )


def relevance(query: str, *tags: str, **texts: str) -> Relevance | None:
    """How well one unit of plan WP-ST-1 answers `query`."""
    found, total = search_plans([plan("WP-ST-1", unit(1, *tags, **texts))], query)
    assert len(found) == total
    return found[0].relevance if found else None


def shown(matches: tuple[ContractMatch, ...]) -> list[str]:
    return [f"{match.wp_id} U{match.unit_index} {match.relevance}" for match in matches]


# --- exact -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ["killing-terminal", "closing-terminal", "managing-terminal"])
def test_the_example_of_the_seed(tag: str) -> None:
    assert relevance("terminal kill", tag) == "exact"


@pytest.mark.parametrize(
    ("query", "tag"),
    [
        ("kill terminal", "killing-terminal"),
        ("Kill the Terminals", "killing-terminal"),
        ("killed terminal", "killing-terminals"),
        ("terminal killer", "killing-terminal"),
        ("please add a key that kills the terminal", "killing-terminal"),
        ("tide table reading", "reading-tide-tables"),
        ("tables of the tide: read them", "reading-tide-tables"),
        ("keep secrets in safe", "keeping-secrets-in-safe"),
        ("hash sha256", "hashing-sha256"),
        ("re-read table", "re-reading-tables"),
        ("modelling ships", "modeling-ship"),
        ("team's boats moored", "mooring-boat"),
    ],
)
def test_words_that_form_a_tag_are_exact(query: str, tag: str) -> None:
    assert relevance(query, "other-tag", tag) == "exact"


@pytest.mark.parametrize(
    "query",
    [
        "mooring-boat",
        "MOORING-Boat",
        "`mooring-boat`",
        "[reading-tide, mooring-boat]",
        "reading-tide mooring-boat",
        "reading-tide;mooring-boat.",
        "#mooring-boat",
    ],
)
def test_a_tag_in_the_query_is_exact(query: str) -> None:
    assert relevance(query, "mooring-boat") == "exact"


def test_a_tag_without_a_verb_is_exact_as_written() -> None:
    assert relevance("tide-table", "tide-table") == "exact"
    assert relevance("table tide", "tide-table") == "partial"


@pytest.mark.parametrize(
    ("query", "tag"),
    [
        ("kill", "killing-terminal"),  # no object
        ("terminal", "killing-terminal"),  # no verb
        ("kill window terminal", "killing-terminal-panes"),  # not all of the object
        ("mooring", "mooring-mooring"),  # one word is not both
        ("do the boats", "doing-boats"),  # a function word is no verb
    ],
)
def test_half_a_tag_is_not_exact(query: str, tag: str) -> None:
    assert relevance(query, tag) == "partial"


# --- ids -------------------------------------------------------------------------------------------------

PLANS_BY_ID = [
    plan("WP-ST-6", unit(1)),
    plan("WP-ST-69", unit(1), unit(2), unit(12)),
    plan("WP-ST-69-1", unit(1)),
    plan("WP-ST-6A", unit(1)),
    plan("WP-69", unit(1)),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("WP-ST-69", ["WP-ST-69 U1", "WP-ST-69 U2", "WP-ST-69 U12"]),
        ("wp-st-69", ["WP-ST-69 U1", "WP-ST-69 U2", "WP-ST-69 U12"]),
        ("as in (WP-ST-69).", ["WP-ST-69 U1", "WP-ST-69 U2", "WP-ST-69 U12"]),
        ("WP-ST-69.md", ["WP-ST-69 U1", "WP-ST-69 U2", "WP-ST-69 U12"]),
        ("WP-ST-69 unit 2", ["WP-ST-69 U2"]),
        ("WP-ST-69 U2", ["WP-ST-69 U2"]),
        ("WP-ST-69, u12", ["WP-ST-69 U12"]),
        ("unit 2 of WP-ST-69", ["WP-ST-69 U2"]),
        ("WP-ST-69 U1-U2", ["WP-ST-69 U1", "WP-ST-69 U2", "WP-ST-69 U12"]),
        ("WP-ST-69 U7", []),
        ("WP-ST-6", ["WP-ST-6 U1"]),
        ("WP-ST-69-1", ["WP-ST-69-1 U1"]),
        ("WP-ST-6a", ["WP-ST-6A U1"]),
        ("WP-69 WP-ST-6", ["WP-69 U1", "WP-ST-6 U1"]),
        ("WP-ST-6..9", []),
        ("WP-ST-69-like", []),
        ("WP-ST", []),
    ],
)
def test_an_id_names_its_plan_only(query: str, expected: list[str]) -> None:
    found, _ = search_plans(PLANS_BY_ID, query, limit=99)
    assert shown(found) == [f"{name} exact" for name in expected]


def test_a_text_that_names_the_id_is_weak() -> None:
    plans = [
        plan("WP-ST-70", unit(1, p="WP-ST-69 done"), unit(2, p="WP-ST-69-1 done"), unit(3, p="WP-ST-6 done"))
    ]
    assert shown(search_plans(plans, "wp-st-69")[0]) == ["WP-ST-70 U1 weak"]


def test_an_id_beside_words_leaves_them_their_meaning() -> None:
    plans = [plan("WP-ST-1", unit(1)), plan("WP-ST-2", unit(1, "mooring-boat"))]
    assert shown(search_plans(plans, "moor boat WP-ST-1")[0]) == ["WP-ST-1 U1 exact", "WP-ST-2 U1 exact"]


def test_one_id_on_both_shelves_gives_both() -> None:
    plans = [plan("WP-ST-1", unit(1), shelf="live"), plan("WP-ST-1", unit(1), shelf="archive")]
    found, total = search_plans(plans, "WP-ST-1")
    assert [match.source for match in found] == ["archive", "live"]
    assert total == 2


# --- partial ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "tag"),
    [
        ("moored ships", "mooring-boat"),  # the verb
        ("paint boats", "mooring-boat"),  # the object
        ("tide", "reading-tide-tables"),  # a part of the object
        ("ssh", "ssh-deploying-lamp"),  # what belongs to the verb
        ("mooring-ship", "mooring-boat"),  # the verb of a query tag
        ("어선", "mooring-어선"),
        ("sha256", "hashing-sha256"),
    ],
)
def test_a_shared_verb_or_object_is_partial(query: str, tag: str) -> None:
    assert relevance(query, tag) == "partial"


@pytest.mark.parametrize(
    ("query", "tag"),
    [
        ("kill process", "closing-terminal"),  # a near-synonym alone
        ("boatman", "mooring-boat"),  # a part of a word
        ("in the up", "rolling-up-sail"),  # function words
        ("what has been done before in this", "keeping-secrets-in-safe"),
    ],
)
def test_less_than_a_word_is_not_partial(query: str, tag: str) -> None:
    assert relevance(query, tag) is None


# --- weak ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["title", "a", "b", "p", "notes"])
def test_a_word_of_the_text_is_weak(place: str) -> None:
    assert relevance("foghorn maker", **{place: "The FOGHORNS sound"}) == "weak"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("E0308", "see e0308."),
        ("deploy.sh", "runs ./deploy.sh"),
        ("등대", "새 등대를 짓다"),
        ("灯台を建てる 費用", "新しい灯台の費用"),
        ("CI", "the CI runs"),
        ("[mooring-boat]", "the boat lies there"),
        ("don't sink", "we sink"),
        ("STRASSE", "straße"),
    ],
)
def test_how_words_are_found(query: str, text: str) -> None:
    assert relevance(query, b=text) == "weak"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("CI", "the city"),  # short words need borders
        ("deploy.sh", "deploy it"),
        ("E-217", "an E and a 217"),
        ("the of and what", "the harbour of what"),  # function words
        ("don't", "t and don"),
        ("?!", "?!"),
    ],
)
def test_what_is_not_found(query: str, text: str) -> None:
    assert relevance(query, b=text) is None


def test_result_and_tags_are_not_text() -> None:
    assert relevance("sunk", result="it sunk") is None
    assert relevance("moo", "mooring-boat") is None


# --- filters ---------------------------------------------------------------------------------------------

SHELVES_AND_STATES = [
    plan(f"WP-ST-{number}", unit(1, "mooring-boat"), shelf=shelf, state=state)
    for number, (shelf, state) in enumerate(
        ((shelf, state) for shelf in ("live", "archive") for state in ("—", "FAILURE", "SUCCESS")), start=1
    )
]


@pytest.mark.parametrize(
    ("scope", "state_filter", "expected"),
    [
        ("all", None, "6 5 4 3 2 1"),
        ("archive", None, "6 5 4"),
        ("live", None, "3 2 1"),
        ("all", "SUCCESS", "6 3"),
        ("all", "FAILURE", "5 2"),
        ("all", "—", "4 1"),
        ("live", "—", "1"),
    ],
)
def test_scope_state_and_their_order(scope: Scope, state_filter: State | None, expected: str) -> None:
    found, total = search_plans(
        SHELVES_AND_STATES, "moor boat", scope=scope, state_filter=state_filter, limit=9
    )
    assert [match.wp_id for match in found] == [f"WP-ST-{number}" for number in expected.split()]
    assert total == len(found)


def test_the_filter_asks_the_plan_and_not_the_unit() -> None:
    plans = [plan("WP-ST-1", unit(1, "mooring-boat", state="SUCCESS"), state="—", shelf="live")]
    assert search_plans(plans, "mooring-boat", state_filter="SUCCESS") == ((), 0)
    assert search_plans(plans, "mooring-boat", state_filter="—")[1] == 1


# --- order and limit -------------------------------------------------------------------------------------


def test_the_shelf_counts_before_the_state_and_both_before_relevance() -> None:
    plans = [
        plan("WP-ST-1", unit(1, "mooring-boat"), shelf="live"),
        plan("WP-ST-2", unit(1, "mooring-ship"), state="—"),
        plan("WP-ST-3", unit(1, "mooring-ship"), unit(2, "mooring-boat"), state="FAILURE"),
    ]
    assert shown(search_plans(plans, "moor boat")[0]) == [
        "WP-ST-3 U2 exact",
        "WP-ST-3 U1 partial",
        "WP-ST-2 U1 partial",
        "WP-ST-1 U1 exact",
    ]


def test_weak_matches_only_fill_what_is_left() -> None:
    plans = [
        plan("WP-ST-1", unit(1, title="a boat"), unit(2, title="boats")),
        plan("WP-ST-2", unit(1, "mooring-boat"), shelf="live", state="—"),
    ]
    found, total = search_plans(plans, "boat", limit=2)
    assert shown(found) == ["WP-ST-2 U1 partial", "WP-ST-1 U1 weak"]
    assert total == 3


def test_equals_are_ordered_by_id_unit_and_path() -> None:
    plans = [
        plan("WP-ST-9", unit(1, "mooring-boat")),
        plan("WP-ST-10", unit(2, "mooring-boat"), unit(1, "mooring-boat"), path="b.md"),
        plan("WP-ST-10", unit(1, "mooring-boat"), path="a.md"),
    ]
    found, _ = search_plans(plans, "mooring-boat")
    assert [(match.wp_id, match.unit_index, match.path) for match in found] == [
        ("WP-ST-10", 1, "a.md"),
        ("WP-ST-10", 1, "b.md"),
        ("WP-ST-10", 2, "b.md"),
        ("WP-ST-9", 1, "archive/WP-ST-9.md"),
    ]


def test_five_are_shown_unless_asked_otherwise() -> None:
    plans = [plan("WP-ST-1", *(unit(number, "mooring-boat") for number in range(1, 9)))]
    assert [len(search_plans(plans, "moor boat")[0]), search_plans(plans, "moor boat")[1]] == [5, 8]
    assert search_plans(plans, "moor boat", limit=0) == ((), 8)


def test_a_match_carries_the_whole_contract_and_its_place() -> None:
    whole = unit(3, "mooring-boat", title="Moor it", a="a\n- b", b="{ c: 𝕊 }", p="d|e", result="✓", line=41)
    (match,), _ = search_plans([plan("WP-ST-7", whole, shelf="live", state="—", path="x/WP-ST-7.md")], "boat")
    assert match == ContractMatch(
        wp_id="WP-ST-7",
        wp_title="Title of WP-ST-7",
        wp_state="—",
        source="live",
        unit_index=3,
        unit_title="Moor it",
        unit_state="SUCCESS",
        contract=Contract(a="a\n- b", b="{ c: 𝕊 }", p="d|e"),
        result_summary="✓",
        relevance="partial",
        tags=("mooring-boat",),
        path="x/WP-ST-7.md",
        line=41,
    )


# --- properties ------------------------------------------------------------------------------------------

TAG_TEXTS = ("mooring-boat", "closing-boats", "mooring-ship", "tide-table", "reading-tide-tables", "boat")
UNITS = st.builds(
    lambda index, tags, title: unit(index, *tags, title=title),
    index=st.integers(1, 3),
    tags=st.lists(st.sampled_from(TAG_TEXTS), max_size=2),
    title=st.sampled_from(["", "A boat", "the tide", "moor", "nothing"]),
)
PLANS = st.lists(
    st.builds(
        lambda wp_id, units, shelf, state, path: plan(wp_id, *units, shelf=shelf, state=state, path=path),
        wp_id=st.sampled_from(["WP-ST-1", "WP-ST-2", "WP-ST-10"]),
        units=st.lists(UNITS, max_size=3, unique_by=lambda work: work.index),
        shelf=st.sampled_from(get_args(Shelf)),
        state=st.sampled_from(get_args(State)),
        path=st.sampled_from("abcdefgh"),
    ),
    max_size=6,
    unique_by=lambda one: one.path,
)
QUERIES = st.sampled_from(
    ["moor boat", "boat", "tide", "mooring-ship", "WP-ST-1", "read the tide tables", "zzz"]
)
SCOPES = st.sampled_from(get_args(Scope))
STATE_FILTERS = st.sampled_from([None, *get_args(State)])


def by_hand(
    plans: list[WorkPlan], query: str, scope: Scope, state_filter: State | None
) -> list[ContractMatch]:
    """Every match in the order of the rule, one group after the other, by asking about one unit at a time."""
    singles = [
        match
        for one in plans
        for work in one.units
        for match in search_plans(
            [plan(one.wp_id, work, shelf=one.shelf, state=one.state, path=one.path)], query
        )[0]
    ]
    for key in ("path", "unit_index", "wp_id"):
        singles.sort(key=attrgetter(key))
    groups = [
        (shelf, state, relevance)
        for relevances in (("exact", "partial"), ("weak",))
        for shelf in ("archive", "live")
        for state in ("SUCCESS", "FAILURE", "—")
        for relevance in relevances
    ]
    return [
        match
        for group in groups
        for match in singles
        if (match.source, match.wp_state, match.relevance) == group
        and (scope == "all" or match.source == scope)
        and (state_filter is None or match.wp_state == state_filter)
    ]


@given(plans=PLANS, query=QUERIES, limit=st.integers(0, 20), scope=SCOPES, state_filter=STATE_FILTERS)
def test_the_order_is_that_of_the_rule(
    plans: list[WorkPlan], query: str, limit: int, scope: Scope, state_filter: State | None
) -> None:
    expected = by_hand(plans, query, scope, state_filter)
    found, total = search_plans(plans, query, scope=scope, state_filter=state_filter, limit=limit)
    assert list(found) == expected[:limit]
    assert total == len(expected)


@given(plans=PLANS, query=QUERIES, limit=st.integers(0, 20))
def test_no_weak_match_stands_before_a_tag_match(plans: list[WorkPlan], query: str, limit: int) -> None:
    found, _ = search_plans(plans, query, limit=limit)
    weak = [match.relevance == "weak" for match in found]
    assert weak == sorted(weak)


@given(plans=PLANS, query=QUERIES, data=st.data())
def test_the_order_of_the_files_does_not_matter(
    plans: list[WorkPlan], query: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(plans))
    assert search_plans(shuffled, query, limit=99) == search_plans(plans, query, limit=99)


@given(query=st.text(min_size=1, max_size=200), plans=PLANS)
def test_any_query_is_answered(query: str, plans: list[WorkPlan]) -> None:
    found, total = search_plans(plans, query)
    assert len(found) == min(total, 5)


@given(words=st.lists(st.sampled_from(["moor", "close", "boat", "boats", "tide", "tables"]), max_size=4))
def test_exact_is_what_the_words_can_form(words: list[str]) -> None:
    """Spell out every {verb-ing}-{object} of up to two objects and compare whole tags."""
    formed = {
        "-".join((verb, *objects))
        for count in (2, 3)
        for chosen in permutations(words, count)
        for verb in gerunds(chosen[0])
        for objects in product(*(_with_plural(word) for word in chosen[1:]))
    }
    for tag in TAG_TEXTS:
        assert (relevance(" ".join(words) + " zzz", tag) == "exact") == (tag in formed or tag in words)


def _with_plural(word: str) -> set[str]:
    return {form for stem in noun_stems(word) for form in (stem, stem + "s")}


def test_only_what_holds_the_whole_query_or_is_named_by_it() -> None:
    plans = [
        plan("WP-ST-1", unit(1, "mooring-boat", a="a rope"), unit(2, "mooring-ship", a="the boat rope")),
        plan("WP-ST-2", unit(1, "selling-boat", a="nothing of it")),
    ]
    assert shown(search_plans(plans, "boat rope", by_word=False)[0]) == ["WP-ST-1 U2 weak"]
    assert shown(search_plans(plans, "mooring-boat", by_word=False)[0]) == ["WP-ST-1 U1 exact"]
    assert shown(search_plans(plans, "boat", by_word=False)[0]) == [
        "WP-ST-1 U1 partial",
        "WP-ST-2 U1 partial",
        "WP-ST-1 U2 weak",
    ]


def test_what_holds_the_whole_query_is_not_crowded_out_by_what_shares_a_word() -> None:
    crowd = plan("WP-ST-1", *(unit(number, f"releasing-berth-{number}") for number in range(1, 61)))
    wanted = plan("WP-ST-2", unit(1, a="take release_lock first"))
    found, total = search_plans([crowd, wanted], "release_lock", by_word=False, limit=5)
    assert (shown(found), total) == (["WP-ST-2 U1 weak"], 1)


def test_the_project_is_the_one_that_most_plans_name() -> None:
    def named(slug: str | None) -> WorkPlan:
        return replace(plan("WP-ST-1", unit()), project_slug=slug)

    assert contract_index([named("b"), named("a"), named("b"), named(None)]).project_slug == "b"
    assert contract_index([named("b"), named("a")]).project_slug == "a"
    assert contract_index([named(None)]).project_slug is None
