"""Reading work plans: each shape is a file in tests/cases/workplans with its expectation beside it.

A `.yaml` says under which name the `.md` is read and what of it matters to the case; what it does not name
may be anything. `skipped: true` means that the file is no work plan.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import UnitWork, WorkPlan
from lsp_server.sources.contracts import read_file
from lsp_server.sources.work_plan import (
    is_placeholder,
    parse_work_plan,
    place_of_first_unit,
    read_tags,
    unit_sections,
)

CASES = Path(__file__).parents[1] / "cases" / "workplans"
CASE_NAMES = sorted(path.stem for path in CASES.glob("*.yaml"))
MEGABYTE = 1_000_000


def read_case(name: str) -> tuple[str, dict[str, Any]]:
    text = (CASES / f"{name}.md").read_text(encoding="utf-8")
    return text, yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


def parse(text: str, file: str = "WP-ST-1.md", shelf: Any = "live") -> WorkPlan | None:
    return parse_work_plan(text, Path(file).stem, shelf, file)


def as_expected(unit: UnitWork) -> dict[str, Any]:
    contract = unit.contract
    return {
        "index": unit.index,
        "title": unit.title,
        "status": unit.status,
        "state": unit.state,
        "a": contract.a,
        "b": contract.b,
        "p": contract.p,
        "tags": list(unit.tags),
        "result": unit.result,
        "notes": unit.notes,
        "line": unit.line,
    }


@pytest.mark.parametrize("name", CASE_NAMES)
def test_case(name: str) -> None:
    text, expected = read_case(name)
    plan = parse(text, expected["file"], expected.get("shelf", "live"))
    if expected.get("skipped"):
        assert plan is None
        return
    assert plan is not None
    header = {key: expected[key] for key in expected.keys() - {"file", "units"}}
    assert {key: getattr(plan, key) for key in header} == header
    units = [as_expected(unit) for unit in plan.units]
    assert [
        {key: unit[key] for key in want} for unit, want in zip(units, expected["units"], strict=False)
    ] == (expected["units"])
    assert len(units) == len(expected["units"])


def test_every_case_has_both_files() -> None:
    assert sorted(path.stem for path in CASES.glob("*.md")) == CASE_NAMES


@pytest.mark.parametrize("name", CASE_NAMES)
@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
        pytest.param(lambda text: text.replace("\n", " \n"), id="trailing-blanks"),
        pytest.param(lambda text: text.rstrip("\n"), id="no-last-line-end"),
    ],
)
def test_bytes_that_do_not_matter(name: str, spoil: Any) -> None:
    """Line ends, a byte order mark and blanks at line ends change nothing but the blanks inside values."""
    text, expected = read_case(name)
    plain, spoiled = parse(text, expected["file"]), parse(spoil(text), expected["file"])

    def bare(plan: WorkPlan | None) -> WorkPlan | None:
        def strip(value: str) -> str:
            return "\n".join(map(str.rstrip, value.split("\n")))

        if plan is None:
            return None
        units = tuple(
            replace(
                unit,
                contract=replace(unit.contract, **{n: strip(getattr(unit.contract, n)) for n in "abp"}),
                result=unit.result and strip(unit.result),
                notes=strip(unit.notes),
            )
            for unit in plan.units
        )
        return replace(plan, units=units)

    assert bare(spoiled) == bare(plain)


def test_the_shelf_is_where_the_file_lies() -> None:
    """The same id may lie in both folders; both plans are kept apart by shelf and path."""
    text, _ = read_case("canonical")
    live = parse_work_plan(text, "WP-ST-21", "live", "work-plan/WP-ST-21.md")
    archived = parse_work_plan(text, "WP-ST-21", "archive", "archive/WP-ST-21.md")
    assert live and archived
    assert (live.wp_id, live.shelf, live.path) == ("WP-ST-21", "live", "work-plan/WP-ST-21.md")
    assert (archived.wp_id, archived.shelf, archived.path) == ("WP-ST-21", "archive", "archive/WP-ST-21.md")
    assert archived.units == live.units


@pytest.mark.parametrize(
    "value", ["", " ", "—", "-", "---", "⊥", "TBD", "`⊥`", "*(filled by /proceed-work)*", "{x y}"]
)
def test_placeholder(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize("value", ["none", "{ a: b }", "{a, b}", "x", "(see above)", "--force", "{"])
def test_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("[a-b], [c-d]", ("a-b", "c-d")),
        ("[[a-b, c-d]]", ("a-b", "c-d")),
        ("a-b, c-d.", ("a-b", "c-d")),
        ("[…]", ()),
        ("[a_b, C-D]", ("a_b", "C-D")),
        ("[a-b] (see [the list])", ("a-b",)),
    ],
)
def test_tags(value: str, tags: tuple[str, ...]) -> None:
    assert read_tags(value) == tags


# --- properties ------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "# WP-ST-1: x", "# y", "## Unit-Works", "### 1. one | STATUS: COMPLETED", "#### 2. two",
        "### U3 — three", "  ### 4. four", "- A: a", "- **B:** b", "- B:", "- P: {", "  }", "- Tags: [a-b",
        "- Result: r",
        "```", "~~~", "  ```py", "- B: ```", "---", "| x |", "**STATUS:** PENDING | **STATE:** —", "",
        "\t- A: x", "😀 글", "<!-- T-preservation: 1/100 (FAILED) -->", "\u2028### 1. x", "\x0c", "- **",
        "### **", "[", "(", "\r",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=40).map("\n".join) | st.text()


@given(TEXTS)
def test_any_text_is_read_and_lines_point_at_headings(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    plan = parse(text)
    for unit in plan.units if plan else ():
        assert lines[unit.line - 1].startswith("###")
        assert str(unit.index) in lines[unit.line - 1]


@given(TEXTS)
def test_a_plan_has_units_in_the_order_of_their_lines(text: str) -> None:
    plan = parse(text)
    if plan is not None:
        lines = [unit.line for unit in plan.units]
        assert lines
        assert lines == sorted(set(lines))


@given(TEXTS)
def test_sections_are_the_units_in_their_places(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    sections = unit_sections(text)
    plan = parse(text)
    if plan is not None:
        assert tuple(section.unit for section in sections) == plan.units
    assert len({section.level for section in sections}) <= 1
    end = 1
    for section in sections:
        assert end <= section.unit.line <= section.last < section.end <= len(lines) + 1
        assert lines[section.last - 1].strip()
        assert re.match("#+", lines[section.unit.line - 1])[0] == "#" * section.level
        end = section.end


@given(TEXTS)
def test_the_place_of_a_first_unit_is_below_some_text(text: str) -> None:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    place = place_of_first_unit(text)
    assert place == 0 or lines[place - 1].strip()


def test_sections_end_at_their_last_text_and_at_what_follows() -> None:
    sections = unit_sections(
        "# WP-ST-1: x\n## Unit-Works\n#### 1. a | STATUS: PENDING\n- A: a\n\n\n### Phase\n#### 3. b\n- A: b\n---\n"
    )
    places = [(section.unit.index, section.level, section.last, section.end) for section in sections]
    assert places == [(1, 4, 4, 7), (3, 4, 9, 10)]


def test_the_fence_that_a_plan_came_in_is_no_text_of_its_last_unit() -> None:
    plan = parse("# WP-ST-1: x\n\n```\n### 1. a | STATUS: PENDING\n- B: b\n  ```\n  x\n  ```\n```\n")
    assert plan is not None
    assert plan.units[0].contract.b == "b\n```\nx\n```"


@given(st.lists(st.sampled_from(["b", "  c", "    d", "- e", "* P", "`x`", "{", "}", ""]), max_size=8))
def test_a_value_is_kept_word_for_word(lines: list[str]) -> None:
    below = "".join(f"  {line}\n" for line in lines)
    plan = parse(f"# WP-ST-1: t\n### 1. u | STATUS: PENDING\n- B: first\n{below}- P: p\n")
    assert plan is not None
    assert plan.units[0].contract.b.split() == ["first", *" ".join(lines).split()]
    assert plan.units[0].contract.p == "p"


@pytest.mark.parametrize(
    "line",
    [
        "- Tags: [" + "(" * 30_000,
        "- Tags: " + "({" * 15_000,
        "- B: " + "`" * 30_000,
        "**STATUS:** " + "| " * 15_000,
        "### 1. " + "| STATUS " * 4_000,
        "### " + " " * 30_000 + "x",
        "- " + " " * 30_000 + "A: x",
        "# WP-" + "1-" * 15_000 + "x",
        "# WP-ST-" + "1" * 30_000,
        " " * 30_000 + "```",
        "```a\n" * 6_000,
        "- A: " + "/ B: " * 6_000 + "x",
        "---" + "-" * 30_000 + "x",
    ],
    ids=lambda line: line[:12].replace("\n", "⏎"),
)
def test_a_long_line_takes_no_longer_than_it_is(line: str) -> None:
    text = f"# WP-ST-1: t\n{line}\n### 1. u | STATUS: PENDING\n{line}\n- Tags: [a-b]\n"
    start = time.process_time()
    parse(text)
    parse(line)
    assert time.process_time() - start < 1.0


# --- files -----------------------------------------------------------------------------------------------


def test_a_file_is_read_with_its_shelf_and_path(tmp_path: Path) -> None:
    path = tmp_path / "WP-ST-7.md"
    path.write_bytes(b"\xef\xbb\xbf# WP-ST-7: t\r\n### 1. u | STATUS: PENDING\r\n- A: a\r\n  b\r\n")
    reading = read_file(path, "archive", MEGABYTE)
    (plan,) = reading.documents
    assert (plan.wp_id, plan.shelf, plan.path) == ("WP-ST-7", "archive", str(path))
    assert plan.units[0].contract.a == "a\nb"
    assert reading.problems == ()
    assert reading.searchable


def test_a_file_that_is_no_plan_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# Plans\n\nHow we plan.\n", encoding="utf-8")
    reading = read_file(path, "live", MEGABYTE)
    assert (reading.documents, reading.problems, reading.searchable) == ((), (), True)


@pytest.mark.parametrize("name", ["missing.md", "folder.md", "large.md"])
def test_a_file_that_gives_nothing_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "large.md").write_text("x" * 101, encoding="utf-8")
    reading = read_file(tmp_path / name, "live", 100)
    assert reading.documents == ()
    assert [problem.path for problem in reading.problems] == [str(tmp_path / name)]
    assert not reading.searchable


def test_a_plan_with_broken_bytes_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "WP-ST-7.md"
    path.write_bytes(b"# WP-ST-7: t\n### 1. u | STATUS: PENDING\n- A: \xff\n- B: b\n")
    reading = read_file(path, "live", MEGABYTE)
    assert reading.documents[0].units[0].contract.b == "b"
    assert [problem.path for problem in reading.problems] == [str(path)]
    assert reading.searchable
