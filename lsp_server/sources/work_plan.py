"""One work plan as its header and unit-works, in every dialect that people and tools write (spec/gem2.md §1).

What holds a plan together is small: a title with the id, fields below it, `### N.` headings at column 0, and
`- NAME:` lines at column 0 below those. Everything else is the text of whatever it stands in. A file in which
that much is not found is no plan, and that is no fault: folders hold notes and logs too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lsp_server.core.matching import fold
from lsp_server.core.model import WORK_PLAN_ID, Contract, Shelf, UnitWork, WorkPlan
from lsp_server.sources.work_plan_outline import (
    RULE,
    closes_fence,
    fenced_lines,
    outline_of,
    without_wrapping_fence,
)
from lsp_server.sources.work_plan_values import (
    PENDING,
    is_placeholder,
    read_state,
    read_status,
    read_tags,
)

LOG_TITLES = ("verification log", "truth log", "archived result")
"""Titles of files that name a plan and have sections for its units without being one (spec/gem2.md §5)."""

# Every repetition below is bounded or cannot be entered twice, because a line may have 30 000 characters.
_LEADING_ID = re.compile(rf"({WORK_PLAN_ID})(?!\w|\.\.)", re.IGNORECASE)
_TITLE_START = re.compile(r"[*_`\[(\s]{0,4}(?:work[- ]?plan[\s:—–-]{1,4})?[*_`\[(]{0,4}", re.IGNORECASE)
_AFTER_ID = re.compile(r"[\])*_`]{0,4}[ \t]{0,4}(?:[:—–-][ \t]{0,4})?[*_]{0,2}")
_UNKNOWN_ID = re.compile(r"\{?WP\b[^:\s]{0,60}:", re.IGNORECASE)
_HEADER_KEY = re.compile(
    r"[ \t]{0,8}(?:[-*+>][ \t]{1,4})?"
    r"(?:\*\*(?P<bold>[A-Za-z][\w ]{0,30})(?::\*\*|\*\*[ \t]{0,2}:)"
    r"|(?P<plain>STATUS|STATE|task_id|created_at|updated_at|archived_at|project_slug|parent_context|handoff_to)"
    r"[ \t]{0,2}:)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"#{3,4}[ \t]+(?P<bold>\*\*)?(?:unit[ \t]{1,4}|U)?(?P<index>[0-9]{1,6})[A-Z]?"
    r"(?:[.):](?![0-9])|[ \t]{1,4}[—–-](?=[ \t]))(?P<rest>.*)",
    re.IGNORECASE,
)
_UNIT_WORKS = re.compile(r"\bunit[- ]?works?\b", re.IGNORECASE)
_UNIT_STATUS = re.compile(
    r"(?:[|\[(]|(?<=[ \t])[—–-][ \t])[ \t]{0,8}\*{0,2}status\*{0,2}[ \t]{0,8}:", re.IGNORECASE
)
_FIELD = re.compile(
    r"[-*+][ \t]{1,8}(?:\*\*)?(?P<name>¬B|-B|neg_B|A|B|P|Clarity|Unclear|Acceptance|Tags|Result|State|Truth"
    r"|SPT|Action|Depends(?:[ _]on)?)[ \t]{0,4}(?:\([^()]{0,60}\)[ \t]{0,4})?(?::\*\*|\*\*[ \t]{0,4}:|:)",
    re.IGNORECASE,
)
_FOOTER = re.compile(r"<!--[ \t]{0,4}T-preservation\b", re.IGNORECASE)


def parse_work_plan(text: str, stem: str, shelf: Shelf, path: str) -> WorkPlan | None:
    """Read the work plan that `text` holds, or `None` when it holds none (spec/gem2.md §1–2).

    Parameters
    ----------
    text
        All of the file.
    stem
        The file's name without `.md`; it gives the id where the title does not.
    shelf
        Where the file lies: nothing in it says so.
    path
        Where the file lies, as matches will show it.

    """
    plan = _outlined(text)
    lines, titles = plan.lines, plan.titles
    if not plan.units or (titles and fold(lines[titles[0]]).lstrip("# *").startswith(LOG_TITLES)):
        return None
    wp_id, title = _identity([lines[at].lstrip("#") for at in titles], stem)
    if wp_id is None:
        return None
    header = _header(lines, plan.outline, titles[0] if titles else 0)
    return WorkPlan(
        wp_id=wp_id,
        title=title,
        status=read_status(header.get("status", "")),
        state=read_state(header.get("state", "")),
        shelf=shelf,
        project_slug=header.get("project_slug"),
        path=path,
        units=tuple(section.unit for section in plan.units),
    )


@dataclass(frozen=True, slots=True)
class UnitSection:
    """A unit-work and where it stands in its plan; lines count from 1, as `unit.line` does."""

    unit: UnitWork
    level: int
    """Of its heading, the same for all units of a plan."""
    last: int
    """The last line with text of the unit."""
    end: int
    """The line at which something else begins; after the file's last line where nothing does."""


def unit_sections(text: str) -> tuple[UnitSection, ...]:
    """Find the unit-works of a text, in the order of their lines, as `parse_work_plan` reads them."""
    return _outlined(text).units


def place_of_first_unit(text: str) -> int:
    """Where the first unit-work of a plan that has none belongs: after which line, 0 for above the first.

    That is below `## Unit-Works` and what is said there (spec/gem2.md §1.1), else the end of the text.
    """
    plan = _outlined(text)
    chapters = (
        at for at, level in enumerate(plan.outline) if level == 2 and _UNIT_WORKS.search(plan.lines[at])
    )
    chapter = next(chapters, None)
    if chapter is None:
        return _last_with_text(plan.lines, 0, len(plan.lines))
    below = (at for at in range(chapter + 1, len(plan.lines)) if plan.outline[at] > 0)
    return _last_with_text(plan.lines, chapter, next(below, len(plan.lines)))


@dataclass(frozen=True, slots=True)
class _Outlined:
    """A file's lines with the level of each, where its titles stand, and its units."""

    lines: Sequence[str]
    outline: Sequence[int]
    titles: Sequence[int]
    units: tuple[UnitSection, ...]


def _outlined(text: str) -> _Outlined:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = without_wrapping_fence(lines)
    outline = outline_of(lines, fenced_lines(lines))
    titles = _titles(lines, outline)
    units = _units(lines, outline)
    if not units:  # an answer that was saved with the fence it came in
        bare = outline_of(lines, [False] * len(lines))
        units = _units(lines, bare, in_fence=True)
        if units:
            return _Outlined(lines, bare, titles or _titles(lines, bare), units)
    return _Outlined(lines, outline, titles, units)


# --- title and header ------------------------------------------------------------------------------------


def _titles(lines: Sequence[str], outline: Sequence[int]) -> list[int]:
    """Find the `# ` lines above the first unit: a tool may have put one above the author's."""
    found: list[int] = []
    for at, level in enumerate(outline):
        if level in (3, 4) and _UNIT.match(lines[at]):
            break
        if level == 1:
            found.append(at)
    return found


def _identity(titles: Sequence[str], stem: str) -> tuple[str | None, str]:
    """Id and title: from the first title that begins with an id, else the id from the file's name."""
    for title in titles:
        start = _TITLE_START.match(title)
        found = _LEADING_ID.match(title, start.end() if start else 0)
        if found:
            rest = title[found.end() :]
            if rest.startswith("-") and ":" in rest:  # WP-01-fork-and-rename: title
                rest = rest[rest.index(":") :]
            after = _AFTER_ID.match(rest)
            return found[1].upper(), rest[after.end() if after else 0 :].strip().removesuffix("**")
    named = _LEADING_ID.match(stem)
    title = titles[0].strip() if titles else ""
    unknown = _UNKNOWN_ID.match(title)
    return named[1].upper() if named else None, title[unknown.end() :].strip() if unknown else title


def _header(lines: Sequence[str], outline: Sequence[int], start: int) -> dict[str, str]:
    """Fields below the title, first filled value wins: that is the header which tools rewrite (§1.1)."""
    fields: dict[str, str] = {}
    for line, level in zip(lines[start:], outline[start:], strict=True):
        if level > 1:
            break
        for key, value in _header_fields(line) if level == 0 else ():
            if not is_placeholder(value):
                fields.setdefault(fold(key), value)
    return fields


def _header_fields(line: str) -> Iterator[tuple[str, str]]:
    """`**KEY:** value | **KEY:** value`. A bar that no key follows belongs to the value (§1.1)."""
    pieces: list[str] = []
    for piece in line.split("|"):
        if pieces and not _HEADER_KEY.match(piece):
            pieces[-1] += "|" + piece
        else:
            pieces.append(piece)
    for piece in pieces:
        if key := _HEADER_KEY.match(piece):
            yield key["bold"] or key["plain"], piece[key.end() :].strip()


# --- units -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Body:
    """A unit's text by field; a field that is named but empty is there with an empty value."""

    fields: dict[str, str]
    notes: str


def _units(
    lines: Sequence[str], outline: Sequence[int], *, in_fence: bool = False
) -> tuple[UnitSection, ...]:
    """Read the unit-works of a plan (spec/gem2.md §1.2); each ends at the next heading or rule."""
    headings = {
        at: m for at, level in enumerate(outline) if level in (3, 4) and (m := _UNIT.match(lines[at]))
    }
    unit_level = min((outline[at] for at in headings), default=0)
    ends = [at for at, level in enumerate(outline) if level == RULE or 1 <= level <= unit_level]
    units: list[UnitSection] = []
    chapter = ""
    for at, end in pairwise([*ends, len(lines)]):
        if outline[at] <= 2:
            chapter = fold(lines[at])
        if at not in headings:
            continue
        last = _last_with_text(lines, at, end)
        if in_fence and closes_fence(lines[last - 1].strip()) and not fenced_lines(lines[at:last])[-1]:
            last = _last_with_text(lines, at, last - 1)  # The fence that the plan came in ends here.
        heading, body = headings[at], _body(lines[at + 1 : last], outline[at + 1 : last])
        title, status = _title_and_status(heading)
        # A numbered heading of some other chapter is a unit only if it says so itself.
        if status is None and not body.fields and chapter.startswith("## ") and "unit" not in chapter:
            continue
        unit = _unit(int(heading["index"]), title, read_status(status or ""), body, at + 1)
        units.append(UnitSection(unit, unit_level, last, end + 1))
    return tuple(units)


def _last_with_text(lines: Sequence[str], first: int, end: int) -> int:
    """The last line before `end` that is not blank, counted from 1; at least `first`, which may be none."""
    return next((at + 1 for at in reversed(range(first, end)) if lines[at].strip()), first)


def _unit(index: int, title: str, status: str, body: _Body, line: int) -> UnitWork:
    value = body.fields.get
    return UnitWork(
        index=index,
        title=title,
        status=status,
        state=read_state(value("state", "")),
        contract=Contract(a=value("a", ""), b=value("b", ""), p=value("p", "")),
        tags=read_tags(value("tags", "")),
        result=None if status == PENDING else value("result") or None,
        notes=body.notes,
        line=line,
    )


def _title_and_status(heading: re.Match[str]) -> tuple[str, str | None]:
    """Split at the last `| STATUS:`, so that a title may speak of a status itself (§1.2)."""
    rest = heading["rest"]
    *_, last = (None, *_UNIT_STATUS.finditer(rest))
    title = (rest[: last.start()] if last else rest).strip()
    if heading["bold"]:
        title = title.replace("**", "", 1).strip()
    return title, rest[last.end() :].strip(" \t*])") if last else None


def _body(lines: Sequence[str], outline: Sequence[int]) -> _Body:
    """Fields start at column 0 (§1.3); in a unit that is indented as a whole, where its text starts."""
    if not any(_FIELD.match(line) for line in lines):
        lines = textwrap.dedent("\n".join(lines)).split("\n")
    chunks: list[tuple[str, list[str]]] = [("", [""])]
    for line, level in zip(lines, outline, strict=False):
        field = _FIELD.match(line) if level >= 0 else None
        if field:
            chunks.append((fold(field["name"]), [line[field.end() :]]))
        elif not _FOOTER.match(line):
            chunks[-1][1].append(line)
    fields: dict[str, str] = {}
    for name, value in ((name, _value(value)) for name, value in chunks[1:]):
        if value or name not in fields:
            fields[name] = value
    return _Body(fields, notes=_value(chunks[0][1]))


def _value(lines: Sequence[str]) -> str:
    """Join the first line's rest and the lines below, moved left as one; empty for a placeholder."""
    below = textwrap.dedent("\n".join(lines[1:]))
    value = f"{lines[0].strip()}\n{below}".strip("\n").rstrip()
    return "" if is_placeholder(value) else value
