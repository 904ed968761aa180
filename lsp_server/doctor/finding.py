"""What `prior-art doctor` found out: one line, and what to do where something is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    topic: str
    text: str
    advice: str | None = None
    """What to do; `None` where nothing is wrong."""


def checked(topic: str, check: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of a check, which hides no other one when it fails."""
    try:
        yield from check
    except Exception as error:
        yield failure(topic, error)


def failure(topic: str, error: Exception) -> Finding:
    """What a check says that could not be made; the error's own words may be anybody's."""
    if isinstance(error, ImportError):
        return Finding(
            topic, f"{error.name or 'a package'} cannot be imported", "install prior-art-lsp again"
        )
    return Finding(topic, f"this check failed: {type(error).__name__}", "report it, with these lines")
