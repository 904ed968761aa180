"""A contract that is inserted into a plan: the project's own parser reads it back, and all else as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sample_matches import CONTRACT

from lsp_server.core.model import Contract, ContractMatch, UnitWork
from lsp_server.plan_insertion import insert_unit_work, is_plan
from lsp_server.sources.work_plan import parse_work_plan

PLANS = Path(__file__).parents[1] / "cases" / "workplans"
HEAD = "# WP-ST-9: A plan\n**STATUS:** IN_PROGRESS\n\n## Unit-Works\n\n"
UNIT = (
    "### {0}. Unit {0} | STATUS: PENDING\n"
    "- A: a{0}\n- B: b{0}\n- P: p{0}\n- Tags: [t-{0}]\n- Result:\n- State:\n"
)
NEW = (
    "### {0}. Refuse | STATUS: PENDING\n"
    "- A: a\n- B: b\n- P: p\n- Tags: [refusing-rotation, checking-clock]\n- Result:\n- State:\n"
)
TAIL = "\n---\n\n## References\n- none\n"


def units_of(text: str) -> tuple[UnitWork, ...]:
    plan = parse_work_plan(text, "WP-ST-9", "live", "WP-ST-9.md")
    return () if plan is None else plan.units


def inserted(plan: str, line: int, match: ContractMatch = CONTRACT) -> str | None:
    insertion = insert_unit_work(match, plan, line)
    return None if insertion is None else insertion.into(plan)


def line_of(plan: str, text: str) -> int:
    return plan[: plan.index(text)].count("\n")


def check(plan: str, after: str, match: ContractMatch) -> None:
    """The plan has the contract as its one new unit, and the others are what they were."""
    known, now = units_of(plan), units_of(after)
    number = max((unit.index for unit in known), default=0) + 1
    (added,) = [unit for unit in now if unit.index == number]
    assert (added.title, added.status, added.result, added.state) == (match.unit_title, "PENDING", None, "—")
    assert added.contract == match.contract
    assert added.tags == match.tags
    others = [replace(unit, line=0) for unit in now if unit is not added]
    assert others == [replace(unit, line=0) for unit in known]


# -- Properties

# A value as the parser gives it: neither end is blank, a blank line is empty, and some line is at the left.
_LINE = st.text(st.sampled_from("ab{}[]`#-:|~* \t한"), max_size=12)
VALUES = st.lists(_LINE, max_size=5).map(lambda lines: "- B:" + "".join(f"\n  {line}" for line in lines))


def as_read(field: str) -> str:
    return units_of(f"# WP-ST-9: x\n### 1. x | STATUS: PENDING\n{field}\n- P: p\n")[0].contract.b


@st.composite
def plans(draw: st.DrawFn) -> tuple[str, int]:
    """A plan with a few units in one of many shapes, and a line in it."""
    numbers = draw(st.lists(st.integers(1, 99), max_size=4, unique=True))
    between = draw(st.sampled_from(["\n", "\n\n", "\n---\n\n", "", "### Phase B\n\n"]))
    tail = draw(st.sampled_from([TAIL, "", "\n", "\n\n", "### 2026 roadmap\n", "## Later\n### 2027. x\n"]))
    plan = HEAD + between.join(UNIT.format(number) for number in numbers) + tail
    if draw(st.booleans()):
        plan = plan.replace("### ", "#### ").replace("#### Phase", "### Phase")
    if draw(st.booleans()):
        plan = f"```markdown\n{plan}\n```\n"
    elif draw(st.booleans()):
        plan = plan.replace("## Unit-Works", "```\n## Unit-Works") + "```\n"
    if draw(st.booleans()):
        plan = plan.rstrip("\n")
    plan = plan.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    return plan, draw(st.integers(0, len(plan.splitlines()) + 1))


@given(plans(), VALUES.map(as_read), VALUES.map(as_read), VALUES.map(as_read))
def test_an_inserted_unit_is_read_back_as_it_was(
    plan_and_line: tuple[str, int], a: str, b: str, p: str
) -> None:
    plan, line = plan_and_line
    match = replace(CONTRACT, contract=Contract(a, b, p))
    after = inserted(plan, line, match)
    if after is not None:
        check(plan, after, match)
    else:
        # Only a fence that the plan or the contract leaves open can be in the way.
        assert any(mark in "".join((a, b, p)) for mark in ("```", "~~~"))


@given(plans())
def test_every_plan_takes_a_contract(plan_and_line: tuple[str, int]) -> None:
    plan, line = plan_and_line
    after = inserted(plan, line)
    assert after is not None
    check(plan, after, CONTRACT)
    assert ("\r" in after) == ("\r" in plan)
    assert "\r\n" in plan or "\r\n" not in after
    assert "\n" not in plan.replace("\r\n", "") or "\r" not in after


@given(st.sampled_from(sorted(PLANS.glob("*.md"))), st.integers(0, 40))
def test_plans_of_every_dialect_take_a_contract(path: Path, line: int) -> None:
    plan = path.read_text(encoding="utf-8")
    assume(units_of(plan))
    after = inserted(plan, line)
    assert after is not None
    check(plan, after, CONTRACT)


@given(st.text(st.sampled_from("#- \n\r`1.)A:|\ufeff-~\x0c\u2028"), max_size=60), st.integers(-1, 9))
def test_any_text_takes_a_contract_or_stays_as_it_is(plan: str, line: int) -> None:
    after = inserted(plan, line)
    if after is not None:
        assert any(unit.title == "Refuse" and unit.tags == CONTRACT.tags for unit in units_of(after))


# -- Places


@pytest.mark.parametrize(
    ("at", "order"),
    [
        ("# WP-ST-9", [1, 2, 3]),
        ("### 1.", [1, 3, 2]),
        ("- P: p1", [1, 3, 2]),
        ("\n### 2.", [1, 3, 2]),
        ("### 2.", [1, 2, 3]),
        ("## References", [1, 2, 3]),
        ("- none", [1, 2, 3]),
    ],
)
def test_a_unit_goes_after_the_one_at_the_cursor(at: str, order: list[int]) -> None:
    plan = HEAD + UNIT.format(1) + "\n" + UNIT.format(2) + TAIL
    after = inserted(plan, line_of(plan, at))
    assert after is not None
    assert [unit.index for unit in units_of(after)] == order
    assert after.endswith(TAIL)
    assert "\n\n\n" not in after


ONE = HEAD + UNIT.format(1)


@pytest.mark.parametrize(
    ("plan", "after"),
    [
        pytest.param(ONE, ONE + "\n" + NEW.format(2), id="at the end"),
        pytest.param(ONE.rstrip("\n"), ONE + "\n" + NEW.format(2), id="end without a line end"),
        pytest.param(ONE + "\n\n", ONE + "\n" + NEW.format(2) + "\n\n", id="blank lines at the end"),
        pytest.param(ONE + TAIL, ONE + "\n" + NEW.format(2) + TAIL, id="references"),
        pytest.param(ONE + "---\n", ONE + "\n" + NEW.format(2) + "\n---\n", id="rule without a blank line"),
        pytest.param(HEAD + "## Refs\n", HEAD + NEW.format(1) + "\n## Refs\n", id="no unit"),
        pytest.param(
            HEAD + "> Units below.\n" + TAIL, HEAD + "> Units below.\n\n" + NEW.format(1) + TAIL, id="remark"
        ),
        pytest.param("# WP-ST-9: x\n", "# WP-ST-9: x\n\n" + NEW.format(1), id="no chapter for units"),
        pytest.param("# WP-ST-9", "# WP-ST-9\n\n" + NEW.format(1), id="nothing but a title"),
        pytest.param("", NEW.format(1), id="nothing"),
        pytest.param("\n", NEW.format(1) + "\n", id="a blank line"),
        pytest.param(
            ONE + "\n## Later\n### 2026 roadmap\n### 2027. x\n",
            ONE + "\n" + NEW.format(2) + "\n## Later\n### 2026 roadmap\n### 2027. x\n",
            id="headings with years",
        ),
        pytest.param(
            ONE.replace("###", "####"),
            ONE.replace("###", "####") + "\n#" + NEW.format(2),
            id="deeper headings",
        ),
    ],
)
def test_a_unit_has_one_blank_line_around_it(plan: str, after: str) -> None:
    assert inserted(plan, 0) == after
    assert inserted(plan.replace("\n", "\r\n"), 0) == (after.replace("\n", "\r\n") if "\n" in plan else after)


def test_a_heading_inside_a_fence_is_none() -> None:
    fenced = "- B: as in\n  ```\n### 7. no unit\n---\n## no section\n  ```\n"
    plan = HEAD + UNIT.format(1).replace("- B: b1\n", fenced) + TAIL
    assert inserted(plan, line_of(plan, "### 1.")) == plan.removesuffix(TAIL) + "\n" + NEW.format(2) + TAIL


def test_a_fence_that_a_contract_would_close_takes_none() -> None:
    """The plan's own open fence would end in the contract, and take a unit with it."""
    plan = ONE.replace("- B: b1\n", "- B:\n  ```\n") + "\n" + UNIT.format(2)
    fenced = replace(CONTRACT, contract=Contract("a", "```\nx\n```", "p"))
    assert inserted(plan, 99) is not None
    assert inserted(plan, 99, fenced) is None


@pytest.mark.parametrize(
    "value",
    [
        "one",
        "one\ntwo\n  three\n\nfour",
        "  deeper\nless deep",
        "one\n  all that follow\n    are deep",
        "blank at its end  \ntwo",
        "### 4. no heading\n- P: no field\n---\n<!-- T-preservation: no footer -->",
        "```py\nx\n```",
        "",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_contract_is_verbatim(value: str, line_end: str) -> None:
    match = replace(CONTRACT, contract=Contract(value, value, value))
    plan = (ONE + TAIL).replace("\n", line_end)
    after = inserted(plan, 0, match)
    assert after is not None
    check(plan, after, match)


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
