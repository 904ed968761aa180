"""workspace/executeCommand for an editor's own user interface: lists, pages and insertions.

The client does the showing and the editing. What these commands do is imported when somebody asks, since a client
waits for `initialize`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pygls.lsp.server import LanguageServer

from lsp_server.core import QueryError
from lsp_server.features.code_action import Desk, desk_of, edit_with
from lsp_server.features.commands import Command, cores_asked, run_command
from lsp_server.json_form import Json
from lsp_server.paths import relative_uri, uri_of
from lsp_server.session import Session

if TYPE_CHECKING:
    from lsp_server.core import SearchCore
    from lsp_server.match_list import RootOf
    from lsp_server.page import LinkTo
    from lsp_server.server import PriorArtServer

LOOK_UP = "priorArt.lookUp"
ABOUT_FILE = "priorArt.aboutFile"
PAGE = "priorArt.page"
INSERTION = "priorArt.insertion"


def register(server: PriorArtServer) -> None:
    """Register the handlers."""

    @server.command(LOOK_UP)
    async def look_up(_server: LanguageServer, *arguments: object) -> Json:
        return await run_command(server, look_up_command, arguments)

    @server.command(ABOUT_FILE)
    async def about_file(_server: LanguageServer, *arguments: object) -> Json:
        return await run_command(server, about_file_command, arguments)

    @server.command(PAGE)
    async def page(_server: LanguageServer, *arguments: object) -> Json:
        return await run_command(server, page_command, arguments)

    @server.command(INSERTION)
    async def insertion(_server: LanguageServer, *arguments: object) -> Json:
        first = arguments[0] if arguments else None
        desk = desk_of(server, first.get("uri") if isinstance(first, Mapping) else None)
        command: Command = partial(insertion_command, desk)
        return await run_command(server, command, arguments)


def look_up_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.lookUp`: a list of matches from every source; `about` contracts or knowledge ranks for words."""
    from lsp_server.editor_questions import ask, editor_question
    from lsp_server.match_list import look_up_json

    question = editor_question(options)
    cores = cores_asked(session, question.root, question.uri)
    return look_up_json(ask(cores, question), question.asked, _root_of(cores))


def about_file_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.aboutFile`: a list of what names the file of a document, by `uri`."""
    from lsp_server.core.composition import ALL_SOURCES
    from lsp_server.editor_questions import ask_about_file, file_question
    from lsp_server.match_list import look_up_json

    uri, limit = file_question(options)
    root = session.root_of(uri)
    cores = session.cores_for(root)
    few = session.settings_for(root).hover_common_word_documents
    return look_up_json(ask_about_file(cores, uri, root, few, limit), ALL_SOURCES, _root_of(cores))


def page_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.page`: the same answer as `lookUp`, or with `about` status the stores, as Markdown.

    With `relative_to`, the folder that the page will be in, links are relative to it: a Markdown preview follows
    no `file:` links.
    """
    from lsp_server.editor_questions import ask, page_question
    from lsp_server.page import look_up_page, status_page
    from lsp_server.render import one_line

    asked = page_question(options)
    question, link_to = asked.about, _link_to(asked.relative_to)
    if question is None:
        cores = cores_asked(session, asked.root)
        markdown = status_page([core.status() for core in cores], link_to)
        return {"type": "page", "title": "Prior art: the stores", "total_count": None, "markdown": markdown}
    cores = cores_asked(session, asked.root, question.uri)
    lookup = ask(cores, question)
    markdown = look_up_page(lookup, question.asked, link_to, _root_of(cores))
    title = f"Prior art: {one_line(lookup.query)}"
    return {"type": "page", "title": title, "total_count": lookup.total_count, "markdown": markdown}


def insertion_command(desk: Desk | None, session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.insertion`: the edit that puts a match of an earlier answer into an open document.

    A contract becomes a unit-work where the document is a plan, anything else a citation. `edit` is null, and
    `reason` says why, where neither can be done.
    """
    from lsp_server.action_kinds import CITE_KIND, INSERT_KIND
    from lsp_server.editor_questions import find_again, insertion_question

    asked = insertion_question(options)
    if desk is None:
        raise QueryError("uri has to name an open document")
    # The list may have come from another folder than the document is in.
    own = session.cores_for(session.root_of(desk.document.uri))
    cores = dict.fromkeys((*own, *session.all_cores(), *session.open_cores()))
    match = find_again(tuple(cores), asked.query, asked.id)
    if match is None:
        return {"type": "insertion", "edit": None, "reason": "it is no longer in the stores; search again"}
    for kind in (INSERT_KIND, CITE_KIND):
        edit = edit_with(desk, kind, match, asked.line)
        if edit is not None:
            return {"type": "insertion", "edit": edit, "reason": None}
    language = desk.document.language or "this document"
    return {
        "type": "insertion",
        "edit": None,
        "reason": f"no comment can be written in {language}; copy it instead",
    }


def _root_of(cores: Sequence[SearchCore]) -> RootOf:
    roots = sorted((core.root for core in cores), key=lambda root: -len(root.parts))
    return lambda path: next((root for root in roots if Path(path).is_relative_to(root)), Path())


def _link_to(folder: str | None) -> LinkTo:
    def link_to(path: str, line: int | None) -> str:
        uri = uri_of(path, line) if folder is None else relative_uri(path, folder, line)
        return uri.replace("(", "%28").replace(")", "%29")

    return link_to
