"""Wiki pages: Markdown folders, searched by their whole text (spec/masc.md §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lsp_server.core.model import Listing, Reading, WikiDocument
from lsp_server.sources.folder_walk import Place, find_files, sort_out
from lsp_server.sources.frontmatter_fence import list_value, split_metadata, text_value
from lsp_server.sources.text_file import is_absent, read_text

USUAL_FOLDERS = ("docs/wiki", "docs/library", ".masc/wiki")

# Three back quotes open no fence where their line has more of them later: that is a code span.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX_H1 = re.compile(r" {0,3}#(?=[ \t])(.*)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_SETEXT_H1 = re.compile(r" {0,3}=+[ \t]*$")
_NO_PARAGRAPH = re.compile(r"\t| {4}| {0,3}(?:#{1,6}(?:[ \t]|$)|>|[-+*][ \t]|(?:[-_*][ \t]*){3,}$)")


def list_pages(root: Path, base: Path, configured: tuple[str, ...]) -> Listing:
    """The pages of the usual folders and of the configured folders and globs, each once, in stored order.

    Parameters
    ----------
    root
        The workspace; configured places are relative to it.
    base
        Where MASC lives; differs from `root` only when the environment says so.
    """
    places = [
        Place(where, where / folder) for where in dict.fromkeys((root, base)) for folder in USUAL_FOLDERS
    ]
    places = [place for place in places if not is_absent(place.folder)]
    places += [Place.configured(root, entry) for entry in configured if entry.strip()]
    found_before: set[str] = set()
    files, problems = sort_out((str(place.folder), find_files(place, found_before)) for place in places)
    return Listing(files, tuple(str(place) for place in places), problems)


def read_page(path: Path, max_bytes: int) -> Reading[WikiDocument]:
    """One page: title from the frontmatter, else the first H1, else the file name; the text is all of it."""
    text, problem = read_text(path, max_bytes)
    problems = (problem,) if problem else ()
    if text is None:
        return Reading(problems=problems, searchable=False)
    metadata, body = split_metadata(text)
    title = text_value(metadata, "title") or first_heading(body) or path.name
    return Reading((WikiDocument(title, list_value(metadata, "tags"), str(path), text),), problems)


def first_heading(body: str) -> str | None:
    """The first level-1 heading outside code fences, in either of CommonMark's forms."""
    previous = ""
    for line in _outside_fences(body):
        if (heading := _ATX_H1.match(line)) and (title := _without_closing_hashes(heading.group(1))):
            return title
        if _SETEXT_H1.match(line) and previous.strip() and not _NO_PARAGRAPH.match(previous):
            return previous.strip()
        previous = line
    return None


def _without_closing_hashes(heading: str) -> str:
    return _CLOSING_HASHES.sub("", heading.strip()).strip()


def _outside_fences(body: str) -> Iterator[str]:
    """The lines of the body, with a blank one in place of each that belongs to fenced code."""
    closing: str | None = None
    for line in body.split("\n"):
        fence = _FENCE.match(line)
        if closing is None and fence:
            closing = fence.group(1)
        elif closing is None:
            yield line
            continue
        elif fence and fence.group(1).startswith(closing) and not line.strip().strip(closing[0]):
            closing = None
        yield ""
