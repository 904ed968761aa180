"""Answers as a person reads them in a terminal: plain lines, sources named, gaps last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.core.model import (
    ContractMatch,
    CoreStatus,
    Fact,
    KnowledgeGraphAnswer,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceName,
    SourceStatus,
    Status,
)
from lsp_server.paths import shown
from lsp_server.render import day, one_line

if TYPE_CHECKING:
    from lsp_server.core.knowledge.answer import KnowledgeAnswer

MAX_PROBLEM_LINES = 3
"""Per source, below an answer; `prior-art status` names them all."""

_UNITS = {"memory": "fact", "wiki": "page", "board": "post", "contracts": "unit-work", "knowledge": "item"}


def prior_art_report(answer: PriorArt, asked: Sequence[SourceName], base: Path) -> str:
    """The answer of `prior-art search`; paths below `base` are shown relative to it."""
    answers = answer.by_source
    lines: list[str] = []
    for name in asked:
        found = answers[name]
        if found.matches:
            lines.append(_heading(name, len(found.matches), found.total_count))
            for match in found.matches:
                lines += _prior_art_lines(match, base)
    if not lines:
        searched = [name for name in asked if answers[name].status != "absent"]
        lines.append(nothing_found(answer.query, searched, answer.status))
    absent = [name for name in asked if answers[name].status == "absent"]
    if absent:
        lines.append(f"not searched, no such store here: {', '.join(absent)}")
    for name in asked:
        lines += _gaps(name, answers[name].status, answers[name].problems, base)
    return "\n".join(lines)


def knowledge_graph_report(answer: KnowledgeGraphAnswer, base: Path) -> str:
    """The answer of `prior-art kg`: every result with its whole contract."""
    lines: list[str] = []
    if answer.results:
        lines.append(_heading("contracts", len(answer.results), answer.total_count))
    for match in answer.results:
        lines += _contract_lines(match, base)
    if not lines:
        searched = [shown(place, base) for place in answer.sources_searched]
        lines.append(nothing_found(answer.query, searched, answer.status))
    return "\n".join([*lines, *_gaps("contracts", answer.status, answer.problems, base)])


def knowledge_report(answer: KnowledgeAnswer, query: str, base: Path) -> str:
    """The answer of `prior-art knowledge search`."""
    lines: list[str] = []
    for result in answer.results:
        item, scores = result.item, result.scores
        legs = (("words", scores.lexical), ("meaning", scores.semantic))
        said = "".join(f", {name} {score:.2f}" for name, score in legs if score is not None)
        name = one_line(f"{item.base_id}/{item.item_id}")
        lines.append(f"{one_line(item.title)} ({name}, {scores.combined:.2f}{said})")
        lines.append(f"    {shown(item.path, base)}:{result.line}")
        lines.append(f"    {one_line(result.excerpt)}")
    if not lines:
        searched = [] if answer.status == "absent" else ["knowledge"]
        lines.append(
            nothing_found(query, searched, answer.status)
            if searched
            else "no knowledge base here: no folder in .knowledge, and none in the setting knowledge.folders"
        )
    if answer.degraded is not None:
        lines.append(f"⚠ {degraded_reason(answer.degraded)}")
    return "\n".join([*lines, *_gaps("knowledge", answer.status, answer.problems, base)])


def degraded_reason(degraded: str) -> str:
    """Why knowledge was ranked by words alone."""
    why = (
        "semantic search is not installed, or switched off by the setting knowledge.semantic"
        if degraded == "semantic_unavailable"
        else "the passages are still being embedded"
    )
    return f"ranked by words alone: {why}"


def status_report(statuses: Iterable[CoreStatus]) -> str:
    """The answer of `prior-art status`."""
    lines: list[str] = []
    for status in statuses:
        root = Path(status.root)
        lines.append(status.root)
        for source in status.sources:
            lines.append(f"  {source.name:<10} {source_summary(source)}")
            lines += [f"             {shown(place, root)}" for place in source.locations]
            lines += [f"             ⚠ {problem_text(problem, root)}" for problem in source.problems]
        if status.cache is not None and (status.cache.bytes or status.cache.problem):
            lines.append(f"  {'cache':<10} {byte_size(status.cache.bytes)} in {status.cache.folder}")
            if status.cache.problem is not None:
                lines.append(
                    f"             ⚠ {status.cache.problem}; the stores are read again at every start"
                )
    return "\n".join(lines)


def byte_size(count: int) -> str:
    """A number of bytes as people read it: `0 B`, `96 kB`, `1.5 MB`."""
    size, units = float(count), ["B", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.1f} {units[0]}" if size < 10 and units[0] != "B" else f"{size:.0f} {units[0]}"


def _prior_art_lines(match: Fact | Page | Post, base: Path) -> Iterator[str]:
    path = shown(match.path, base)
    if isinstance(match, Fact):
        note = ", ".join(filter(None, (match.keeper, match.category, day(match.first_seen))))
        yield f"  {one_line(match.text)} ({one_line(note)})"
        yield f"      {path}"
    elif isinstance(match, Page):
        yield f"  {one_line(match.title)}"
        yield f"      {path}:{match.line}"
    else:
        hearth = f" [{match.hearth}]" if match.hearth else ""
        replies = "1 reply" if match.reply_count == 1 else f"{match.reply_count} replies"
        author = f"by {match.author}" if match.author else ""
        note = ", ".join(filter(None, (author, day(match.created_at), f"{match.score:+d}", replies)))
        yield f"  {one_line(f'{match.id} · {match.title}{hearth} ({note})')}"
        yield f"      {path}:{match.line}"


def _contract_lines(match: ContractMatch, base: Path) -> Iterator[str]:
    state = "" if match.wp_state == "—" else f" {match.wp_state}"
    if match.unit_state != match.wp_state:
        # A proven plan may hold units that were given up.
        state += ", unit without state" if match.unit_state == "—" else f", unit {match.unit_state}"
    yield (
        f"  {match.wp_id} unit {match.unit_index} · {one_line(match.unit_title)}"
        f" ({match.source}{state}, {match.relevance})"
    )
    yield f"      {shown(match.path, base)}:{match.line}"
    fields = (
        ("Plan", one_line(match.wp_title)),
        ("Tags", one_line(", ".join(match.tags))),
        ("A", match.contract.a),
        ("B", match.contract.b),
        ("P", match.contract.p),
        ("Result", match.result_summary or ""),
    )
    for name, text in fields:
        first, *rest = text.strip().split("\n") if text.strip() else ("—",)
        yield f"      {name}: {first}"
        yield from (f"         {line}" for line in rest)


def _heading(source: str, shown: int, total: int) -> str:
    count = f"{total} {_UNITS[source]}{'' if total == 1 else 's'}"
    return f"{source} · {count}" + (f", {shown} shown" if shown < total else "")


def nothing_found(query: str, searched: Sequence[str], status: Status) -> str:
    """What to say of an answer without matches; "nothing known" only after a complete search."""
    if status != "complete":
        return f"nothing found about {one_line(query)!r}, but not everything could be searched"
    if not searched:
        return f"nothing found about {one_line(query)!r}: there is no folder of this scope here"
    return f"nothing known about {one_line(query)!r} in {', '.join(searched)}"


def _gaps(source: str, status: Status, problems: Sequence[Problem], base: Path) -> Iterator[str]:
    for problem in problems[:MAX_PROBLEM_LINES]:
        yield f"⚠ {source} {status}: {problem_text(problem, base)}"
    more = len(problems) - MAX_PROBLEM_LINES
    if more > 0:
        yield f"⚠ {source} {status}: {more} more; see prior-art status"


def problem_text(problem: Problem, base: Path) -> str:
    """Where something is wrong, and what."""
    return one_line(f"{shown(problem.path, base)}: {problem.reason}" if problem.path else problem.reason)


def source_summary(source: SourceStatus) -> str:
    """A store's state and size in a few words."""
    if source.status == "absent":
        return "absent"
    count, unit = source.document_count, _UNITS[source.name]
    files = f"{source.file_count} file{'' if source.file_count == 1 else 's'}"
    return f"{source.status}, {count} {unit}{'' if count == 1 else 's'} in {files}"
