"""The questions of an editor's own user interface: every source at once, as one list of matches.

`everything` looks a phrase up as a hover does, `contracts` and `knowledge` rank for a plan or a question in words.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from lsp_server.core import QueryError
from lsp_server.core.composition import ALL_SOURCES, EDITOR_LIMITS, Limits
from lsp_server.core.matching import check_query
from lsp_server.core.model import (
    MAX_QUERY_CHARACTERS,
    KnowledgeMatch,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceName,
)
from lsp_server.lookup import (
    NO_CONTRACTS,
    NO_KNOWLEDGE,
    AnyMatch,
    Lookup,
    identity,
    look_up_or_words,
    look_up_path,
)
from lsp_server.paths import location_of, shown
from lsp_server.questions import (
    KnowledgeGraphQuestion,
    NoStoreError,
    ask_knowledge_graph,
    choice_option,
    known_options,
    limit_option,
    sources_option,
    text_option,
)

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

About: TypeAlias = Literal["everything", "contracts", "knowledge"]
ABOUTS = cast(tuple[About, ...], get_args(About))

NO_PRIOR_ART = PriorArt("", SourceAnswer("absent"), SourceAnswer("absent"), SourceAnswer("absent"))
SEARCHED_AGAIN = 50
"""How many matches of each source are gone through to find one of an earlier answer again."""
PAGE_LIMIT = 50
"""Matches of each source on a page, where nobody says how many."""

_OPTIONS = ("query", "about", "source", "limit", "root", "uri")


@dataclass(frozen=True, slots=True)
class EditorQuestion:
    """What `priorArt.lookUp` is asked."""

    query: str
    about: About = "everything"
    sources: tuple[SourceName, ...] = ALL_SOURCES
    limit: int | None = None
    """At most so many matches of each source; `None` = as many as a hover knows."""
    root: str | None = None
    uri: str | None = None
    """A document: its stores answer, and paths are relative to its root."""

    @property
    def asked(self) -> tuple[SourceName, ...]:
        """The sources that take part."""
        if self.about == "everything":
            return self.sources
        return ("contracts",) if self.about == "contracts" else ("knowledge",)

    @property
    def limits(self) -> Limits:
        """How many matches the answer holds."""
        limit = self.limit
        return EDITOR_LIMITS if limit is None else Limits(limit, limit, limit, limit, limit)


def editor_question(options: Mapping[str, object]) -> EditorQuestion:
    """The question that options ask.

    Raises
    ------
    QueryError
        An option is unknown or of the wrong type.
    """
    given = known_options(options, _OPTIONS)
    return EditorQuestion(
        query=text_option(given, "query") or "",
        about=choice_option(given, "about", ABOUTS) or "everything",
        sources=sources_option(given.get("source"), ALL_SOURCES),
        limit=limit_option(given),
        root=text_option(given, "root"),
        uri=text_option(given, "uri"),
    )


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """What `priorArt.page` is asked."""

    about: EditorQuestion | None
    """`None` = the stores themselves."""
    root: str | None
    relative_to: str | None
    """The folder that the page will be in; `None` where its links have to work anywhere."""


def page_question(options: Mapping[str, object]) -> PageQuestion:
    """The page that options ask for.

    Raises
    ------
    QueryError
        An option is unknown or of the wrong type.
    """
    given = known_options(options, (*_OPTIONS, "relative_to"))
    root, relative_to = text_option(given, "root"), text_option(given, "relative_to")
    if relative_to is not None and not Path(relative_to).is_absolute():
        raise QueryError("relative_to has to be the whole path of a folder")
    if choice_option(given, "about", (*ABOUTS, "status")) == "status":
        known_options(options, ("about", "root", "relative_to"))
        return PageQuestion(None, root, relative_to)
    question = editor_question({name: value for name, value in given.items() if name != "relative_to"})
    return PageQuestion(replace(question, limit=question.limit or PAGE_LIMIT), root, relative_to)


def ask(cores: Sequence[SearchCore], question: EditorQuestion) -> Lookup:
    """Ask every root.

    Raises
    ------
    QueryError
        The query cannot be answered, or there is nothing to search.
    """
    if not cores:
        raise NoStoreError("no workspace is open; name one with root")
    if question.about == "contracts":
        return _ask_contracts(cores, question.query, question.limits.contracts)
    if question.about == "knowledge":
        return _ask_knowledge(cores, question.query, question.limits.knowledge)
    return look_up_or_words(cores, question.query, question.sources, limits=question.limits)


def file_question(options: Mapping[str, object]) -> tuple[str, int | None]:
    """The document that `priorArt.aboutFile` asks about, and the limit.

    Raises
    ------
    QueryError
        An option is unknown or of the wrong type, or the document lies nowhere.
    """
    given = known_options(options, ("uri", "limit"))
    uri = text_option(given, "uri") or ""
    location = location_of(uri)
    if location is None or not location.name:
        raise QueryError("uri has to name a file")
    return uri, limit_option(given)


def ask_about_file(
    cores: Sequence[SearchCore], uri: str, root: Path | None, few: int, limit: int | None
) -> Lookup:
    """What names the file of a document, by its path from `root` and by its name; `few` as for `look_up_path`.

    Raises
    ------
    QueryError
        There is nothing to search, or the name alone is longer than a query.
    """
    if not cores:
        raise NoStoreError("no workspace is open; open a folder that has a store")
    location = location_of(uri) or Path()
    path = location.name if root in (None, location) else shown(location, root)
    if len(path) > MAX_QUERY_CHARACTERS:
        path = location.name
    return look_up_path(cores, path, few=few, limits=EditorQuestion(path, limit=limit).limits)


@dataclass(frozen=True, slots=True)
class InsertionQuestion:
    """What `priorArt.insertion` is asked: a match of an earlier answer, and where it is to go."""

    query: str
    """Of the earlier answer."""
    id: str
    line: int
    """From 0, in the open document."""


def insertion_question(options: Mapping[str, object]) -> InsertionQuestion:
    """The insertion that options ask for.

    Raises
    ------
    QueryError
        An option is missing, unknown or of the wrong type.
    """
    given = known_options(options, ("uri", "line", "query", "id"))
    query, match_id, line = text_option(given, "query"), text_option(given, "id"), given.get("line")
    if query is None or match_id is None:
        raise QueryError("name the match by query and id, as the list of matches gives them")
    if isinstance(line, bool) or not isinstance(line, int) or line < 0:
        raise QueryError("line has to be a whole number from 0")
    return InsertionQuestion(query, match_id, line)


def find_again(cores: Sequence[SearchCore], query: str, match_id: str) -> AnyMatch | None:
    """The match of an earlier answer, whichever question it came from; `None` if it is no more."""
    # Each source alone: what stands in one of them keeps single words from being looked for in the others.
    alone = [EditorQuestion(query, sources=(source,), limit=SEARCHED_AGAIN) for source in ALL_SOURCES]
    ranked = [EditorQuestion(query, about, limit=SEARCHED_AGAIN) for about in ("contracts", "knowledge")]
    for question, core in itertools.product((*alone, *ranked), cores):
        try:
            found = ask([core], question).matches
        except QueryError:
            continue  # Another kind of store may have it.
        match = next((match for match in found if identity(match) == match_id), None)
        if match is not None:
            return match
    return None


def _ask_contracts(cores: Sequence[SearchCore], query: str, limit: int) -> Lookup:
    graph = ask_knowledge_graph(cores, KnowledgeGraphQuestion(query, limit=limit))
    return Lookup(query, NO_PRIOR_ART, graph, NO_KNOWLEDGE)


def _ask_knowledge(cores: Sequence[SearchCore], query: str, limit: int) -> Lookup:
    if not query.strip():
        check_query(query)  # It says what any other blank query is told.
    # Imported when somebody asks: it brings what ranks by meaning.
    from lsp_server.core.knowledge.answer import KnowledgeAnswer
    from lsp_server.core.knowledge.errors import KnowledgeError
    from lsp_server.core.knowledge.request import MAX_RESULTS
    from lsp_server.knowledge import ask_knowledge
    from lsp_server.report import degraded_reason

    try:
        answer = ask_knowledge(cores, {"query": query, "max_results": min(limit, MAX_RESULTS)})
    except KnowledgeError as error:
        raise QueryError(str(error)) from error
    assert isinstance(answer, KnowledgeAnswer)  # a query is answered by a ranking
    if answer.status == "absent":
        raise NoStoreError("no knowledge base here: no folder in .knowledge, and none in knowledge.folders")
    matches = tuple(
        KnowledgeMatch(
            item_id=result.item.item_id,
            base_id=result.item.base_id,
            revision_id=result.item.revision_id,
            title=result.item.title,
            source=result.item.source or result.item.citation,
            path=result.item.path,
            line=result.line,
            excerpt=result.excerpt,
        )
        for result in answer.results
    )
    knowledge = SourceAnswer(answer.status, matches, len(matches), answer.problems)
    if answer.degraded is not None:
        note = Problem("", degraded_reason(answer.degraded), hides_matches=False)
        knowledge = replace(knowledge, problems=(*answer.problems, note))
    return Lookup(query, NO_PRIOR_ART, NO_CONTRACTS, knowledge)
