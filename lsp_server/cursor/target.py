"""What a recogniser answers, and the one helper that all of them use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["error_code", "filename", "symbol", "id"]


@dataclass(frozen=True, slots=True)
class Target:
    """What to look up, and the range `line[start:end]` in code points that a hover highlights.

    `text` may differ from the slice: a link target is percent-decoded, a diff prefix dropped.
    """

    kind: Kind
    text: str
    start: int
    end: int


def match_over(
    pattern: re.Pattern[str], line: str, column: int, group: int | str = 0
) -> re.Match[str] | None:
    """The match whose `group` covers the character at `column`."""
    for match in pattern.finditer(line):
        if match.start() > column:
            return None
        if match.start(group) <= column < match.end(group):
            return match
    return None
