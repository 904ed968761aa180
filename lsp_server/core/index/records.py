"""Documents as bytes and back: frozen dataclasses as JSON arrays of their fields.

JSON, because a cache file is data from disk: whatever it holds, decoding it runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Document = TypeVar("Document")


def to_record(document: Any) -> bytes:
    """Write a dataclass of text, numbers, `None`, tuples and further dataclasses."""
    plain = json.dumps(_to_plain(document), ensure_ascii=False, separators=(",", ":"))
    return plain.encode("utf-8", "surrogatepass")


def from_record(kind: type[Document], record: bytes) -> Document:
    """Read what `to_record` wrote of a `kind`."""
    document: Document = _from_plain(kind, json.loads(record.decode("utf-8", "surrogatepass")))
    return document


def _to_plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    if is_dataclass(value):
        return [_to_plain(getattr(value, name)) for name, _ in _fields_of(value.__class__)]
    return value


def _from_plain(kind: Any, plain: Any) -> Any:
    make: Any = kind
    if is_dataclass(kind):
        hints = (hint for _, hint in _fields_of(make))
        return make(*(_from_plain(hint, item) for hint, item in zip(hints, plain, strict=True)))
    if get_origin(kind) is tuple:
        (item_kind, *_) = get_args(kind)
        return tuple(_from_plain(item_kind, item) for item in plain)
    return plain


@cache
def _fields_of(kind: Hashable) -> tuple[tuple[str, Any], ...]:
    """The name and type of each field of a dataclass; an optional one as the type that it may have."""
    made: Any = kind
    hints = get_type_hints(made)
    return tuple((field.name, _without_none(hints[field.name])) for field in fields(made))


def _without_none(hint: Any) -> Any:
    alternatives = [choice for choice in get_args(hint) if choice is not NoneType]
    return alternatives[0] if NoneType in get_args(hint) and len(alternatives) == 1 else hint
