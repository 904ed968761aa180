"""A proven contract as a new unit-work of the plan that somebody is writing.

Where units stand is asked of the parser that reads plans, and what was written is read back with it: an
insertion that would change what the plan says elsewhere, or say less than the contract, is none.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lsp_server.core.model import ContractMatch, UnitWork
from lsp_server.render import one_line
from lsp_server.snapshot import Insertion, line_end_of
from lsp_server.sources.work_plan import UnitSection, place_of_first_unit, unit_sections
from lsp_server.sources.work_plan_values import PENDING
from lsp_server.text import split_lines

UNIT_LEVEL = 3
"""Of a unit-work's heading in a plan that has none yet (spec/gem2.md §1.2)."""


def is_plan(path: Path | None) -> bool:
    """Whether a document is a work plan in the making (spec/gem2.md §2)."""
    return (
        path is not None
        and path.suffix.lower() == ".md"
        and path.parent.name == "work-plan"
        and path.parent.parent.name == ".gem-squared"
    )


def insert_unit_work(match: ContractMatch, plan: str, line: int) -> Insertion | None:
    """The contract as a new PENDING unit-work in a plan's text, or `None` where it cannot be put as it is.

    It goes after the unit that the cursor's line (from 0) is in, else after the last one, and is numbered
    after the highest. A fence that is still open, for instance, may leave no way to add the contract.
    """
    units = unit_sections(plan)
    number = max((section.unit.index for section in units), default=0) + 1
    level = units[0].level if units else UNIT_LEVEL
    after = _unit_at(units, line + 1).last if units else place_of_first_unit(plan)
    lines = split_lines(plan)
    above, below = lines[:after], lines[after:]
    written = unit_lines(match, number, level)
    if above:
        written = ["", *written]
    if below and below[0].strip():
        written = [*written, ""]
    line_end = line_end_of(plan)
    first = line_end if above and not above[-1].endswith(("\n", "\r")) else ""
    text = first + "".join(line + line_end for line in written)
    insertion = Insertion(len("".join(above)), text)
    heading = after + 2 if above else 1
    return insertion if _reads_back(insertion.into(plan), units, match, number, heading) else None


def _unit_at(units: Sequence[UnitSection], line: int) -> UnitSection:
    return next((section for section in units if section.unit.line <= line < section.end), units[-1])


def unit_lines(match: ContractMatch, number: int, level: int) -> list[str]:
    """The unit as in the plan template (spec/gem2.md §1.1); A, B and P are verbatim."""
    contract = match.contract
    return [
        f"{'#' * level} {number}. {one_line(match.unit_title)} | STATUS: {PENDING}",
        *_field("A", contract.a),
        *_field("B", contract.b),
        *_field("P", contract.p),
        f"- Tags: [{', '.join(match.tags)}]",
        "- Result:",
        "- State:",
    ]


def _field(name: str, value: str) -> list[str]:
    """A field's lines; a further line belongs to it as long as it is indented (spec/gem2.md §1.3).

    Reading strips a value's first line and moves the others left as one. A value that would not survive
    this begins on the line below the name, so that all its lines are moved alike.
    """
    first, *rest = value.split("\n")
    below = "\n".join(rest)
    if first != first.strip() or textwrap.dedent(below) != below:
        first, rest = "", [first, *rest]
    return [f"- {name}: {first}".rstrip(), *(f"  {line}" if line else "" for line in rest)]


def _reads_back(
    plan: str, known: Sequence[UnitSection], match: ContractMatch, number: int, heading: int
) -> bool:
    """Whether the plan has the new unit at its line, and all others as they were."""
    units = [section.unit for section in unit_sections(plan)]
    others = [_anywhere(unit) for unit in units if unit.line != heading]
    if others != [_anywhere(section.unit) for section in known]:
        return False
    return any(
        (unit.index, unit.status, unit.contract, unit.tags) == (number, PENDING, match.contract, match.tags)
        for unit in units
        if unit.line == heading
    )


def _anywhere(unit: UnitWork) -> UnitWork:
    return replace(unit, line=0)
