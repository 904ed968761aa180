"""A whole answer, or the state of the stores, as a Markdown page: what a hover has no room for.

Text from stores is escaped as in hovers; a contract's A, B and P stand in a fence, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from lsp_server.core.model import (
    ContractMatch,
    CoreStatus,
    Fact,
    KnowledgeMatch,
    Problem,
    SourceName,
    overall_status,
)
from lsp_server.lookup import AnyMatch, Lookup, place_of
from lsp_server.match_list import RootOf, place_text, provenance, source_of
from lsp_server.render import code_span, escape, one_line
from lsp_server.report import byte_size, nothing_found, problem_text, source_summary

LinkTo = Callable[[str, "int | None"], str]
"""Where a link to a path and a line leads."""


def look_up_page(lookup: Lookup, asked: Sequence[SourceName], link_to: LinkTo, root_of: RootOf) -> str:
    """Every match of an answer by its source, and what could not be read."""
    answers = lookup.by_source
    lines = [f"# Prior art: {code_span(lookup.query)}"]
    by_source: dict[SourceName, list[AnyMatch]] = {}
    for match in lookup.matches:
        by_source.setdefault(source_of(match), []).append(match)
    for source, matches in by_source.items():
        count = answers[source].total_count
        shown = f", {len(matches)} shown" if len(matches) < count else ""
        lines += ["", f"## {source.capitalize()} · {count}{shown}"]
        for match in matches:
            lines += _entry(match, link_to, root_of(match.path))
    present = [source for source in asked if answers[source].status != "absent"]
    if not by_source:
        status = overall_status(answers[source].status for source in asked)
        said = nothing_found(lookup.query, present, status) if present else "there is no store here to search"
        lines += ["", _words(said)]
    else:
        silent = [source for source in present if source not in by_source]
        if silent:
            lines += ["", f"Nothing in: {', '.join(silent)}"]
    problems = [(source, problem) for source in present for problem in answers[source].problems]
    return _page([*lines, *_gaps(problems, root_of)])


def status_page(statuses: Iterable[CoreStatus], link_to: LinkTo) -> str:
    """The stores of every root: where they are, how much they hold, what could not be read."""
    lines = ["# Prior art: the stores"]
    for status in statuses:
        root = Path(status.root)
        lines += ["", f"## {_heading(root.name or status.root)}", "", code_span(status.root), ""]
        for source in status.sources:
            lines.append(f"- **{source.name.capitalize()}**: {source_summary(source)}")
            lines += [f"  - ⚠ {_gap(problem, root, link_to)}" for problem in source.problems]
        cache = status.cache
        if cache is not None and (cache.bytes or cache.problem):
            lines.append(f"- **Cache**: {byte_size(cache.bytes)} in {code_span(cache.folder)}")
            if cache.problem is not None:
                lines.append(f"  - ⚠ {_words(cache.problem)}; the stores are read again at every start")
    if len(lines) == 1:
        lines += ["", "No workspace is open."]
    return _page(lines)


def _entry(match: AnyMatch, link_to: LinkTo, root: Path) -> Iterator[str]:
    link = f"[{_words(place_text(match, root))}]({link_to(*place_of(match))})"
    first, *others = [*map(_words, provenance(match)), link]
    notes = " · ".join([_line_start(first), *others])
    if isinstance(match, ContractMatch):
        title = f"{match.wp_id} unit {match.unit_index} · {match.unit_title}"
        yield from ("", f"### {_heading(title)}", "", notes)
        yield from ("", f"Plan: {_words(match.wp_title)}", "", *_fence(_contract_text(match)))
        return
    says = match.text if isinstance(match, Fact) else match.title
    yield from ("", f"- {_paragraph(says)}\\", f"  {notes}")
    if isinstance(match, KnowledgeMatch) and match.excerpt:
        yield from ("", *(f"  > {_paragraph(line)}" for line in match.excerpt.splitlines() if one_line(line)))


def _words(text: str) -> str:
    """Text inside a line; what shows Markdown as a page may typeset formulas between dollars, too."""
    return escape(text).replace("$", r"\$")


def _paragraph(text: str) -> str:
    """Text that begins a line."""
    return _line_start(_words(text))


def _line_start(words: str) -> str:
    """Words of which nothing becomes a heading, a list, a quote or a table."""
    return _BLOCK_START.sub(r"\1\\\2", words)


def _heading(text: str) -> str:
    """Text of a heading, which would end before a `#` at its end."""
    return _HEADING_END.sub(r"\\", _words(text))


_BLOCK_START = re.compile(r"^(\d{0,9})([.)]|(?<!\d)[#>+=|-]|(?<!\d):(?=-))")
_HEADING_END = re.compile(r"(?<!\S)(?=#+$)")


def _contract_text(match: ContractMatch) -> str:
    contract = match.contract
    fields = (
        ("A", contract.a),
        ("B", contract.b),
        ("P", contract.p),
        ("Result", match.result_summary or "—"),
    )
    lines = [f"{name}: {text or '—'}" for name, text in fields]
    return "\n".join([*lines, f"Tags: {', '.join(match.tags) or '—'}"])


def _fence(text: str) -> list[str]:
    """Text that no backticks in it can end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}text", *text.split("\n"), fence]


def _gaps(problems: Sequence[tuple[SourceName, Problem]], root_of: RootOf) -> Iterator[str]:
    if not problems:
        return
    hides = any(problem.hides_matches for _, problem in problems)
    yield from ("", "## ⚠ Not everything could be searched" if hides else "## Notes", "")
    for source, problem in problems:
        yield f"- {source}: {_words(problem_text(problem, root_of(problem.path)))}"


def _gap(problem: Problem, root: Path, link_to: LinkTo) -> str:
    said = _words(problem_text(problem, root))
    return f"{said} ([open]({link_to(problem.path, None)}))" if problem.path else said


def _page(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
