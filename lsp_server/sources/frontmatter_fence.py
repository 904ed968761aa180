"""Metadata at the head of a Markdown file, behind a fence rule of our own.

python-frontmatter reads the YAML, but decides too generously what is a header: it cuts text away where a
file merely opens with a horizontal rule, and it raises on values that people do write, such as
`title: Root cause: clock drift`. So it is only ever shown the fenced block, and the body is never taken
from it (spec/field-notes.md §0.8 and §2 items 25–26).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import frontmatter

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADER_LINE = re.compile(r"[ \t]|#|-|[A-Za-z_][\w-]*:|$")
_FLAT_LINE = re.compile(r"^([A-Za-z_][\w-]*):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def split_metadata(text: str) -> tuple[Mapping[str, Any], str]:
    """Metadata and body of a file; the metadata is empty where there is no header.

    A block that is no YAML mapping is read line by line as flat `key: value`, the way the wiki's own writer
    means it (spec/masc.md §3). A block with any other line in it is a piece of the body.
    """
    block = _BLOCK.match(text)
    if block is None:
        return {}, text
    metadata = _as_yaml(block.group(0)) or _as_flat_lines(block.group(1) or "")
    return (metadata, text[block.end() :]) if metadata else ({}, text)


def text_value(metadata: Mapping[str, Any], key: str) -> str | None:
    """A metadata value as text, or `None` when it is missing, blank or not a single value."""
    value = metadata.get(key)
    if value is None or isinstance(value, list | dict):
        return None
    return str(value).strip() or None


def list_value(metadata: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A metadata value as texts: a YAML list, or one text with commas or white space between."""
    value = metadata.get(key)
    if isinstance(value, list):
        return tuple(str(item).strip() for item in value if item is not None)
    if isinstance(value, str):
        return tuple(word for word in re.split(r"[\s,\[\]]+", value) if word)
    return ()


def _as_yaml(block: str) -> Mapping[str, Any]:
    try:
        metadata, _ = frontmatter.parse(block)
    except Exception:  # PyYAML raises ValueError, RecursionError and its own; none may stop the index
        return {}
    return metadata


def _as_flat_lines(inside: str) -> Mapping[str, Any]:
    if not all(_HEADER_LINE.match(line) for line in inside.split("\n")):
        return {}
    return dict(_FLAT_LINE.findall(inside))
