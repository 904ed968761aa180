"""What programs get: the seed's field names, for one root and for several (seeds/search-knowledge.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from files_on_disk import write
from knowledge_items import LEXICAL, WordEmbedder, open_with, same, write_items

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.knowledge.errors import (
    InvalidRequestError,
    ItemRequiredError,
    KnowledgeError,
    QueryRequiredError,
    ResourceUnavailableError,
    RuntimeDisabledError,
    SemanticUnavailableError,
)
from lsp_server.knowledge import ask_knowledge, is_unavailable, knowledge_error_json, knowledge_json
from lsp_server.sources.knowledge import revision_id_of

IDS = {"knowledge_base_id": str, "knowledge_item_id": str, "knowledge_revision_id": str}
TEXT_OR_NOTHING = (str, type(None))
NUMBER_OR_NOTHING = (float, type(None))
RANK_OR_NOTHING = (int, type(None))

RESULT = {
    **IDS,
    "title": str,
    "excerpt": str,
    "source": TEXT_OR_NOTHING,
    "citation": TEXT_OR_NOTHING,
    "locator": TEXT_OR_NOTHING,
    "reference": dict,
    "scores": dict,
    "path": str,
    "line": int,
}
SCORES = {
    "mode": str,
    "combined": float,
    "lexical": NUMBER_OR_NOTHING,
    "semantic": NUMBER_OR_NOTHING,
    "lexical_raw": NUMBER_OR_NOTHING,
    "semantic_raw": NUMBER_OR_NOTHING,
    "lexical_rank": RANK_OR_NOTHING,
    "semantic_rank": RANK_OR_NOTHING,
    "alpha": NUMBER_OR_NOTHING,
    "rrf_k": RANK_OR_NOTHING,
}
SEARCH = {
    "type": str,
    "results": list,
    "mode": str,
    "mode_effective": str,
    "status": str,
    "problems": list,
}
READING = {
    "type": str,
    "owner": TEXT_OR_NOTHING,
    "team": TEXT_OR_NOTHING,
    "scope": TEXT_OR_NOTHING,
    **IDS,
    "title": str,
    "content": str,
    "locator": TEXT_OR_NOTHING,
    "source": TEXT_OR_NOTHING,
    "citation": TEXT_OR_NOTHING,
    "reference": dict,
    "content_offset": int,
    "content_limit": int,
    "content_total_chars": int,
    "content_truncated": bool,
    "path": str,
}

DEPLOY = """---
id: deploy-eu
title: Deploy to the EU 🚀
owner: Kim
team: platform
scope: production
source: https://example.org/deploy
citation: Kim, Deploying, 2026
locator: section 4
---
# Deploy

서버 deploy 😀.
"""
DEPLOY_IDS = {
    "knowledge_base_id": "runbooks",
    "knowledge_item_id": "deploy-eu",
    "knowledge_revision_id": revision_id_of(DEPLOY.encode()),
}


def assert_form(form: Mapping[str, Any], fields: Mapping[str, type | tuple[type, ...]]) -> None:
    """Whether there are exactly these fields with values of these types, and JSON holds them as they are."""
    assert list(form) == list(fields)
    for name, value in form.items():
        expected = fields[name]
        # A bool is an int in Python only.
        assert type(value) in (expected if isinstance(expected, tuple) else (expected,)), name
    assert json.loads(json.dumps(form, allow_nan=False)) == form


def answer_to(cores: list[SearchCore], **parameters: object) -> dict[str, Any]:
    return knowledge_json(ask_knowledge(cores, parameters))


def refusal_of(cores: list[SearchCore], **parameters: object) -> KnowledgeError:
    with pytest.raises(KnowledgeError) as refused:
        ask_knowledge(cores, parameters)
    return refused.value


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_items(
        tmp_path, {"runbooks/deploy.md": DEPLOY, "runbooks/plain.md": "Nothing but text about a deploy.\n"}
    )
    return tmp_path


@pytest.fixture
def core(root: Path) -> Iterator[SearchCore]:
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        yield core


# Results


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic", "rrf"])
def test_the_fields_of_a_query(root: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_with(root, WordEmbedder(), monkeypatch) as core:
        form = answer_to([core], query="deploy 서버", mode=mode, alpha=1)
    assert_form(form, SEARCH)
    assert (form["type"], form["mode"], form["mode_effective"]) == ("knowledge_search", mode, mode)
    assert (form["status"], form["problems"], len(form["results"])) == ("complete", [], 2)
    for result in form["results"]:
        assert_form(result, RESULT)
        assert_form(result["scores"], SCORES)
        assert_form(result["reference"], IDS)
        assert result["scores"]["mode"] == mode
    by_field = {
        "lexical": mode != "semantic",
        "lexical_raw": mode != "semantic",
        "lexical_rank": mode != "semantic",
        "semantic": mode != "lexical",
        "semantic_raw": mode != "lexical",
        "semantic_rank": mode != "lexical",
        "alpha": mode == "hybrid",
        "rrf_k": mode == "rrf",
    }
    scores = form["results"][0]["scores"]
    assert {field: scores[field] is not None for field in by_field} == by_field


def test_the_values_of_a_result(core: SearchCore, root: Path) -> None:
    result = answer_to([core], query="서버")["results"][0]
    del result["scores"]
    assert result == {
        **DEPLOY_IDS,
        "title": "Deploy to the EU 🚀",
        "excerpt": "# Deploy\n\n서버 deploy 😀.",
        "source": "https://example.org/deploy",
        "citation": "Kim, Deploying, 2026",
        "locator": "section 4",
        "reference": DEPLOY_IDS,
        "path": str(root / ".knowledge/runbooks/deploy.md"),
        "line": 11,
    }


def test_what_an_item_does_not_say_is_null(core: SearchCore) -> None:
    (plain,) = answer_to([core], query="nothing text")["results"]
    assert (plain["source"], plain["citation"], plain["locator"]) == (None, None, None)
    form = answer_to([core], knowledge_item_id="plain")
    assert_form(form, READING)
    nothing = ("owner", "team", "scope", "locator", "source", "citation")
    assert [form[field] for field in nothing] == [None] * 6


def test_no_results_are_an_answer(core: SearchCore) -> None:
    form = answer_to([core], query="missing")
    # The setting takes semantics away; the envelope has one more field then.
    assert_form(form, {**SEARCH, "degraded": str})
    assert (form["results"], form["mode_effective"], form["degraded"]) == (
        [],
        "lexical",
        "semantic_unavailable",
    )
    assert_form(answer_to([core], query="missing", mode="lexical"), SEARCH)


def test_problems_are_in_the_answer(root: Path) -> None:
    path = write(root / ".knowledge/runbooks/odd.md", "---\nstatus: in review\n---\ndeploy\n")
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        form = answer_to([core], query="deploy", mode="lexical")
    assert_form(form, SEARCH)
    ((problem),) = form["problems"]
    assert (form["status"], problem["path"], list(problem)) == ("incomplete", str(path), ["path", "reason"])


# Reads


def test_a_read(core: SearchCore, root: Path) -> None:
    form = answer_to([core], knowledge_item_id="deploy-eu", offset=10, limit_chars=3)
    assert_form(form, READING)
    assert form == {
        "type": "knowledge",
        "owner": "Kim",
        "team": "platform",
        "scope": "production",
        **DEPLOY_IDS,
        "title": "Deploy to the EU 🚀",
        "content": "서버 ",
        "locator": "section 4",
        "source": "https://example.org/deploy",
        "citation": "Kim, Deploying, 2026",
        "reference": DEPLOY_IDS,
        "content_offset": 10,
        "content_limit": 3,
        "content_total_chars": 23,
        "content_truncated": True,
        "path": str(root / ".knowledge/runbooks/deploy.md"),
    }


def test_behind_the_end_there_is_nothing_and_nothing_is_cut_off(core: SearchCore) -> None:
    form = answer_to([core], knowledge_item_id="deploy-eu", offset=1000)
    assert_form(form, READING)
    assert (form["content"], form["content_offset"], form["content_truncated"]) == ("", 1000, False)
    assert (form["content_limit"], form["content_total_chars"]) == (4000, 23)


def test_there_is_no_audit_envelope(core: SearchCore) -> None:
    for parameters in ({"query": "deploy"}, {"knowledge_item_id": "plain"}):
        assert not any("audit" in name for name in answer_to([core], **parameters))


# Refusals


@pytest.mark.parametrize(
    ("parameters", "code", "error_type"),
    [
        ({"query": 1}, "knowledge_invalid_request", InvalidRequestError),
        ({"query": "a", "knowledge_item_id": "b"}, "knowledge_invalid_request", InvalidRequestError),
        ({"query": "a", "max_results": 51}, "knowledge_invalid_request", InvalidRequestError),
        ({"query": "a", "\n": 51}, "knowledge_invalid_request", InvalidRequestError),
        ({}, "knowledge_query_required", QueryRequiredError),
        ({"knowledge_revision_id": "0" * 40}, "knowledge_item_required", ItemRequiredError),
        ({"knowledge_item_id": "missing"}, "knowledge_resource_unavailable", ResourceUnavailableError),
    ],
)
def test_an_error(
    core: SearchCore, parameters: dict[str, object], code: str, error_type: type[KnowledgeError]
) -> None:
    error = refusal_of([core], **parameters)
    form = knowledge_error_json(error)
    assert type(error) is error_type
    assert_form(form, {"type": str, "error": dict})
    assert_form(form["error"], {"code": str, "message": str})
    assert (form["type"], form["error"]["code"]) == ("error", code)
    assert is_unavailable(error) is (code == "knowledge_resource_unavailable")


@pytest.mark.parametrize(
    "parameters", [{"query": "deploy"}, {"knowledge_item_id": "deploy-eu"}, {}, {"offset": "x"}]
)
def test_the_runtime_is_switched_off(root: Path, parameters: dict[str, object]) -> None:
    options = replace(LEXICAL, knowledge_enabled=False)
    write(root / ".masc/memory.md", "deploy\n")
    with SearchCore.open(root, options, cached=False) as core:
        error = refusal_of([core], **parameters)
    form = knowledge_error_json(error)
    assert isinstance(error, RuntimeDisabledError) and is_unavailable(error)
    assert form == {
        "type": "knowledge_unavailable",
        "error": {"code": "knowledge_runtime_disabled", "message": str(error)},
    }


@pytest.mark.parametrize("reason", ["semantic_unavailable", "semantic_loading"])
def test_semantics_are_not_to_be_had(reason: str) -> None:
    error = SemanticUnavailableError(reason)
    form = knowledge_error_json(error)
    assert_form(form, {"type": str, "error": dict})
    assert_form(form["error"], {"code": str, "message": str, "reason": str})
    assert (form["type"], form["error"]["code"], form["error"]["reason"]) == (
        "knowledge_unavailable",
        "knowledge_semantic_unavailable",
        reason,
    )
    assert is_unavailable(error)


def test_every_message_is_one_line(core: SearchCore) -> None:
    requests: tuple[dict[str, object], ...] = (
        {"a\nb": 1},
        {"query": "x" * 2001},
        {"query": "a", "alpha": float("nan")},
        {"query": "a", "max_results": 10**40},
        {"knowledge_item_id": "a\nb"},
        {"knowledge_item_id": "\ud800"},
        {},
    )
    for parameters in requests:
        message = knowledge_error_json(refusal_of([core], **parameters))["error"]["message"]
        assert message and message.splitlines() == [message]


# Several roots


def cores_of(stack: ExitStack, *roots: Path, options: StoreOptions = LEXICAL) -> list[SearchCore]:
    return [stack.enter_context(SearchCore.open(root, options, cached=False)) for root in roots]


@pytest.fixture
def roots(tmp_path: Path) -> list[Path]:
    """Three roots: the last has no base."""
    first, second, third = (tmp_path / name for name in ("one", "two", "three"))
    write_items(
        first, {"runbooks/b.md": "zebra crossing\n", "runbooks/same.md": "of the first\n", "x/a.md": "rest\n"}
    )
    write_items(
        second,
        {
            "runbooks/a.md": "zebra crossing\n",
            "runbooks/same.md": "of the second\n",
            "guides/z.md": "zebra\n",
        },
    )
    third.mkdir()
    return [first, second, third]


def found(form: Mapping[str, Any]) -> list[str]:
    return [result["knowledge_item_id"] for result in form["results"]]


def test_results_of_all_roots_stand_in_one_order(roots: list[Path]) -> None:
    with ExitStack() as stack:
        cores = cores_of(stack, *roots)
        form = answer_to(cores, query="zebra crossing", mode="lexical")
        scores = [result["scores"]["combined"] for result in form["results"]]
        assert set(found(form)) == {"a", "b", "z"}
        assert scores == sorted(scores, reverse=True)
        assert_form(form, SEARCH)
        # Its order does not depend on that of the roots, unless scores and ids are equal.
        assert answer_to(cores[::-1], query="zebra crossing", mode="lexical")["results"] == form["results"]
        assert found(answer_to(cores, query="zebra crossing", max_results=1)) == found(form)[:1]
        # A base is one in each root that has it.
        assert set(found(answer_to(cores, query="zebra", knowledge_base_id="runbooks"))) == {"a", "b"}
        assert found(answer_to(cores, query="zebra", knowledge_base_id="guides")) == ["z"]
        assert found(answer_to(cores, query="zebra", knowledge_base_id="missing")) == []


def test_one_root_answers_as_if_it_were_alone(roots: list[Path]) -> None:
    with ExitStack() as stack:
        first, _, empty = cores_of(stack, *roots)
        alone = answer_to([first], query="zebra")
        assert alone == knowledge_json(first.knowledge({"query": "zebra"}))
        assert answer_to([first, empty], query="zebra") == alone == answer_to([empty, first], query="zebra")


def test_an_item_that_several_roots_have_is_found_once(roots: list[Path]) -> None:
    first, second, _ = roots
    options = replace(LEXICAL, knowledge_folders=(str(first / ".knowledge/runbooks"),))
    with ExitStack() as stack:
        cores = cores_of(stack, first, second, options=options)
        assert sorted(found(answer_to(cores, query="crossing"))) == ["a", "b"]


def test_an_item_is_read_from_the_first_root_that_has_it(roots: list[Path]) -> None:
    with ExitStack() as stack:
        cores = cores_of(stack, *roots)
        assert answer_to(cores, knowledge_item_id="same")["content"] == "of the first\n"
        assert answer_to(cores[::-1], knowledge_item_id="same")["content"] == "of the second\n"
        assert answer_to(cores, knowledge_item_id="z")["content"] == "zebra\n"
        assert answer_to(cores, knowledge_item_id="z", knowledge_base_id="guides")["content"] == "zebra\n"
        # A revision tells which of two it is.
        second = revision_id_of(b"of the second\n")
        reading = answer_to(cores, knowledge_item_id="same", knowledge_revision_id=second)
        assert reading["content"] == "of the second\n"


def test_every_reference_of_several_roots_can_be_read(roots: list[Path]) -> None:
    with ExitStack() as stack:
        cores = cores_of(stack, *roots)
        results = answer_to(cores, query="first second zebra", mode="lexical")["results"]
        assert len(results) == 5
        for result in results:
            reading = answer_to(cores, **result["reference"])
            assert (reading["path"], reading["reference"]) == (result["path"], result["reference"])


@pytest.mark.parametrize(
    "parameters",
    [
        {"knowledge_item_id": "missing"},
        {"knowledge_item_id": "z", "knowledge_base_id": "runbooks"},
        {"knowledge_item_id": "same", "knowledge_revision_id": "0" * 40},
    ],
)
def test_nothing_tells_how_many_roots_were_asked(roots: list[Path], parameters: dict[str, object]) -> None:
    with ExitStack() as stack:
        cores = cores_of(stack, *roots)
        refusals = [refusal_of(some, **parameters) for some in (cores, cores[:1], cores[2:], [])]
    assert same(knowledge_error_json(refusal) for refusal in refusals)
    assert isinstance(refusals[0], ResourceUnavailableError)


def test_a_bad_request_is_one_without_a_root_too(core: SearchCore) -> None:
    requests: tuple[dict[str, object], ...] = (
        {},
        {"query": "a", "max_results": 0},
        {"knowledge_revision_id": "a"},
    )
    for parameters in requests:
        refusals = [refusal_of(cores, **parameters) for cores in ([], [core], [core, core])]
        assert same(knowledge_error_json(refusal) for refusal in refusals)


def test_a_root_that_could_not_read_all_says_so_for_all(roots: list[Path]) -> None:
    path = write(roots[1] / ".knowledge/runbooks/odd.md", "---\nstatus: in review\n---\nzebra\n")
    with ExitStack() as stack:
        form = answer_to(cores_of(stack, *roots), query="zebra", mode="lexical")
    assert (form["status"], [problem["path"] for problem in form["problems"]]) == ("incomplete", [str(path)])


def test_without_any_base_the_answer_is_empty_and_says_so(roots: list[Path]) -> None:
    with ExitStack() as stack:
        form = answer_to(cores_of(stack, roots[2], roots[2]), query="zebra", mode="lexical")
    assert (form["results"], form["status"], form["problems"]) == ([], "absent", [])


@pytest.mark.parametrize("lexical_first", [True, False])
def test_where_one_root_has_no_semantics_the_answer_says_so(
    roots: list[Path], lexical_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        full = stack.enter_context(open_with(roots[0], WordEmbedder(), monkeypatch))
        (without,) = cores_of(stack, roots[1])
        cores = [without, full] if lexical_first else [full, without]
        form = answer_to(cores, query="zebra crossing")
        assert (form["mode"], form["mode_effective"], form["degraded"]) == (
            "hybrid",
            "lexical",
            "semantic_unavailable",
        )
        assert {"a", "b", "z"} <= set(found(form))
        # Each result says how its own score came about.
        modes = {result["knowledge_item_id"]: result["scores"]["mode"] for result in form["results"]}
        assert set(modes.values()) == {"hybrid", "lexical"}
        assert isinstance(refusal_of(cores, query="zebra", mode="semantic"), SemanticUnavailableError)
