"""`search_knowledge` as programs and people see it: one request to one or several roots, and its envelopes.

The field names are those of seeds/search-knowledge.md, Returns and Errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeReading, KnowledgeResult
from lsp_server.core.knowledge.errors import (
    KnowledgeError,
    ResourceUnavailableError,
    RuntimeDisabledError,
    SemanticUnavailableError,
)
from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.knowledge.request import read_request
from lsp_server.core.merge import distinct
from lsp_server.core.model import overall_status

if TYPE_CHECKING:
    from lsp_server.core import SearchCore


def ask_knowledge(
    cores: Sequence[SearchCore], parameters: Mapping[str, object]
) -> KnowledgeAnswer | KnowledgeReading:
    """Ask every root for a ranking, or each in turn for an item.

    Raises
    ------
    KnowledgeError
        As `SearchCore.knowledge`.
    """
    if not cores:
        read_request(parameters)  # What is wrong with it comes first, as with any root.
    answers: list[KnowledgeAnswer] = []
    for core in cores:
        try:
            answer = core.knowledge(parameters)
        except ResourceUnavailableError:
            continue
        if isinstance(answer, KnowledgeReading):
            return answer
        answers.append(answer)
    if not answers:
        raise ResourceUnavailableError
    return _merged(answers)


def knowledge_json(answer: KnowledgeAnswer | KnowledgeReading) -> dict[str, Any]:
    """The answer to a query, or what was read."""
    if isinstance(answer, KnowledgeReading):
        return _reading_json(answer)
    form: dict[str, Any] = {
        "type": "knowledge_search",
        "results": [_result_json(result) for result in answer.results],
        "mode": answer.mode,
        "mode_effective": answer.mode_effective,
        "status": answer.status,
        "problems": [{"path": problem.path, "reason": problem.reason} for problem in answer.problems],
    }
    if answer.degraded is not None:
        form["degraded"] = answer.degraded
    return form


def knowledge_error_json(error: KnowledgeError) -> dict[str, Any]:
    """A request that got no answer. What is switched off or not installed is a state, not an error."""
    said = {"code": error.code, "message": str(error)}
    if isinstance(error, SemanticUnavailableError):
        said["reason"] = error.reason
    is_state = isinstance(error, (RuntimeDisabledError, SemanticUnavailableError))
    return {"type": "knowledge_unavailable" if is_state else "error", "error": said}


def is_unavailable(error: KnowledgeError) -> bool:
    """Whether the request was right and what it asks for is not to be had."""
    return isinstance(error, (ResourceUnavailableError, RuntimeDisabledError, SemanticUnavailableError))


def _merged(answers: Sequence[KnowledgeAnswer]) -> KnowledgeAnswer:
    first = answers[0]
    if len(answers) == 1:
        return first
    # Where one root has no semantics, scores of several roots only compare lexically in that root; say so.
    worst = next((answer for answer in answers if answer.degraded is not None), first)
    results = distinct(
        (result for answer in answers for result in answer.results),
        lambda result: (result.item.path, result.item.item_id),
    )
    ordered = sorted(results, key=lambda result: (-result.scores.combined, result.item.item_id))
    return replace(
        worst,
        results=tuple(ordered[: first.max_results]),
        status=overall_status(answer.status for answer in answers),
        problems=distinct(problem for answer in answers for problem in answer.problems),
    )


def _result_json(result: KnowledgeResult) -> dict[str, Any]:
    item = result.item
    return {
        **_ids(item),
        "title": item.title,
        "excerpt": result.excerpt,
        "source": item.source,
        "citation": item.citation,
        "locator": item.locator,
        "reference": _ids(item),
        "scores": asdict(result.scores),
        "path": item.path,
        "line": result.line,
    }


def _reading_json(reading: KnowledgeReading) -> dict[str, Any]:
    item = reading.item
    return {
        "type": "knowledge",
        "owner": item.owner,
        "team": item.team,
        "scope": item.scope,
        **_ids(item),
        "title": item.title,
        "content": reading.content,
        "locator": item.locator,
        "source": item.source,
        "citation": item.citation,
        "reference": _ids(item),
        "content_offset": reading.offset,
        "content_limit": reading.limit_chars,
        "content_total_chars": reading.total_chars,
        "content_truncated": reading.is_truncated,
        "path": item.path,
    }


def _ids(item: KnowledgeItem) -> dict[str, str]:
    """Base, item and revision: what pins exactly this content."""
    return {
        "knowledge_base_id": item.base_id,
        "knowledge_item_id": item.item_id,
        "knowledge_revision_id": item.revision_id,
    }
