"""What a hover shows for a target, and whether it shows anything: the editor's popup and `prior-art hover`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from lsp_server.core.matching import fold
from lsp_server.core.model import Status
from lsp_server.cursor import Target, is_structured
from lsp_server.lookup import Lookup, look_up, look_up_path
from lsp_server.render import Markup, render_hover, render_incomplete
from lsp_server.settings import Settings

if TYPE_CHECKING:
    from lsp_server.core import SearchCore


@dataclass(frozen=True, slots=True)
class HoverAnswer:
    """A hover's text, `None` for no popup, and what it was made from."""

    text: str | None
    found: bool = False
    status: Status = "complete"


def wants(settings: Settings, target: Target) -> bool:
    """Whether a target may have a hover at all."""
    text = fold(target.text)
    return (
        settings.hover_enable
        and settings.hover_min_token_length <= len(text)
        and not any(fnmatchcase(text, fold(pattern)) for pattern in settings.hover_ignore)
    )


def hover_from(
    cores: Sequence[SearchCore],
    settings: Settings,
    target: Target,
    markup: Markup,
    *,
    linked_from: str | None = None,
) -> HoverAnswer:
    """The hover for a target from the given stores.

    Nothing found is said by silence. But where somebody rests on a code, a file or an id and the search
    could not look everywhere, silence would say too much: then the hover names what could not be read.
    `linked_from` is as for `render_hover`.
    """
    if not cores:
        return HoverAnswer(None)
    if target.kind == "filename":
        few = settings.hover_common_word_documents
        lookup = look_up_path(cores, target.text, settings.hover_sources, few=few)
    else:
        lookup = look_up(cores, target.text, settings.hover_sources)
    if lookup.total_count == 0:
        quiet = target.kind == "symbol"
        text = None if quiet else render_incomplete(lookup, lookup.query, markup)
        return HoverAnswer(text, found=False, status=lookup.status)
    if not _stands_out(cores, settings, target, lookup):
        return HoverAnswer(None, found=False, status=lookup.status)
    text = render_hover(lookup, lookup.query, markup, linked_from=linked_from)
    return HoverAnswer(text, found=True, status=lookup.status)


def _stands_out(cores: Sequence[SearchCore], settings: Settings, target: Target, lookup: Lookup) -> bool:
    """Whether a target is distinctive enough to interrupt for (design: "quiet means distinctive")."""
    if target.kind != "symbol" or is_structured(target.text):
        return True
    few = settings.hover_common_word_documents
    if lookup.total_count <= few:
        return True
    standings = [core.standing(target.text) for core in cores]
    return any(standing.is_name or 0 < standing.singled_out_in <= few for standing in standings)
