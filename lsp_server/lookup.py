"""What a feature shows for one phrase: prior art and contracts together, from one or several roots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lsp_server.core.composition import ALL_SOURCES, EDITOR_LIMITS, Limits
from lsp_server.core.matching import fold
from lsp_server.core.merge import distinct, merge_knowledge, merge_knowledge_graph, merge_prior_art
from lsp_server.core.model import (
    ContractMatch,
    Fact,
    KnowledgeGraphAnswer,
    KnowledgeMatch,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceName,
    Status,
    overall_status,
)

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

AnyMatch: TypeAlias = Fact | Page | Post | ContractMatch | KnowledgeMatch

Match = TypeVar("Match", bound=Fact | Page | Post | ContractMatch | KnowledgeMatch)


_NAMES_IN_MANY_FOLDERS = frozenset(
    "__init__ __main__ app build cargo changelog cmakelists config conftest dockerfile go index lib license main "
    "makefile mod package page pyproject readme route settings setup test tests tsconfig types util utils".split()
) | {""}
"""Stems of file names, those of dot files included."""

NO_CONTRACTS = KnowledgeGraphAnswer(
    project_slug="", searched_at="", query="", results=(), total_count=0, sources_searched=(), status="absent"
)
"""For a lookup that does not ask for any."""

NO_KNOWLEDGE: SourceAnswer[KnowledgeMatch] = SourceAnswer("absent")


@dataclass(frozen=True, slots=True)
class Lookup:
    """The answers for a phrase as editors show them."""

    query: str
    prior_art: PriorArt
    knowledge_graph: KnowledgeGraphAnswer
    knowledge: SourceAnswer[KnowledgeMatch] = NO_KNOWLEDGE

    @property
    def status(self) -> Status:
        """One status for every source that was asked."""
        art = self.prior_art
        others = self.knowledge_graph.status, self.knowledge.status
        return overall_status((art.memory.status, art.wiki.status, art.board.status, *others))

    @property
    def contracts(self) -> tuple[ContractMatch, ...]:
        """Matching unit-contracts, best first."""
        return self.knowledge_graph.results

    @property
    def groups(self) -> tuple[tuple[AnyMatch, ...], ...]:
        """The matches of each source, the most telling source first.

        A work-plan id or a tag names its contracts; anything else merely occurs in them.
        """
        found: tuple[tuple[AnyMatch, ...], ...]
        found = tuple(answer.matches for answer in self.prior_art.by_source.values())
        if any(match.relevance == "exact" for match in self.contracts):
            return (self.contracts, *found, self.knowledge.matches)
        return (*found, self.contracts, self.knowledge.matches)

    @property
    def matches(self) -> tuple[AnyMatch, ...]:
        """All matches, those of the most telling source first."""
        return tuple(match for group in self.groups for match in group)

    @property
    def total_count(self) -> int:
        """How many documents match in all, shown or not."""
        return sum(answer.total_count for answer in self.by_source.values())

    @property
    def by_source(self) -> dict[SourceName, SourceAnswer[Any]]:
        """Each source's answer by its name, those that were not asked as absent."""
        graph = self.knowledge_graph
        contracts = SourceAnswer(graph.status, graph.results, graph.total_count, graph.problems)
        return {**self.prior_art.by_source, "contracts": contracts, "knowledge": self.knowledge}

    @property
    def problems_by_source(self) -> tuple[tuple[str, tuple[Problem, ...]], ...]:
        """The sources that could not be searched completely, with what was wrong."""
        hiding = (
            (source, tuple(problem for problem in answer.problems if problem.hides_matches))
            for source, answer in self.by_source.items()
        )
        return tuple((source, problems) for source, problems in hiding if problems)


def look_up(
    cores: Sequence[SearchCore],
    query: str,
    sources: Iterable[SourceName] = ALL_SOURCES,
    *,
    by_word: bool = False,
    limits: Limits = EDITOR_LIMITS,
) -> Lookup:
    """Ask every root, of which there is at least one, for a phrase that stands in somebody's text.

    Only what names or contains the phrase as it is is kept: sharing one of its words is a help for somebody
    who plans, and noise for somebody who reads.

    Parameters
    ----------
    by_word
        Keep the facts that hold only a word of the phrase, after those that hold all of it.

    Raises
    ------
    QueryError
        The phrase is blank or too long.
    """
    asked = tuple(sources)
    prior_art = merge_prior_art(
        [core.prior_art(query, asked, limits=limits, by_word=by_word) for core in cores], limits
    )
    named = [match for core in cores for match in core.named(query)]
    contracts, knowledge = NO_CONTRACTS, NO_KNOWLEDGE
    if "contracts" in asked:
        contracts = merge_knowledge_graph(
            [core.search_kg(query, limit=limits.contracts, by_word=False) for core in cores], limits.contracts
        )
    if "knowledge" in asked:
        knowledge = merge_knowledge(
            [core.knowledge_about(query, limits.knowledge) for core in cores], limits.knowledge
        )
    return Lookup(query, _with_named(prior_art, named, asked, limits), contracts, knowledge)


def look_up_path(
    cores: Sequence[SearchCore],
    path: str,
    sources: Iterable[SourceName] = ALL_SOURCES,
    *,
    few: int,
    limits: Limits = EDITOR_LIMITS,
) -> Lookup:
    """Ask for a file by its name, of which what holds its whole path leads.

    A name that stands in many folders says nothing once more than `few` documents hold it, since each means a
    file of its own: then the whole path is asked for alone.

    Raises
    ------
    QueryError
        The path is blank or too long.
    """
    asked = tuple(sources)
    by_path = look_up(cores, path, asked, limits=limits)
    name = PurePosixPath(path.replace("\\", "/")).name
    if name in ("", path):
        return by_path
    by_name = look_up(cores, name, asked, limits=limits)
    if by_name.total_count > few and fold(name).split(".")[0] in _NAMES_IN_MANY_FOLDERS:
        return by_path
    return _led_by_path(by_path, by_name, limits)


def _led_by_path(by_path: Lookup, by_name: Lookup, limits: Limits) -> Lookup:
    art, graph = by_name.prior_art, by_name.knowledge_graph
    contracts = distinct((*by_path.contracts, *graph.results), identity)
    return Lookup(
        query=by_name.query,
        prior_art=replace(
            art,
            memory=_led_by(by_path.prior_art.memory.matches, art.memory, limits.memory),
            wiki=_led_by(by_path.prior_art.wiki.matches, art.wiki, limits.wiki),
            board=_led_by(by_path.prior_art.board.matches, art.board, limits.board),
        ),
        knowledge_graph=replace(
            graph,
            results=contracts[: limits.contracts],
            total_count=max(graph.total_count, len(contracts)),
        ),
        knowledge=_led_by(by_path.knowledge.matches, by_name.knowledge, limits.knowledge),
    )


def _led_by(first: Sequence[Match], answer: SourceAnswer[Match], limit: int | None) -> SourceAnswer[Match]:
    """An answer with some matches in front. Whether those were counted in it is not known where it was cut."""
    matches = distinct((*first, *answer.matches), identity)
    return replace(answer, matches=matches[:limit], total_count=max(answer.total_count, len(matches)))


def look_up_or_words(
    cores: Sequence[SearchCore],
    query: str,
    sources: Iterable[SourceName] = ALL_SOURCES,
    *,
    limits: Limits = EDITOR_LIMITS,
) -> Lookup:
    """Ask for a phrase, and where nothing holds it for its words; for somebody who asked.

    Raises
    ------
    QueryError
        The phrase is blank or too long.
    """
    asked = tuple(sources)
    found = look_up(cores, query, asked, limits=limits)
    return found if found.matches else look_up(cores, query, asked, by_word=True, limits=limits)


def _with_named(
    prior_art: PriorArt, named: Iterable[Fact | Post], asked: Sequence[SourceName], limits: Limits
) -> PriorArt:
    """The answer with the fact or post that the phrase is the id of before those that mention it."""
    # The first root's own comes to stand first.
    for match in reversed(tuple(named)):
        if isinstance(match, Fact) and "memory" in asked:
            prior_art = replace(prior_art, memory=_led_by((match,), prior_art.memory, limits.memory))
        elif isinstance(match, Post) and "board" in asked:
            prior_art = replace(prior_art, board=_led_by((match,), prior_art.board, limits.board))
    return prior_art


def place_of(match: AnyMatch) -> tuple[str, int | None]:
    """Path and line of a match; a fact's snapshot has no telling line."""
    return match.path, None if isinstance(match, Fact) else match.line


def identity(match: AnyMatch) -> str:
    """What a match is found by again in a later lookup of the same phrase.

    A claim is one fact wherever it stands; posts and items of several roots may share an id.
    """
    if isinstance(match, Fact):
        return match.memory_id
    if isinstance(match, Post):
        return f"{match.path}#{match.id}"
    return f"{match.path}#{match.line}" if isinstance(match, ContractMatch) else match.path
