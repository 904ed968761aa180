"""The bones of a work plan: headings at column 0, rules, and what is inside a code fence (spec/gem2.md §1.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence

RULE = 7
"""A `---` line in an outline; 1–6 are headings, 0 is text."""

_FENCE = re.compile(
    # A fence may open behind a bullet or a field name; missing it there would turn its end into a beginning.
    r"[ \t]*(?:[-*+>][ \t]{1,4}(?:[^`~:]{1,40}:(?:\*\*)?[ \t]{0,4})?)?(?P<run>`{3,}|~{3,})[^`]*$"
)


def without_wrapping_fence(lines: list[str]) -> list[str]:
    """Blank the fence around a whole file; line numbers stay."""
    written = [at for at, line in enumerate(lines) if line.strip()]
    if len(written) < 2:
        return lines
    first, last = written[0], written[-1]
    opened, closed = _FENCE.match(lines[first]), lines[last].strip()
    if not (opened and closes_fence(closed) and closed[0] == opened["run"][0]):
        return lines
    return ["" if at in (first, last) else line for at, line in enumerate(lines)]


def closes_fence(stripped: str) -> bool:
    """Whether a line, without the blanks around it, can end a code fence."""
    return len(stripped) >= 3 and stripped[0] in "`~" and not stripped.strip(stripped[0])


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Mark what stands inside a code fence, however far it is indented. One that never closes is none."""
    closable = [False] * len(lines)
    longest = {"`": 0, "~": 0}  # the longest closing run still to come
    runs = [match["run"] if (match := _FENCE.match(line)) else "" for line in lines]
    for at in reversed(range(len(lines))):
        if runs[at]:
            closable[at] = longest[runs[at][0]] >= len(runs[at])
            if closes_fence(lines[at].strip()):
                longest[runs[at][0]] = max(longest[runs[at][0]], len(runs[at]))
    inside, opened = [False] * len(lines), ""
    for at, line in enumerate(lines):
        inside[at] = bool(opened)
        if not opened:
            opened = runs[at] if closable[at] else ""
        elif closes_fence(line.strip()) and line.strip().startswith(opened):
            opened = ""
    return inside


def outline_of(lines: Sequence[str], fenced: Sequence[bool]) -> list[int]:
    """For each line the level of the heading at its column 0, `RULE` for a `---`, -1 in a fence, else 0."""
    return [-1 if hidden else _level(line) for line, hidden in zip(lines, fenced, strict=True)]


def _level(line: str) -> int:
    if line.startswith("---"):
        return 0 if line.strip().strip("-") else RULE
    level = len(line) - len(line.lstrip("#"))
    return level if 1 <= level <= 6 and line[level : level + 1] in (" ", "\t") else 0
