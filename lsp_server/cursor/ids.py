"""Ids: work plans, board posts and comments, memory facts, issues, commits, UUIDs."""

from __future__ import annotations

import re

from lsp_server.core.model import WORK_PLAN_ID
from lsp_server.cursor.known_codes import DATABASE_PREFIXES, MESSAGE_NUMBERS, NUMBERED_STANDARDS
from lsp_server.cursor.target import Target, match_over

_WHOLE = r"(?![A-Za-z0-9_])"
_ID = re.compile(
    rf"(?<![A-Za-z0-9_]) (?<![A-Za-z0-9_]-) (?: {WORK_PLAN_ID}{_WHOLE} | (?!{MESSAGE_NUMBERS}{_WHOLE}) (?:"
    r"""
        [pc]-[0-9a-f]{32} (?![A-Za-z0-9_])                                # spec/masc.md §2.2
      | sha256:[0-9a-f]{8,64} (?![A-Za-z0-9_])                            # spec/masc.md §1.2
      | [0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12} (?![A-Za-z0-9_])
      | (?:[0-9a-f]{64}|[0-9a-f]{40}) (?![A-Za-z0-9_])                    # a whole hash
      | (?<!\#) (?=[0-9a-f]{0,11}[0-9][a-f]) (?=[0-9a-f]{0,11}[a-f][0-9]) # a short hash mixes both kinds
        [0-9a-f]{7,12} (?![A-Za-z0-9_])
      | (?<=\() [A-Z][A-Z0-9]{1,9}-\d{1,7} (?= \)!?: )                    # fix(PROJ-123): the scope of a commit
      | (?<! [\w)\]][(\[] ) (?<! [+*<] ) (?<! [=+*/<]\s )                 # arr[LEN-10] subtracts
        (?P<project>[A-Z][A-Z0-9]{1,9})-\d{2,7} (?! [A-Za-z0-9_] | -\d | \s*[+*] )
    ))
    """,
    re.VERBOSE,
)


def work_item_id(line: str, column: int) -> Target | None:
    """The id under the cursor, if it is one of a kind that stands for one thing."""
    match = match_over(_ID, line, column)
    if match is None or match["project"] in _NO_PROJECTS:
        return None
    return Target("id", match[0], match.start(), match.end())


_ADVISORIES = {"CVE", "CWE", "DSA", "GHSA", "GO", "PYSEC", "USN"}
_SUBTRACTED_FROM = {"LEN", "MAX", "MIN", "SIZE"}
_NO_PROJECTS = NUMBERED_STANDARDS | DATABASE_PREFIXES | _ADVISORIES | _SUBTRACTED_FROM
