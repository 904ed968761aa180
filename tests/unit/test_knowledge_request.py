"""What a request may say, and which of several mistakes is named (spec/knowledge.md §1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge_items import error_of, open_with, write_items

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.knowledge.errors import (
    InvalidRequestError,
    ItemRequiredError,
    KnowledgeError,
    QueryRequiredError,
)
from lsp_server.core.knowledge.request import AddressedRead, KnowledgeQuery, read_request

ITEM, REVISION = "knowledge_item_id", "knowledge_revision_id"
BASE = "knowledge_base_id"

# What is understood


def test_the_defaults_of_a_query() -> None:
    assert read_request({"query": "deploy"}) == KnowledgeQuery(
        "deploy", base_id=None, max_results=10, mode="hybrid", alpha=0.5
    )


def test_the_defaults_of_an_addressed_read() -> None:
    assert read_request({ITEM: "deploy"}) == AddressedRead(
        "deploy", base_id=None, revision_id=None, offset=0, limit_chars=4000
    )


QUERY_NAMES = {BASE: "base_id"}
READ_NAMES = {ITEM: "item_id", BASE: "base_id", REVISION: "revision_id"}


@pytest.mark.parametrize(
    ("name", "given_value", "understood"),
    [
        ("query", "  배포 절차 \n", "배포 절차"),
        ("query", "x" * 2000, "x" * 2000),
        ("query", "x" * 2000 + " " * 500, "x" * 2000),
        ("query", "😀" * 2000, "😀" * 2000),
        (BASE, "runbooks", "runbooks"),
        (BASE, "", None),
        (BASE, " \t", None),
        (BASE, None, None),
        # An id is exact.
        (BASE, " runbooks", " runbooks"),
        ("max_results", 1, 1),
        ("max_results", 50, 50),
        ("max_results", None, 10),
        ("mode", "lexical", "lexical"),
        ("mode", "semantic", "semantic"),
        ("mode", "hybrid", "hybrid"),
        ("mode", "rrf", "rrf"),
        ("mode", " RRF ", "rrf"),
        ("mode", "Lexical", "lexical"),
        ("mode", "", "hybrid"),
        ("mode", None, "hybrid"),
        ("mode", "bm25", "hybrid"),
        ("mode", "lexical,semantic", "hybrid"),
        ("mode", "의미", "hybrid"),
        ("alpha", 0.25, 0.25),
        ("alpha", 0, 0.0),
        ("alpha", 1, 1.0),
        ("alpha", -0.0, 0.0),
        ("alpha", -3, 0.0),
        ("alpha", 1.0000001, 1.0),
        ("alpha", 1e308, 1.0),
        ("alpha", 10**400, 1.0),
        ("alpha", -(10**400), 0.0),
        ("alpha", None, 0.5),
        # A query does not need them, but they are in range.
        ("offset", 7, None),
        ("limit_chars", 7, None),
    ],
)
def test_what_a_query_may_say(name: str, given_value: object, understood: object) -> None:
    request = read_request({"query": "deploy", name: given_value})
    assert isinstance(request, KnowledgeQuery)
    fields = asdict(request)
    said = QUERY_NAMES.get(name, name)
    assert fields.get(said) == understood
    assert type(fields.get(said)) is type(understood)
    expected = {"query": "deploy", "base_id": None, "max_results": 10, "mode": "hybrid", "alpha": 0.5}
    assert {**fields, said: None} == {**expected, said: None}


@pytest.mark.parametrize(
    ("name", "given_value", "understood"),
    [
        (ITEM, "guides/배포", "guides/배포"),
        (ITEM, " deploy ", " deploy "),
        (BASE, "runbooks", "runbooks"),
        (BASE, " ", None),
        (REVISION, "a" * 40, "a" * 40),
        (REVISION, "", None),
        (REVISION, " \n", None),
        ("offset", 0, 0),
        ("offset", 10**30, 10**30),
        ("offset", None, 0),
        ("limit_chars", 1, 1),
        ("limit_chars", 10_000, 10_000),
        ("limit_chars", None, 4000),
        ("query", "", None),
        ("query", " \t\n\u3000", None),
        ("query", None, None),
        ("mode", "rrf", None),
        ("alpha", 7, None),
        ("max_results", 1, None),
    ],
)
def test_what_an_addressed_read_may_say(name: str, given_value: object, understood: object) -> None:
    request = read_request({ITEM: "deploy", name: given_value})
    assert isinstance(request, AddressedRead)
    fields = asdict(request)
    said = READ_NAMES.get(name, name)
    assert fields.get(said) == understood
    expected = {"item_id": "deploy", "base_id": None, "revision_id": None, "offset": 0, "limit_chars": 4000}
    assert {**fields, said: None} == {**expected, said: None}


# What is refused


@pytest.mark.parametrize("name", ["query", BASE, ITEM, REVISION, "mode"])
@pytest.mark.parametrize("value", [0, 1, True, 1.5, [], ["deploy"], {}, {"a": 1}])
def test_what_has_to_be_text(name: str, value: object) -> None:
    with pytest.raises(InvalidRequestError, match=f"^{name} has to be text$"):
        read_request({"query": "deploy", name: value})


@pytest.mark.parametrize("name", ["offset", "limit_chars", "max_results"])
@pytest.mark.parametrize("value", [True, False, "1", "", 1.0, 1.5, float("nan"), [], [1], {}])
def test_what_has_to_be_a_whole_number(name: str, value: object) -> None:
    for shape in ({"query": "deploy"}, {ITEM: "deploy"}):
        with pytest.raises(InvalidRequestError, match=f"^{name} has to be a whole number$"):
            read_request({**shape, name: value})


@pytest.mark.parametrize("value", [True, False, "0.5", "", [], {}, float("nan"), float("inf"), float("-inf")])
def test_what_has_to_be_a_number(value: object) -> None:
    for shape in ({"query": "deploy"}, {ITEM: "deploy"}):
        with pytest.raises(InvalidRequestError, match=r"^alpha has to be a number$"):
            read_request({**shape, "alpha": value})


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("offset", -1, "at least 0"),
        ("offset", -(10**30), "at least 0"),
        ("limit_chars", 0, "from 1 to 10000"),
        ("limit_chars", -1, "from 1 to 10000"),
        ("limit_chars", 10_001, "from 1 to 10000"),
        ("max_results", 0, "from 1 to 50"),
        ("max_results", -1, "from 1 to 50"),
        ("max_results", 51, "from 1 to 50"),
    ],
)
def test_what_is_out_of_range(name: str, value: int, bounds: str) -> None:
    """In either shape: what is wrong is wrong, whether it is needed or not."""
    for shape in ({"query": "deploy"}, {ITEM: "deploy"}):
        with pytest.raises(InvalidRequestError) as refused:
            read_request({**shape, name: value})
        assert str(refused.value) == f"{name} is {value}; it has to be {bounds}"


@pytest.mark.parametrize("character", ["x", "배", "😀"])
def test_a_query_of_more_characters_than_are_searched(character: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        read_request({"query": character * 2001})
    assert str(refused.value) == "the query has 2001 characters; at most 2000 are searched"


@pytest.mark.parametrize(
    "more", [{ITEM: "deploy"}, {REVISION: "a"}, {ITEM: "deploy", REVISION: "a"}, {ITEM: "deploy", BASE: "b"}]
)
def test_a_query_is_not_mixed_with_an_address(more: dict[str, str]) -> None:
    with pytest.raises(InvalidRequestError, match=r"^give either a query or the id of an item, not both$"):
        read_request({"query": "deploy", **more})


@pytest.mark.parametrize("given_values", [{}, {"query": ""}, {"query": " \n"}, {BASE: "b"}, {ITEM: " "}])
def test_a_query_is_required(given_values: dict[str, str]) -> None:
    with pytest.raises(QueryRequiredError):
        read_request(given_values)


@pytest.mark.parametrize("more", [{}, {ITEM: ""}, {ITEM: " "}, {BASE: "b"}, {"query": " "}])
def test_a_revision_requires_its_item(more: dict[str, str]) -> None:
    with pytest.raises(ItemRequiredError):
        read_request({REVISION: "a" * 40, **more})


def test_unknown_parameters_are_named() -> None:
    with pytest.raises(InvalidRequestError, match=r"^unknown parameter 'limit', 'team_id'$"):
        read_request({"query": "deploy", "team_id": "t", "limit": 1})


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["query", BASE, ITEM, REVISION, "offset", "limit_chars", "max_results", "mode", "alpha", "k"]
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.none())
        ),
    )
)
def test_any_request_is_understood_or_refused(parameters: dict[str, Any]) -> None:
    try:
        request = read_request(parameters)
    except KnowledgeError as error:
        assert error.code in (
            "knowledge_invalid_request",
            "knowledge_query_required",
            "knowledge_item_required",
        )
        assert "\n" not in str(error) and str(error)
        return
    if isinstance(request, KnowledgeQuery):
        assert request.query == request.query.strip() != ""
        assert 1 <= request.max_results <= 50
        assert 0.0 <= request.alpha <= 1.0
    else:
        assert request.item_id.strip()
        assert request.offset >= 0
        assert 1 <= request.limit_chars <= 10_000


# Which of several mistakes is named: the runtime switch, shape and types, mixing, what is required, ranges, and
# last what cannot be had.

MISTAKES: dict[str, tuple[dict[str, object], str]] = {
    "unknown": ({"limit": 1}, "unknown parameter 'limit'"),
    "type": ({"alpha": "0.5"}, "alpha has to be a number"),
    "mixing": ({"query": "deploy", ITEM: "missing"}, "give either a query or the id of an item, not both"),
    "mixing with a revision": (
        {"query": "deploy", REVISION: "a"},
        "give either a query or the id of an item, not both",
    ),
    "no item": ({REVISION: "a"}, "a revision needs the id of its item, knowledge_item_id"),
    "no query": ({BASE: "runbooks"}, "give a query, or the id of an item to read"),
    "range": ({"limit_chars": 0}, "limit_chars is 0; it has to be from 1 to 10000"),
    "resource": ({ITEM: "missing"}, "no such published knowledge item or revision is available here"),
    "semantics": (
        {"query": "deploy", "mode": "semantic"},
        "semantic search needs the optional extra: pip install 'prior-art-lsp[semantic]'",
    ),
}
"""In the order of precedence: the parameters that make each mistake, and what is said of it."""

CODES = {
    "unknown": "knowledge_invalid_request",
    "type": "knowledge_invalid_request",
    "mixing": "knowledge_invalid_request",
    "mixing with a revision": "knowledge_invalid_request",
    "no item": "knowledge_item_required",
    "no query": "knowledge_query_required",
    "range": "knowledge_invalid_request",
    "resource": "knowledge_resource_unavailable",
    "semantics": "knowledge_semantic_unavailable",
}


def mistakes_in(parameters: dict[str, object]) -> list[str]:
    has_query, has_item, has_revision = ("query" in parameters, ITEM in parameters, REVISION in parameters)
    is_made = {
        "unknown": "limit" in parameters,
        "type": isinstance(parameters.get("alpha"), str),
        "mixing": has_query and has_item,
        "mixing with a revision": has_query and has_revision,
        "no item": has_revision and not has_item,
        "no query": not has_query and not has_item and not has_revision,
        "range": parameters.get("limit_chars") == 0,
        "resource": has_item,
        "semantics": parameters.get("mode") == "semantic",
    }
    return [mistake for mistake in MISTAKES if is_made[mistake]]


def both(first: str, second: str) -> dict[str, object] | None:
    """A request with two mistakes and none before them, `None` where one excludes the other."""
    parameters = {**MISTAKES[second][0], **MISTAKES[first][0]}
    made = mistakes_in(parameters)
    return parameters if made[0] == first and second in made else None


PAIRS = [
    (first, second, parameters)
    for first, second in combinations(MISTAKES, 2)
    if (parameters := both(first, second)) is not None
]


@pytest.fixture(scope="module")
def cores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, SearchCore]]:
    """One base without an embedder, switched on and off."""
    root = tmp_path_factory.mktemp("root")
    write_items(root, {"runbooks/deploy.md": "# Deploy\n\nSlowly.\n"})
    with (
        pytest.MonkeyPatch.context() as patched,
        open_with(root, None, patched) as on,
        open_with(root, None, patched, StoreOptions(knowledge_enabled=False)) as off,
    ):
        yield {True: on, False: off}


def test_the_pairs_hold_every_neighbour() -> None:
    named = {(first, second) for first, second, _ in PAIRS}
    assert {
        ("unknown", "type"),
        ("type", "mixing"),
        ("type", "no item"),
        ("type", "no query"),
        ("type", "range"),
        ("mixing with a revision", "no item"),
        ("mixing", "range"),
        ("mixing", "resource"),
        ("no item", "range"),
        ("no query", "range"),
        ("range", "resource"),
        ("range", "semantics"),
    } <= named
    assert len(named) >= 20


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_mistake_is_named(cores: dict[bool, SearchCore], mistake: str) -> None:
    parameters, message = MISTAKES[mistake]
    if mistake in ("unknown", "type", "range"):
        parameters = {"query": "deploy", **parameters}
    error = error_of(cores[True], parameters)
    assert (error.code, str(error)) == (CODES[mistake], message)


@pytest.mark.parametrize(("first", "second", "parameters"), PAIRS)
def test_of_two_mistakes_the_first_is_named(
    cores: dict[bool, SearchCore], first: str, second: str, parameters: dict[str, object]
) -> None:
    assert second in mistakes_in(parameters)
    error = error_of(cores[True], parameters)
    assert (error.code, str(error)) == (CODES[first], MISTAKES[first][1])


@pytest.mark.parametrize("parameters", [{"query": "deploy"}, {ITEM: "deploy"}])
def test_both_shapes_are_answered(cores: dict[bool, SearchCore], parameters: dict[str, object]) -> None:
    cores[True].knowledge(parameters)


@pytest.mark.parametrize(
    "parameters",
    [{"query": "deploy"}, {ITEM: "deploy"}, *(parameters for parameters, _ in MISTAKES.values())],
)
def test_the_switch_comes_before_everything(
    cores: dict[bool, SearchCore], parameters: dict[str, object]
) -> None:
    error = error_of(cores[False], parameters)
    assert error.code == "knowledge_runtime_disabled"
    assert str(error) == "knowledge is switched off by the setting knowledge.enable"
