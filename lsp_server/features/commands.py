"""workspace/executeCommand: the lookups for programs and for editors' own commands.

Each command takes one argument, the query as a string or an object with the command line's options, and
answers the JSON of the command line's `--json`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from lsp_server import capabilities
from lsp_server.core import QueryError
from lsp_server.core.composition import ALL_SOURCES
from lsp_server.json_form import Json, knowledge_graph_json, prior_art_json, status_json
from lsp_server.paths import uri_of
from lsp_server.questions import (
    NoStoreError,
    ask_knowledge_graph,
    ask_prior_art,
    knowledge_graph_question,
    prior_art_question,
)
from lsp_server.session import Session

if TYPE_CHECKING:
    from lsp_server.core import SearchCore
    from lsp_server.server import PriorArtServer

logger = logging.getLogger(__name__)

SEARCH = "priorArt.search"
SEARCH_KG = "priorArt.searchKg"
OPEN = "priorArt.open"
SEARCH_KNOWLEDGE = "priorArt.searchKnowledge"
READ_KNOWLEDGE = "priorArt.readKnowledge"
STATUS = "priorArt.status"

Command = Callable[[Session, Mapping[str, object]], Json]
"""What answers a command, given its options."""

CLIENT_SECONDS = 5.0
"""Some editors never answer a request of the server; a command does not wait for them longer than this."""


def register(server: PriorArtServer) -> None:
    """Register the handlers."""

    async def run(command: Command, arguments: Sequence[object]) -> Json:
        return await run_command(server, command, arguments)

    # pygls hands itself over as the first argument to whatever accepts it, as `*arguments: object` would.
    @server.command(SEARCH)
    async def search(_server: LanguageServer, *arguments: object) -> Json:
        return await run(search_command, arguments)

    @server.command(SEARCH_KG)
    async def search_kg(_server: LanguageServer, *arguments: object) -> Json:
        return await run(search_kg_command, arguments)

    @server.command(SEARCH_KNOWLEDGE)
    async def search_knowledge(_server: LanguageServer, *arguments: object) -> Json:
        return await run(search_knowledge_command, arguments)

    @server.command(READ_KNOWLEDGE)
    async def read_knowledge(_server: LanguageServer, *arguments: object) -> Json:
        return await run(read_knowledge_command, arguments)

    @server.command(STATUS)
    async def status(_server: LanguageServer, *arguments: object) -> Json:
        return await run(status_command, arguments)

    @server.command(OPEN)
    async def open_place(_server: LanguageServer, *arguments: object) -> Json:
        place = await run(open_command, arguments)
        if place["path"] is not None:
            place["shown"] = await _show(server, place["path"], place["line"])
        return place


async def run_command(server: PriorArtServer, command: Command, arguments: Sequence[object]) -> Json:
    """Run a command in the background; what is wrong with the question is the client's to show.

    Raises
    ------
    JsonRpcInvalidParams
        The arguments are at fault, or there is nothing to be searched.
    """
    try:
        options = options_of(arguments)
        return await server.with_settings(command, server.session, options)
    except QueryError as error:
        raise JsonRpcInvalidParams(str(error)) from error


def options_of(arguments: Sequence[object]) -> Mapping[str, object]:
    """A command's one argument as options.

    Raises
    ------
    QueryError
        There is more than one argument, or it is neither text nor an object.
    """
    if len(arguments) > 1:
        raise QueryError(f"takes one argument, {len(arguments)} were given")
    argument = arguments[0] if arguments else None
    if argument is None:
        return {}
    if isinstance(argument, str):
        return {"query": argument}
    if isinstance(argument, Mapping):
        return argument
    raise QueryError("the argument has to be the query as text, or an object with options")


def search_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.search`: memory, wiki and board."""
    question = prior_art_question(options)
    return prior_art_json(ask_prior_art(cores_asked(session, question.root), question), question.sources)


def search_kg_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.searchKg`: unit-contracts."""
    question = knowledge_graph_question(options)
    return knowledge_graph_json(ask_knowledge_graph(cores_asked(session, question.root), question))


def search_knowledge_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.searchKnowledge`: published knowledge, ranked; an error is an envelope too."""
    return _knowledge_command(session, options)


def read_knowledge_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.readKnowledge`: a window of one item or revision; an error is an envelope too."""
    given = dict(options)
    # An argument that is only text is the item here.
    if set(given) == {"query"}:
        given = {"item": given["query"]}
    return _knowledge_command(session, given)


_KNOWLEDGE_NAMES = {
    "base": "knowledge_base_id",
    "item": "knowledge_item_id",
    "revision": "knowledge_revision_id",
}
"""The command line's names of the seed's parameters, where they differ."""


def _knowledge_command(session: Session, options: Mapping[str, object]) -> Json:
    # Imported when somebody asks, since a client waits for `initialize`.
    from lsp_server.core.knowledge.errors import KnowledgeError
    from lsp_server.knowledge import ask_knowledge, knowledge_error_json, knowledge_json

    given = {key.replace("-", "_"): value for key, value in options.items() if key != "json"}
    root = given.pop("root", None)
    if root is not None and not isinstance(root, str):
        raise QueryError("root has to be text")
    parameters = {_KNOWLEDGE_NAMES.get(key, key): value for key, value in given.items()}
    try:
        return knowledge_json(ask_knowledge(cores_asked(session, root), parameters))
    except KnowledgeError as error:
        return knowledge_error_json(error)


def status_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.status`: the stores of every root, or of the one that is named."""
    unknown = sorted(options.keys() - {"root", "query", "json"})
    root = options.get("root")
    if unknown:
        raise QueryError(f"unknown option {unknown[0]}; there is root")
    if root is not None and not isinstance(root, str):
        raise QueryError("root has to be text")
    return status_json([core.status() for core in cores_asked(session, root)])


def open_command(session: Session, options: Mapping[str, object]) -> Json:
    """`priorArt.open`: the place of a match, or of a query's best match.

    Only files of the stores are opened, whatever path somebody asks for.
    """
    from lsp_server.lookup import look_up_or_words, place_of

    path, line = options.get("path"), options.get("line")
    if path is None:
        question = prior_art_question(options)
        sources = ALL_SOURCES if options.get("source") is None else question.sources
        cores = cores_asked(session, question.root)
        if not cores:
            raise NoStoreError("no workspace is open; name one with root")
        matches = look_up_or_words(cores, question.query, sources).matches
        best = place_of(matches[0]) if matches else (None, None)
        return {"type": "open", "path": best[0], "line": best[1], "shown": False}
    unknown = sorted(options.keys() - {"path", "line"})
    if unknown:
        raise QueryError(f"unknown option {unknown[0]}; a path goes with line only")
    places = (*session.all_cores(), *session.open_cores())
    if not isinstance(path, str) or not any(core.holds(path) for core in places):
        raise QueryError("the path is no file of a store")
    if line is not None and (isinstance(line, bool) or not isinstance(line, int) or line < 1):
        raise QueryError("line has to be a whole number from 1")
    return {"type": "open", "path": path, "line": line, "shown": False}


def cores_asked(session: Session, root: str | None, uri: str | None = None) -> tuple[SearchCore, ...]:
    """The stores that a command asks: those of a root, else of a document, else all.

    Raises
    ------
    QueryError
        The root is no folder.
    """
    if root is not None:
        return session.cores_at(Path(root))
    own = session.cores_for(session.root_of(uri)) if uri is not None else ()
    return own or session.all_cores()


async def _show(server: PriorArtServer, path: str, line: int | None) -> bool:
    """Have the client open a file; one that cannot do so is told where it is."""
    if capabilities.shows_documents(server.client_capabilities):
        start = types.Position((line or 1) - 1, 0)
        params = types.ShowDocumentParams(
            uri_of(path), take_focus=True, selection=types.Range(start, start) if line else None
        )
        try:
            answer = await asyncio.wait_for(server.window_show_document_async(params), CLIENT_SECONDS)
        except Exception:
            logger.warning("the client did not open %s", path, exc_info=True)
        else:
            return answer.success
    where = path if line is None else f"{path}:{line}"
    server.tell(types.MessageType.Info, where)
    return False
