"""An answer as the JSON list that an editor's pickers and trees show: one row for each match of any source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lsp_server.copy_text import copy_text
from lsp_server.core.model import (
    ContractMatch,
    Fact,
    KnowledgeMatch,
    Page,
    Post,
    SourceName,
    overall_status,
)
from lsp_server.json_form import Json, problems_json
from lsp_server.lookup import AnyMatch, Lookup, identity, place_of
from lsp_server.paths import shown
from lsp_server.render import day, line_of, one_line

RootOf = Callable[[str], Path]
"""The root that a path belongs to; places are named relative to it."""


def look_up_json(lookup: Lookup, asked: Sequence[SourceName], root_of: RootOf) -> Json:
    """`{"type": "look_up", …}` with the state of each source that was asked."""
    by_source = lookup.by_source
    return {
        "type": "look_up",
        "query": lookup.query,
        "status": overall_status(by_source[name].status for name in asked),
        "total_count": lookup.total_count,
        "sources": {
            name: {
                "status": by_source[name].status,
                "total_count": by_source[name].total_count,
                "problems": problems_json(by_source[name].problems),
            }
            for name in asked
        },
        "matches": [_row(match, lookup.query, root_of(match.path)) for match in lookup.matches],
    }


def source_of(match: AnyMatch) -> SourceName:
    """The source that a match is from."""
    names: dict[type, SourceName] = {
        Fact: "memory",
        Page: "wiki",
        Post: "board",
        ContractMatch: "contracts",
        KnowledgeMatch: "knowledge",
    }
    return names[type(match)]


def provenance(match: AnyMatch) -> tuple[str, ...]:
    """Where a match is from and what it is worth, in a few words each."""
    words: tuple[str, ...]
    if isinstance(match, Fact):
        words = (match.keeper, match.category, day(match.first_seen))
    elif isinstance(match, Page):
        words = ()
    elif isinstance(match, Post):
        replies = "1 reply" if match.reply_count == 1 else f"{match.reply_count} replies"
        words = (match.author, match.hearth or "", day(match.created_at), f"{match.score:+d}", replies)
    elif isinstance(match, KnowledgeMatch):
        words = (match.base_id, match.source or "", f"revision {match.revision_id[:12]}")
    else:
        state = "" if match.wp_state == "—" else match.wp_state
        words = (match.source, state, match.relevance)
    return tuple(one_line(word) for word in words if word)


def place_text(match: AnyMatch, root: Path) -> str:
    """Path and line as people read them."""
    path, line = place_of(match)
    return shown(path, root) if line is None else f"{shown(path, root)}:{line}"


def _row(match: AnyMatch, query: str, root: Path) -> Json:
    path, line = place_of(match)
    return {
        "source": source_of(match),
        "id": identity(match),
        "text": line_of(match, query).text,
        "provenance": list(provenance(match)),
        "place": place_text(match, root),
        "path": path,
        "line": line,
        "detail": _detail(match),
        "copy": copy_text(match, root),
    }


def _detail(match: AnyMatch) -> str:
    """What a match says in full, where the list shows only a part of it."""
    if isinstance(match, Fact):
        return match.text
    if isinstance(match, KnowledgeMatch):
        return match.excerpt
    if isinstance(match, ContractMatch):
        contract = match.contract
        fields = (("A", contract.a), ("B", contract.b), ("P", contract.p), ("Result", match.result_summary))
        return "\n".join(f"{name}: {text}" for name, text in fields if text)
    return ""
