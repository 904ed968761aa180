"""Metadata at the head of a Markdown file, behind a fence rule of our own.

python-frontmatter reads the YAML, but decides too generously what is a header: it cuts text away where a
file merely opens with a horizontal rule, and it raises on values that people do write, such as
`title: Root cause: clock drift`. So it is only ever shown what stands inside the fences, and the body is never
taken from it (spec/field-notes.md §0.8 and §2 items 25–26).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

MAX_HEADER_CHARACTERS = 65_536
"""What is longer is no header: a file that opens with a horizontal rule, and has another one far below."""

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"([^\W\d][\w-]*):")
_CONTINUATION = re.compile(r"[ \t]|#|-|$")
_NULLS = frozenset({"", "~", "null"})

_YAML = YAMLHandler()
_AS_WRITTEN = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Leaves every value the text that it is: `1.10`, `no`, `12:30` and `2024-13-45` are good titles."""


def split_metadata(text: str) -> tuple[Mapping[str, Any], str]:
    """Metadata and body of a file; the metadata is empty where there is no header.

    Values are texts, lists or mappings. A block that is no YAML mapping is read entry by entry, and an entry
    that is no YAML as a flat `key: value`, the way the wiki's own writer means it (spec/masc.md §3). A block
    with any other line in it is a piece of the body.
    """
    block = _BLOCK.match(text, 0, MAX_HEADER_CHARACTERS)
    if block is None or block.end() == MAX_HEADER_CHARACTERS:
        return {}, text
    inside = block.group(1) or ""
    metadata = _as_yaml(inside) or _entry_by_entry(inside)
    return (metadata, text[block.end() :]) if metadata else ({}, text)


def text_value(metadata: Mapping[str, Any], key: str) -> str | None:
    """A metadata value as text, or `None` when it is missing, blank, null or not a single value."""
    value = metadata.get(key)
    if not isinstance(value, str) or value.strip() in _NULLS:
        return None
    return value.strip()


def list_value(metadata: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A metadata value as texts: a YAML list, or one text with commas or white space between."""
    value = metadata.get(key)
    if isinstance(value, list):
        texts = (item.strip() for item in value if isinstance(item, str))
        return tuple(text for text in texts if text not in _NULLS)
    if isinstance(value, str) and value not in _NULLS:
        return tuple(word for word in re.split(r"[\s,\[\]]+", value) if word)
    return ()


def _as_yaml(inside: str) -> Mapping[str, Any]:
    try:
        metadata = _YAML.load(inside, Loader=_AS_WRITTEN)
    except Exception:  # PyYAML raises ValueError, RecursionError and its own; none may stop the index
        return {}
    return metadata if isinstance(metadata, dict) else {}


def _entry_by_entry(inside: str) -> Mapping[str, Any]:
    entries: list[list[str]] = [[]]
    for line in inside.split("\n"):
        if _KEY.match(line):
            entries.append([line])
        elif _CONTINUATION.match(line):
            entries[-1].append(line)
        else:
            return {}
    metadata: dict[str, Any] = {}
    for entry in entries[1:]:
        key, _, value = entry[0].partition(":")
        metadata |= _as_yaml("\n".join(entry)) or {key: value.strip()}
    return metadata
