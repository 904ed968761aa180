"""An answer as the few lines a hover shows, in Markdown or in plain text.

Text from stores is untrusted: in Markdown it is escaped, so that it brings no links, no HTML and no markup
of its own (spec/field-notes.md §2 items 15 and 19).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from lsp_server.action_kinds import SHOW_ALL_KIND
from lsp_server.core.matching import as_term, find_in_original
from lsp_server.core.model import Fact, KnowledgeMatch, Page, Post, Problem
from lsp_server.lookup import AnyMatch, Lookup
from lsp_server.paths import uri_of

Markup: TypeAlias = Literal["markdown", "plaintext"]

LABEL = "Prior art"
MAX_MATCH_LINES = 8
"""With the label, the "more" line, a blank and the warning a hover has at most twelve lines."""
FIRST_SHARE = 2
"""Lines that every source may fill before any source gets more."""
EXCERPT_CHARACTERS = 110
LEAD_CHARACTERS = 30
"""How much of a long text is shown before the match."""
WORD_CHARACTERS = 15
"""An excerpt may be this much shorter so that it does not cut a word."""


@dataclass(frozen=True, slots=True)
class Line:
    """One match: where it is from, what it says, where it stands, and a short note."""

    source: str
    text: str
    path: str
    line: int | None
    note: str
    is_link: bool
    """Whether the text itself is the link; a claim is too long for one, its keeper's name is linked instead."""


def render_hover(lookup: Lookup, title: str, markup: Markup, *, linked_from: str | None = None) -> str | None:
    """The hover's text, or `None` when there is nothing worth a popup.

    Pure: the same answer gives the same hover.

    Parameters
    ----------
    linked_from
        The document's URI where the client follows links to `priorArt.showAll`.
    """
    lines = list(_share_out([_lines_of(group, lookup.query) for group in lookup.groups]))
    if not lines:
        return None
    more = lookup.total_count - len(lines)
    rows = [_match_row(line, markup) for line in lines]
    if more > 0:
        rows.append(_item(_more(f"… {more} more", lookup.query, linked_from), markup))
    return _assemble(title, rows, lookup.problems_by_source, markup)


def render_incomplete(lookup: Lookup, title: str, markup: Markup) -> str | None:
    """A hover for a search that found nothing and could not look everywhere; `None` if it could."""
    if not lookup.problems_by_source:
        return None
    rows = [_item("nothing found in what could be read", markup)]
    return _assemble(title, rows, lookup.problems_by_source, markup)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, for a place inside a line.

    Every backslash counts, since many editors show them: what is markup only at the start of a line stays.
    """
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))


_SPECIAL = re.compile(
    r"[\\`*\[\]<~]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inside a word an underscore is no markup, as in `rotate_key`
    r"|&(?=#?\w+;)"
    r"|:(?=//)|(?<=www)\.|(?<=[\w+-])@(?=\w)",  # editors make links of bare addresses, too
    re.IGNORECASE,
)


def one_line(text: str) -> str:
    """Text with every run of white space and control characters as one blank.

    What turns the direction of writing goes too: it can make a line read as something else than it says.
    """
    return _BLANKS.sub(" ", text).strip()


_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def excerpt(text: str, query: str) -> str:
    """The part of a text around the first occurrence of the query, on one line of bounded length."""
    text = one_line(text)
    if len(text) <= EXCERPT_CHARACTERS:
        return text
    place = find_in_original(text, as_term(one_line(query)))
    start = max(0, min((place[0] if place else 0) - LEAD_CHARACTERS, len(text) - EXCERPT_CHARACTERS))
    end = start + EXCERPT_CHARACTERS
    if start:
        start = _word_edge(text.find(" ", start, start + WORD_CHARACTERS), start)
    if end < len(text):
        end = _word_edge(text.rfind(" ", end - WORD_CHARACTERS, end), end)
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def _word_edge(blank: int, otherwise: int) -> int:
    return blank if blank >= 0 else otherwise


def day(seconds: float | None) -> str:
    """A Unix time as its UTC day; blank where there is none or it is none."""
    if not seconds:
        return ""
    try:
        return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return ""


def _lines_of(matches: Iterable[AnyMatch], query: str) -> list[Line]:
    return [line_of(match, query) for match in matches]


def line_of(match: AnyMatch, query: str) -> Line:
    """A match as one line, whatever source it is from."""
    if isinstance(match, Fact):
        return Line("memory", excerpt(match.text, query), match.path, None, match.keeper, is_link=False)
    if isinstance(match, Page):
        return Line("wiki", excerpt(match.title, query), match.path, match.line, "", is_link=True)
    if isinstance(match, Post):
        note = ", ".join(filter(None, (match.author, day(match.created_at))))
        return Line("board", excerpt(match.title, query), match.path, match.line, note, is_link=True)
    if isinstance(match, KnowledgeMatch):
        note = match.base_id
        return Line("knowledge", excerpt(match.title, query), match.path, match.line, note, is_link=True)
    text = excerpt(f"{match.wp_id} unit {match.unit_index} · {match.unit_title}", query)
    note = match.source if match.wp_state == "—" else f"{match.source}, {match.wp_state}"
    return Line("contract", text, match.path, match.line, note, is_link=True)


def _share_out(groups: Sequence[list[Line]]) -> Iterator[Line]:
    """At most `MAX_MATCH_LINES`: a first share for every source, the rest in order."""
    shares = [min(len(group), FIRST_SHARE) for group in groups]
    left = MAX_MATCH_LINES - sum(shares)
    for number, group in enumerate(groups):
        extra = min(left, len(group) - shares[number])
        left -= extra
        yield from group[: shares[number] + extra]


def _match_row(line: Line, markup: Markup) -> str:
    if markup == "plaintext":
        place = (
            f"{Path(line.path).name}:{line.line}"
            if line.line and line.source in ("wiki", "knowledge")
            else ""
        )
        note = ", ".join(filter(None, (line.note, place)))
        return f"{line.source}: {line.text}" + (f" ({note})" if note else "")
    link = _link_target(line.path, line.line)
    if line.is_link:
        row = f"{line.source}: [{escape(line.text)}]({link})"
        return _item(row + (f" · {escape(line.note)}" if line.note else ""), markup)
    return _item(f"{line.source}: {escape(line.text)} · [{escape(line.note)}]({link})", markup)


def _more(text: str, query: str, linked_from: str | None) -> str:
    if linked_from is None:
        return text
    # VS Code decodes the arguments twice, and would take a `%` of theirs for an escape.
    arguments = json.dumps([{"query": query, "uri": linked_from}]).replace("%", "\\u0025")
    return f"[{text}](command:{SHOW_ALL_KIND}?{quote(arguments, safe='')})"


def _link_target(path: str, line: int | None) -> str:
    # Parentheses are legal in a URI and end a Markdown link.
    return uri_of(path, line).replace("(", "%28").replace(")", "%29")


def _item(text: str, markup: Markup) -> str:
    return f"- {text}" if markup == "markdown" else text


def _assemble(
    title: str, rows: Sequence[str], problems: Sequence[tuple[str, tuple[Problem, ...]]], markup: Markup
) -> str:
    warning = _warning(problems)
    if markup == "plaintext":
        return "\n".join((f"{LABEL}: {one_line(title)}", *rows, *((warning,) if warning else ())))
    hover = "\n".join((f"**{LABEL}** · {code_span(title)}", *rows))
    return f"{hover}\n\n{escape(warning)}" if warning else hover


def _warning(problems: Sequence[tuple[str, tuple[Problem, ...]]]) -> str:
    """One line on what could not be searched, or nothing."""
    if not problems:
        return ""
    passing = [(source, problem) for source, found in problems for problem in found if problem.passes]
    if passing:
        sources = ", ".join(source for source, _ in passing)
        return f"⚠ {sources} incomplete: {passing[0][1].reason}"
    if len(problems) == 1 and len(problems[0][1]) == 1:
        source, (problem,) = problems[0]
        where = f"{Path(problem.path).name}: " if problem.path else ""
        return f"⚠ {source} incomplete: {excerpt(where + problem.reason, '')}"
    counts = ", ".join(f"{source} ({len(found)})" for source, found in problems)
    return f"⚠ incomplete, some files could not be read: {counts}; prior-art status names them"


def code_span(text: str) -> str:
    """Text as Markdown code, whatever backticks it holds."""
    text = one_line(text)
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
