"""The list that an editor shows: the same keys for a match of every source, and text for the clipboard."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sample_matches import CONTRACT, lookup_of

from lsp_server.copy_text import copy_text
from lsp_server.core.composition import ALL_SOURCES
from lsp_server.core.model import Contract, Fact, KnowledgeMatch, Page, Post, Problem, UnitWork
from lsp_server.lookup import AnyMatch
from lsp_server.match_list import look_up_json, source_of
from lsp_server.sources.work_plan import parse_work_plan

ROOT = Path("/w")
FACT = Fact("The clock\nis off.", "lesson", 1778297400.0, "sha256:0123456789abcdef", "tide", "/w/x.json")
PAGE = Page("Signing errors", "/w/docs/wiki/e.md", 8)
POST = Post("p-1", "A  post", "signing", "quay", 1778297400.0, 3, 2, "/w/b.jsonl", 1)
ITEM = KnowledgeMatch(
    "deploy", "runbooks", "0123456789abcdef", "Deploy", None, "/w/d.md", 5, "First.\n\nThen."
)
MATCHES: tuple[AnyMatch, ...] = (FACT, PAGE, POST, CONTRACT, ITEM)


def row_of(match: AnyMatch, root: Path = ROOT) -> dict[str, object]:
    answer = look_up_json(lookup_of(match), ALL_SOURCES, lambda _path: root)
    (row,) = json.loads(json.dumps(answer))["matches"]
    return dict(row)


ROWS = [
    (
        FACT,
        {
            "source": "memory",
            "id": "sha256:0123456789abcdef",
            "text": "The clock is off.",
            "provenance": ["tide", "lesson", "2026-05-09"],
            "place": "x.json",
            "path": "/w/x.json",
            "line": None,
            "detail": "The clock\nis off.",
            "copy": "The clock\nis off.",
        },
    ),
    (
        PAGE,
        {
            "source": "wiki",
            "id": "/w/docs/wiki/e.md",
            "text": "Signing errors",
            "provenance": [],
            "place": "docs/wiki/e.md:8",
            "path": "/w/docs/wiki/e.md",
            "line": 8,
            "detail": "",
            "copy": "wiki, Signing errors (docs/wiki/e.md:8)",
        },
    ),
    (
        POST,
        {
            "source": "board",
            "id": "/w/b.jsonl#p-1",
            "text": "A post",
            "provenance": ["quay", "signing", "2026-05-09", "+3", "2 replies"],
            "place": "b.jsonl:1",
            "path": "/w/b.jsonl",
            "line": 1,
            "detail": "",
            "copy": "board, A post (p-1, quay)",
        },
    ),
    (
        CONTRACT,
        {
            "source": "contracts",
            "id": "/w/.gem-squared/archive/WP-ST-1.md#7",
            "text": "WP-ST-1 unit 2 · Refuse",
            "provenance": ["archive", "SUCCESS", "exact"],
            "place": ".gem-squared/archive/WP-ST-1.md:7",
            "path": "/w/.gem-squared/archive/WP-ST-1.md",
            "line": 7,
            "detail": "A: a\nB: b\nP: p",
            "copy": "### 2. Refuse | STATUS: PENDING\n- A: a\n- B: b\n- P: p\n"
            "- Tags: [refusing-rotation, checking-clock]\n- Result:\n- State:\n",
        },
    ),
    (
        ITEM,
        {
            "source": "knowledge",
            "id": "/w/d.md",
            "text": "Deploy",
            "provenance": ["runbooks", "revision 0123456789ab"],
            "place": "d.md:5",
            "path": "/w/d.md",
            "line": 5,
            "detail": "First.\n\nThen.",
            "copy": "knowledge, Deploy (runbooks/deploy, revision 0123456789ab)",
        },
    ),
]


@pytest.mark.parametrize(("match", "row"), ROWS, ids=lambda value: getattr(type(value), "__name__", None))
def test_a_match_is_one_row(match: AnyMatch, row: dict[str, object]) -> None:
    assert row_of(match) == row
    assert list(row_of(match)) == list(ROWS[0][1])
    assert source_of(match) == row["source"]


def test_a_place_outside_of_the_root_is_whole() -> None:
    assert row_of(PAGE, Path("/elsewhere"))["place"] == "/w/docs/wiki/e.md:8"
    assert row_of(FACT, Path())["place"] == "/w/x.json"


def test_what_is_not_known_is_left_out() -> None:
    silent = replace(POST, author="", hearth=None, created_at=0.0, score=0, reply_count=1)
    assert row_of(silent)["provenance"] == ["+0", "1 reply"]
    assert row_of(replace(FACT, first_seen=None))["provenance"] == ["tide", "lesson"]
    assert row_of(replace(CONTRACT, wp_state="—", source="live"))["provenance"] == ["live", "exact"]
    assert row_of(replace(CONTRACT, contract=Contract("", "b", ""), result_summary="done"))["detail"] == (
        "B: b\nResult: done"
    )


def test_every_source_that_was_asked_says_how_it_took_part() -> None:
    lookup = lookup_of(FACT, PAGE, query="E1", problems=(Problem("/w/y.json", "broken"),))
    complete = {"status": "complete", "total_count": 0, "problems": []}
    problems = [{"path": "/w/y.json", "reason": "broken"}]
    answer = look_up_json(lookup, ("memory", "wiki", "contracts"), lambda _path: ROOT)
    assert {key: value for key, value in answer.items() if key != "matches"} == {
        "type": "look_up",
        "query": "E1",
        "status": "incomplete",
        "total_count": 2,
        "sources": {
            "memory": {"status": "incomplete", "total_count": 1, "problems": problems},
            "wiki": {**complete, "total_count": 1},
            "contracts": complete,
        },
    }
    assert look_up_json(lookup, ("wiki",), lambda _path: ROOT)["status"] == "complete"


# -- The clipboard

# A value as the parser gives it.
_LINE = st.text(st.sampled_from("ab{}[]`#-:|~* \t한"), max_size=12)
VALUES = st.lists(_LINE, max_size=5).map(lambda lines: "- B:" + "".join(f"\n  {line}" for line in lines))


def unit_of(unit: str) -> UnitWork:
    plan = parse_work_plan(f"# WP-ST-9: x\n\n## Unit-Works\n\n{unit}", "WP-ST-9", "live", "WP-ST-9.md")
    assert plan is not None
    (read,) = plan.units
    return read


def as_read(field: str) -> str:
    return unit_of(f"### 1. x | STATUS: PENDING\n{field}\n- P: p\n").contract.b


@settings(deadline=None)
@given(VALUES.map(as_read), VALUES.map(as_read), VALUES.map(as_read))
def test_a_copied_contract_is_read_back_as_it_was(a: str, b: str, p: str) -> None:
    # A fence that a value leaves open goes on to the end of any plan.
    assume(not any(mark in "".join((a, b, p)) for mark in ("```", "~~~")))
    match = replace(CONTRACT, contract=Contract(a, b, p))
    unit = unit_of(copy_text(match, ROOT))
    assert unit.contract == match.contract
    assert (unit.index, unit.title, unit.tags) == (match.unit_index, match.unit_title, match.tags)
    assert (unit.status, unit.state, unit.result) == ("PENDING", "—", None)


@pytest.mark.parametrize(
    "value", ["```py\n### 4. x\n```", "a\n\nb", "  deeper\nless deep", "- P: no field", ""]
)
def test_a_copied_contract_is_verbatim(value: str) -> None:
    match = replace(CONTRACT, contract=Contract(value, value, value))
    assert unit_of(copy_text(match, ROOT)).contract == match.contract


def test_a_copied_citation_is_one_line() -> None:
    post = replace(POST, author="quay\n\u202etide", id="p\r1")
    assert copy_text(post, ROOT) == "board, A post (p 1, quay tide)"


def test_a_copied_title_is_one_line() -> None:
    assert copy_text(replace(CONTRACT, unit_title="a\n## b"), ROOT).startswith(
        "### 2. a ## b | STATUS: PENDING\n"
    )
