"""What is written into a person's own document: comments that stay comments, contracts that stay contracts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.citation import citation, citation_line, insert_unit_work, is_plan
from lsp_server.core.model import Contract, ContractMatch, Fact, Page, Post, UnitWork
from lsp_server.sources.work_plan import parse_work_plan

ROOT = Path("/w")
FACT = Fact("The clock\nis off.", "fact", None, "sha256:0123456789abcdef", "tide", "/w/x.json")
PAGE = Page("Signing errors", "/w/docs/wiki/e.md", 8)
POST = Post("p-1", "A  post", None, "quay", 0.0, 0, 0, "/w/b.jsonl", 1)
CONTRACT = ContractMatch(
    wp_id="WP-ST-1",
    wp_title="",
    wp_state="SUCCESS",
    source="archive",
    unit_index=2,
    unit_title="Refuse",
    unit_state="SUCCESS",
    contract=Contract("a", "b", "p"),
    result_summary=None,
    relevance="exact",
    tags=("refusing-rotation", "checking-clock"),
    path="/w/.gem-squared/archive/WP-ST-1.md",
    line=7,
)


@pytest.mark.parametrize(
    ("match", "line"),
    [
        (FACT, "memory of tide, sha256:0123456789ab: The clock is off."),
        (PAGE, "wiki, Signing errors (docs/wiki/e.md:8)"),
        (replace(PAGE, path="/elsewhere/e.md"), "wiki, Signing errors (/elsewhere/e.md:8)"),
        (POST, "board, A post (p-1, quay)"),
        (CONTRACT, "WP-ST-1 unit 2, Refuse (archive SUCCESS)"),
        (replace(CONTRACT, source="live", wp_state="—"), "WP-ST-1 unit 2, Refuse (live)"),
    ],
)  # fmt: skip
def test_a_citation_says_where_a_match_is_from(match: Fact | Page | Post | ContractMatch, line: str) -> None:
    assert citation(match, ROOT) == line


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "  # Prior art: board, A post (p-1, quay)\n"),
        ("typescriptreact", "  // Prior art: board, A post (p-1, quay)\n"),
        ("lua", "  -- Prior art: board, A post (p-1, quay)\n"),
        ("vim", '  " Prior art: board, A post (p-1, quay)\n'),
        ("html", "  <!-- Prior art: board, A post (p-1, quay) -->\n"),
        ("css", "  /* Prior art: board, A post (p-1, quay) */\n"),
        ("ocaml", "  (* Prior art: board, A post (p-1, quay) *)\n"),
        ("markdown", "  Prior art: board, A post (p-1, quay)\n"),
        (None, "  Prior art: board, A post (p-1, quay)\n"),
    ],
)
def test_a_citation_is_a_comment_of_its_language(language: str | None, line: str) -> None:
    assert citation_line(POST, ROOT, language, "  ") == line


COMMENTS = {
    "html": re.compile(r"<!--(?:(?!--).)*-->\n"),
    "xml": re.compile(r"<!--(?:(?!--).)*-->\n"),
    "css": re.compile(r"/\*(?:(?!\*/).)*\*/\n"),
    "ocaml": re.compile(r"\(\*(?:(?!\*\)).)*\*\)\n"),
    "python": re.compile(r"#.*[^\\]\n"),
    "c": re.compile(r"//.*[^\\]\n"),
}


@given(
    st.text(st.sampled_from("-*/)>(<!\\\n\r\x0b\x85\u2028 ab"), max_size=40),
    st.sampled_from(sorted(COMMENTS)),
)
def test_no_text_ends_the_comment_that_it_stands_in(text: str, language: str) -> None:
    line = citation_line(replace(FACT, text=text), ROOT, language, "")
    assert COMMENTS[language].fullmatch(line), line
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("path", "plan"),
    [
        ("/w/.gem-squared/work-plan/WP-ST-1.md", True),
        ("/w/.gem-squared/work-plan/WP-ST-1.MD", True),
        ("/w/.gem-squared/archive/WP-ST-1.md", False),
        ("/w/work-plan/WP-ST-1.md", False),
        ("/w/.gem-squared/work-plan/notes.txt", False),
        (None, False),
    ],
)
def test_only_a_live_plan_takes_contracts(path: str | None, plan: bool) -> None:
    assert is_plan(None if path is None else Path(path)) is plan


# -- Inserting a contract

HEAD = "# WP-ST-9: A plan\n**STATUS:** IN_PROGRESS\n\n## Unit-Works\n\n"
UNIT = (
    "### {0}. Unit {0} | STATUS: PENDING\n"
    "- A: a{0}\n- B: b{0}\n- P: p{0}\n- Tags: [t-{0}]\n- Result:\n- State:\n"
)
TAIL = "\n---\n\n## References\n- none\n"


def units_of(text: str) -> tuple[UnitWork, ...]:
    plan = parse_work_plan(text, "WP-ST-9", "live", "WP-ST-9.md")
    assert plan is not None
    return plan.units


def inserted(plan: str, cursor: int, match: ContractMatch = CONTRACT) -> str:
    offset, text = insert_unit_work(match, plan, cursor)
    return plan[:offset] + text + plan[offset:]


@st.composite
def plans(draw: st.DrawFn) -> tuple[str, int]:
    """A plan with a few units, and a cursor in it."""
    numbers = draw(st.lists(st.integers(1, 99), max_size=4, unique=True))
    between = draw(st.sampled_from(["\n", "\n\n", "\n---\n\n", ""]))
    plan = (
        HEAD
        + between.join(UNIT.format(number) for number in numbers)
        + draw(st.sampled_from([TAIL, "", "\n"]))
    )
    if draw(st.booleans()):
        plan = plan.replace("\n", "\r\n")
    return plan, draw(st.integers(0, len(plan)))


# A line of a field is at least one letter, so that the parser's reading of blanks is not what is tested here.
FIELDS = st.lists(
    st.text(st.sampled_from("ab{}[]`#-:| 한"), max_size=12).map(lambda line: line.rstrip()), max_size=5
).map(lambda lines: "\n".join(["x", *(f"  {line}" if line else "" for line in lines), "y"]))


@given(plans(), FIELDS, FIELDS, FIELDS)
def test_an_inserted_unit_is_read_back_as_it_was(
    plan_and_cursor: tuple[str, int], a: str, b: str, p: str
) -> None:
    plan, cursor = plan_and_cursor
    known = units_of(plan) if "### " in plan else ()
    after = units_of(inserted(plan, cursor, replace(CONTRACT, contract=Contract(a, b, p))))
    (added,) = [unit for unit in after if unit.title == "Refuse"]
    assert added.contract == Contract(a, b, p)
    assert added.tags == CONTRACT.tags
    assert (added.status, added.result) == ("PENDING", None)
    assert added.index == max((unit.index for unit in known), default=0) + 1
    assert [(unit.index, unit.contract, unit.tags) for unit in after if unit is not added] == [
        (unit.index, unit.contract, unit.tags) for unit in known
    ]


@pytest.mark.parametrize(
    ("at", "order"),
    [
        ("# WP-ST-9", [1, 2, 3]),
        ("### 1.", [1, 3, 2]),
        ("- P: p1", [1, 3, 2]),
        ("### 2.", [1, 2, 3]),
        ("## References", [1, 2, 3]),
        ("- none", [1, 2, 3]),
    ],
)
def test_a_unit_goes_after_the_one_at_the_cursor(at: str, order: list[int]) -> None:
    plan = HEAD + UNIT.format(1) + "\n" + UNIT.format(2) + TAIL
    after = inserted(plan, plan.index(at))
    assert [unit.index for unit in units_of(after)] == order
    assert after.endswith(TAIL)
    assert "\n\n\n" not in after


def test_a_heading_inside_a_fence_is_none() -> None:
    fenced = "- B: as in\n  ```\n### 7. no unit\n---\n## no section\n  ```\n"
    plan = HEAD + UNIT.format(1).replace("- B: b1\n", fenced) + TAIL
    after = inserted(plan, plan.index("### 1."))
    assert after.startswith(plan.removesuffix(TAIL))
    assert [unit.index for unit in units_of(after)] == [1, 2]
