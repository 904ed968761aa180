"""What single values of a work plan mean: placeholders, tags, statuses and states (spec/gem2.md §1.1–1.4)."""

from __future__ import annotations

import re

from lsp_server.core.matching import fold
from lsp_server.core.model import State

PENDING = "PENDING"
STATUSES = (
    "PENDING",
    "IN_PROGRESS",
    "COMPLETED",
    "ABORTED",
    "DECOMPOSED",
    "DEFERRED",
    "BLOCKED",
    "CANCELLED",
)

EMPTY_VALUES = frozenset({"", "—", "–", "-", "--", "---", "⊥", "n/a", "tbd"})
TEMPLATE_VALUES = ("(filled by ", "(optional external verification")

# Bounded, because a line may have 30 000 characters.
_SHORTHAND = re.compile(r"(?:/[ \t]{0,4}[\w¬]{1,12}:[ \t]{0,4}){1,12}")


def is_placeholder(value: str) -> bool:
    """Whether a value is what a template left there (spec/gem2.md §1.3, last line)."""
    bare = fold(value.strip().strip("*_` "))
    if bare in EMPTY_VALUES or _SHORTHAND.fullmatch(bare):
        return True
    if bare.startswith(TEMPLATE_VALUES):
        return bare.find(")") == len(bare) - 1
    return bare[0] == "{" and bare[-1] == "}" and not any(mark in bare[1:-1] for mark in "{}:,=|\n")


def read_tags(value: str) -> tuple[str, ...]:
    """List the tags of a `Tags:` field in any of its shapes, as written, each once (spec/gem2.md §1.4)."""
    text = re.sub(r"\([^()]*\)|\{[^{}]*\}", " ", value)  # remarks and template words
    if "[" in text:
        groups = re.findall(r"\[([^\[\]]*)\]", text) or [text.split("[", 1)[1]]
        text = " ".join(groups)
    else:
        text = "\n".join(re.split(r"[—–]", line, maxsplit=1)[0] for line in text.split("\n"))
    tokens = (token.strip("`'\"“”‘’#*-+.…[]()") for token in re.split(r"[,;\s]+", text))
    return tuple(dict.fromkeys(token for token in tokens if any(map(str.isalnum, token))))


def read_status(value: str) -> str:
    """Name the status; an unknown word stays as written, a missing one means PENDING (§1.2)."""
    bare = value.strip("*_` \t")
    if is_placeholder(bare) or bare.startswith("{"):
        return PENDING
    word = bare.upper().replace("-", "_").replace(" ", "_")
    return next((known for known in STATUSES if word.startswith(known)), bare)


def read_state(value: str) -> State:
    """Take the state from the first word: `SUCCESS (retried=⊤)` is SUCCESS, anything unknown is `—`."""
    first = re.match(r"[^\w({]{0,8}([A-Za-z]+)", value)
    word = first[1].upper() if first and not is_placeholder(value) else ""
    if word == "SUCCESS":
        return "SUCCESS"
    return "FAILURE" if word == "FAILURE" else "—"
