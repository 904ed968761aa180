"""Answers as the JSON that other programs read: the command line's `--json` and the server's commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lsp_server import __version__
from lsp_server.core.composition import PRIOR_ART_SOURCES
from lsp_server.core.model import (
    ContractMatch,
    CoreStatus,
    KnowledgeGraphAnswer,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceName,
)

Json = dict[str, Any]


def prior_art_json(answer: PriorArt, asked: Sequence[SourceName] = PRIOR_ART_SOURCES) -> Json:
    """`{"type": "prior_art", …}`: one report with its matches for each source that was asked.

    A source that was not asked is left out: no status of it would be true.
    """
    return {
        "type": "prior_art",
        "query": answer.query,
        "status": answer.status,
        "sources": {name: _source(answer.by_source[name]) for name in asked},
    }


def knowledge_graph_json(answer: KnowledgeGraphAnswer) -> Json:
    """B of seeds/search-kg.md; beyond it `status` and `problems`, and each result's place."""
    return {
        "type": "search_kg",
        "project_slug": answer.project_slug,
        "searched_at": answer.searched_at,
        "query": answer.query,
        "results": [_contract(match) for match in answer.results],
        "result_count": len(answer.results),
        "sources_searched": list(answer.sources_searched),
        "status": answer.status,
        "problems": problems_json(answer.problems),
    }


def status_json(statuses: Sequence[CoreStatus]) -> Json:
    """Every root with its stores."""
    return {
        "type": "status",
        "version": __version__,
        "roots": [
            {
                "root": status.root,
                "sources": {
                    source.name: {
                        "status": source.status,
                        "documents": source.document_count,
                        "files": source.file_count,
                        "locations": list(source.locations),
                        "problems": problems_json(source.problems),
                    }
                    for source in status.sources
                },
                "cache": asdict(status.cache) if status.cache is not None else None,
            }
            for status in statuses
        ],
    }


def _source(answer: SourceAnswer[Any]) -> Json:
    return {
        "status": answer.status,
        "match_count": len(answer.matches),
        "matches": [asdict(match) for match in answer.matches],
        "problems": problems_json(answer.problems),
    }


def _contract(match: ContractMatch) -> Json:
    form = asdict(match)
    form["tags"] = list(match.tags)
    form["contract"] = {field: text or None for field, text in form["contract"].items()}
    return form


def problems_json(problems: Sequence[Problem]) -> list[Json]:
    """What could not be read or verified."""
    return [{"path": problem.path, "reason": problem.reason} for problem in problems]
