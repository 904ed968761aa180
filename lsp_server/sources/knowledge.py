"""Knowledge bases: Markdown folders whose files have an address (rules: core/knowledge/item.py)."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from lsp_server.core.knowledge.item import LINE_END, KnowledgeItem, KnowledgeStatus
from lsp_server.core.model import Listing, Problem, Reading
from lsp_server.core.on_disk import is_folder, is_there
from lsp_server.sources.folder_walk import MARKDOWN_SUFFIXES, Place, find_files, sort_out
from lsp_server.sources.frontmatter_fence import (
    MAX_HEADER_CHARACTERS,
    list_value,
    split_metadata,
    text_value,
)
from lsp_server.sources.text_file import decode, is_absent, is_by_product, read_bytes, reason_of
from lsp_server.sources.wiki import first_heading

USUAL_FOLDER = ".knowledge"
SETTING = "knowledge.folders"

STATUSES: Mapping[str, KnowledgeStatus] = {
    "draft": "draft",
    "published": "published",
    "archived": "archived",
    # The words of decision records (MADR 4.0, "superseded by ADR-0123" included).
    "proposed": "draft",
    "accepted": "published",
    "rejected": "archived",
    "deprecated": "archived",
    "superseded": "archived",
}

_SUPERSEDED = re.compile(r"superseded by\b.*", re.DOTALL)
_STATUS_KEY = re.compile(r"""[ \t]*["']?status["']?[ \t]*:""", re.IGNORECASE)


# Which files there are


def list_items(root: Path, configured: tuple[str, ...]) -> Listing:
    """The files of the bases in `.knowledge` and of the configured folders and globs, each once.

    Stored order: the bases of `.knowledge` by name, then the configured places as they are given, and in each
    the files by path.
    """
    usual = [] if is_absent(root / USUAL_FOLDER) else [root / USUAL_FOLDER]
    wanted = [Place.configured(root, entry) for entry in configured if entry.strip()]
    places = [*(place for folder in usual for place in _usual_places(root, folder)), *wanted]
    found_before: set[str] = set()
    files, problems = sort_out(
        (str(place), [place] if isinstance(place, Problem) else _files_of(place, found_before))
        for place in places
    )
    return Listing(files, tuple(map(str, (*usual, *wanted))), problems)


def _usual_places(root: Path, usual: Path) -> Iterator[Place | Problem]:
    if _leads_out(usual, root):
        yield _link_that_leads_out(usual)
        return
    try:
        names = sorted(path.name for path in usual.iterdir())
    except OSError as error:
        yield Problem(str(usual), reason_of(error))
        return
    for name in names:
        path = usual / name
        if name.startswith("."):
            # A repository or the folder of a tool, not a base.
            continue
        if is_folder(path):
            yield _link_that_leads_out(path) if _leads_out(path, root) else Place(root, path)
        elif name.lower().endswith(MARKDOWN_SUFFIXES) and not is_by_product(name):
            yield Problem(
                str(path), f"is in no folder of {USUAL_FOLDER}, hence in no base", hides_matches=False
            )
        elif not is_there(path):
            yield Problem(str(path), "a link whose target does not exist")


def _files_of(place: Place, found_before: set[str]) -> Iterator[Path | Problem]:
    if place.by_person and _is_missing(place.folder):
        yield Problem(str(place.folder), "the configured knowledge folder does not exist")
    else:
        yield from find_files(place, found_before)


def _is_missing(folder: Path) -> bool:
    try:
        folder.stat()
    except (FileNotFoundError, ValueError):
        return True
    except OSError:
        return False
    return False


def _leads_out(folder: Path, root: Path) -> bool:
    return not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def _link_that_leads_out(folder: Path) -> Problem:
    return Problem(str(folder), f"a link that leads out of the workspace; name its target in {SETTING}")


# What a file holds


def read_item(path: Path, root: Path, configured: tuple[str, ...], max_bytes: int) -> Reading[KnowledgeItem]:
    """The item in a file that `list_items` found for the same root and configured folders."""
    raw, problem = read_bytes(path, max_bytes)
    if raw is None:
        return Reading(problems=(problem,) if problem else (), searchable=False)
    folder = _base_around(path, root, configured)
    inside = path.relative_to(folder).with_suffix("").as_posix()
    # macOS may hand out decomposed names, while people write composed ones.
    return parse_item(raw, path, folder.name or str(folder), unicodedata.normalize("NFC", inside))


def read_revision(item: KnowledgeItem, revision_id: str, max_bytes: int) -> Reading[KnowledgeItem]:
    """The item as it was in a revision of its file that git has; nothing where there is no such revision.

    It comes with the status that it had then. A content that names itself by another id is another item's.
    """
    # Late, since hardly any session asks for an older revision.
    from lsp_server.sources.git_revisions import revision_bytes

    path = Path(item.path)
    raw = revision_bytes(path, revision_id, max_bytes)
    if raw is not None:
        reading = parse_item(raw, path, item.base_id, item.item_id)
        if all(revision.item_id == item.item_id for revision in reading.documents):
            return reading
    return Reading(searchable=False)


def parse_item(raw: bytes, path: Path, base_id: str, path_id: str) -> Reading[KnowledgeItem]:
    """The item in the bytes of a file: those on the disk, or those of an older revision.

    Never raises for content. A status that publishes nothing since it is not understood is a problem.

    Parameters
    ----------
    path_id
        The item's id where the frontmatter gives none.
    """
    text, replaced = decode(raw)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    header, body = split_metadata(plain)
    metadata = {key.lower(): value for key, value in header.items() if isinstance(key, str)}
    header_lines = plain.count("\n", 0, len(plain) - len(body))
    status, not_understood = _status(metadata, plain)
    item = KnowledgeItem(
        base_id=base_id,
        item_id=text_value(metadata, "id") or path_id,
        revision_id=revision_id_of(raw),
        title=text_value(metadata, "title") or first_heading(body) or path.name,
        status=status,
        owner=_one_line(metadata, "owner"),
        team=_one_line(metadata, "team"),
        scope=_one_line(metadata, "scope"),
        source=_one_line(metadata, "source"),
        citation=_one_line(metadata, "citation"),
        locator=_one_line(metadata, "locator"),
        text=text[_start_of_line(text, header_lines) :] if body else "",
        body_line=header_lines + 1,
        path=str(path),
    )
    return Reading((item,), tuple(Problem(str(path), why) for why in (replaced, not_understood) if why))


def revision_id_of(raw: bytes) -> str:
    """The id that git gives to these bytes as the content of a file."""
    return hashlib.sha1(b"blob %d\0%b" % (len(raw), raw), usedforsecurity=False).hexdigest()


def _base_around(path: Path, root: Path, configured: tuple[str, ...]) -> Path:
    """The innermost base around a file; where only the file itself is configured, its folder."""
    folders = [Place.configured(root, entry).folder for entry in configured if entry.strip()]
    usual = root / USUAL_FOLDER
    if path.is_relative_to(usual):
        folders.append(usual / path.relative_to(usual).parts[0])
    around = (folder for folder in folders if folder in path.parents)
    return max(around, key=lambda folder: len(folder.parts), default=path.parent)


def _start_of_line(text: str, lines_before: int) -> int:
    ends = islice(LINE_END.finditer(text), lines_before)
    return max((end.end() for end in ends), default=0)


def _one_line(metadata: Mapping[str, Any], key: str) -> str | None:
    """A value as text; several owners, say, one after the other."""
    if isinstance(metadata.get(key), list):
        return ", ".join(list_value(metadata, key)) or None
    return text_value(metadata, key)


# Whether it is published


def _status(metadata: Mapping[str, Any], plain: str) -> tuple[KnowledgeStatus, str | None]:
    """The status, and why it is not that which somebody may have meant."""
    if not metadata and _says_status_unreadably(plain):
        return "draft", "the header has a status but cannot be read, so this item is not published"
    value = metadata.get("status")
    text = text_value(metadata, "status")
    if text is None:
        if value is None or isinstance(value, str):
            return "published", None
        return "draft", "the status is not a single word, so this item is not published"
    known = STATUSES.get(_SUPERSEDED.sub("superseded", text.casefold()))
    if known is None:
        return "draft", (
            f"the status {text[:40]!r} is not draft, published or archived, so this item is not published"
        )
    return known, None


def _says_status_unreadably(plain: str) -> bool:
    """Whether a text without a header that can be read begins with what was meant as one, status and all."""
    lines = plain[:MAX_HEADER_CHARACTERS].lstrip().split("\n")
    if lines[0].rstrip() != "---":
        return False
    closing = next((n for n, line in enumerate(lines) if n and line.rstrip() == "---"), None)
    header = lines[1:closing] if closing else takewhile(str.strip, lines[1:])
    return any(_STATUS_KEY.match(line) for line in header)
