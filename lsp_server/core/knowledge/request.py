"""A request for knowledge as it comes, and as one of its two shapes (seeds/search-knowledge.md, Parameters).

Precedence of what is wrong: the runtime switch, types, mixing, what is required, ranges, and last the resource
(spec/knowledge.md §1.1). An empty or blank text is absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from lsp_server.core.knowledge.errors import (
    InvalidRequestError,
    ItemRequiredError,
    QueryRequiredError,
)

Mode: TypeAlias = Literal["hybrid", "lexical", "semantic", "rrf"]

MAX_QUERY_CHARACTERS = 2_000
MAX_RESULTS = 50
MAX_LIMIT_CHARACTERS = 10_000

_TEXTS = ("query", "knowledge_base_id", "knowledge_item_id", "knowledge_revision_id")


@dataclass(frozen=True, slots=True)
class KnowledgeQuery:
    """A ranked search."""

    query: str
    base_id: str | None = None
    max_results: int = 10
    mode: Mode = "hybrid"
    alpha: float = 0.5
    """Weight of the lexical score in `hybrid`; that of the semantic one is 1 - alpha."""


@dataclass(frozen=True, slots=True)
class AddressedRead:
    """A read of one item, or of one of its revisions."""

    item_id: str
    base_id: str | None = None
    revision_id: str | None = None
    offset: int = 0
    """In code points, from 0."""
    limit_chars: int = 4000


def read_request(parameters: Mapping[str, object]) -> KnowledgeQuery | AddressedRead:
    """Check parameters by the seed's names; what is missing or `None` has its default.

    Raises
    ------
    InvalidRequestError, QueryRequiredError, ItemRequiredError
        As the seed says, in the precedence above.
    """
    unknown = sorted(set(parameters) - {*_TEXTS, "offset", "limit_chars", "max_results", "mode", "alpha"})
    if unknown:
        raise InvalidRequestError(f"unknown parameter {', '.join(map(repr, unknown))}")
    query, base_id, item_id, revision_id = (_text(parameters, name) for name in _TEXTS)
    query = query.strip()
    offset = _integer(parameters, "offset", 0)
    limit_chars = _integer(parameters, "limit_chars", 4000)
    max_results = _integer(parameters, "max_results", 10)
    alpha = _number(parameters, "alpha", 0.5, 0.0, 1.0)
    mode = _mode(parameters)
    if query and (item_id or revision_id):
        raise InvalidRequestError("give either a query or the id of an item, not both")
    if revision_id and not item_id:
        raise ItemRequiredError("a revision needs the id of its item, knowledge_item_id")
    if not query and not item_id:
        raise QueryRequiredError("give a query, or the id of an item to read")
    _check_range("offset", offset, 0, None)
    _check_range("limit_chars", limit_chars, 1, MAX_LIMIT_CHARACTERS)
    _check_range("max_results", max_results, 1, MAX_RESULTS)
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidRequestError(
            f"the query has {len(query)} characters; at most {MAX_QUERY_CHARACTERS} are searched"
        )
    if item_id:
        return AddressedRead(item_id, base_id or None, revision_id or None, offset, limit_chars)
    return KnowledgeQuery(query, base_id or None, max_results, mode, alpha)


def _text(parameters: Mapping[str, object], name: str) -> str:
    value = parameters.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidRequestError(f"{name} has to be text")
    # An id is exact, blanks in it included.
    return value if value.strip() else ""


def _integer(parameters: Mapping[str, object], name: str, default: int) -> int:
    value = parameters.get(name)
    if value is None:
        return default
    # In Python a bool is an int; in a request it is a mistake.
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequestError(f"{name} has to be a whole number")
    return value


def _number(parameters: Mapping[str, object], name: str, default: float, least: float, most: float) -> float:
    value = parameters.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidRequestError(f"{name} has to be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidRequestError(f"{name} has to be a number")
    # Limited before it becomes a float, which a whole number may be too large for.
    return float(min(most, max(least, value)))


def _mode(parameters: Mapping[str, object]) -> Mode:
    text = _text(parameters, "mode").strip().casefold()
    modes: tuple[Mode, ...] = get_args(Mode)
    # What is not recognised means hybrid; the seed makes it no error.
    return next((mode for mode in modes if mode == text), "hybrid")


def _check_range(name: str, value: int, least: int, most: int | None) -> None:
    if value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidRequestError(f"{name} is {value}; it has to be {bounds}")
