"""What a feature shows for one phrase: prior art and contracts together, from one or several roots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from lsp_server.core import SearchCore
from lsp_server.core.composition import ALL_SOURCES, EDITOR_LIMITS
from lsp_server.core.merge import merge_knowledge_graph, merge_prior_art
from lsp_server.core.model import (
    ContractMatch,
    Fact,
    KnowledgeGraphAnswer,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceName,
    Status,
    overall_status,
)

AnyMatch: TypeAlias = Fact | Page | Post | ContractMatch

Named = TypeVar("Named", bound=Fact | Post)
Match = TypeVar("Match", bound=Fact | Page | Post | ContractMatch)


NO_CONTRACTS = KnowledgeGraphAnswer(
    project_slug="", searched_at="", query="", results=(), total_count=0, sources_searched=(), status="absent"
)
"""For a lookup that does not ask for any."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The answers for a phrase as editors show them."""

    query: str
    prior_art: PriorArt
    knowledge_graph: KnowledgeGraphAnswer

    @property
    def status(self) -> Status:
        """One status for every source that was asked."""
        art = self.prior_art
        return overall_status(
            (art.memory.status, art.wiki.status, art.board.status, self.knowledge_graph.status)
        )

    @property
    def contracts(self) -> tuple[ContractMatch, ...]:
        """Matching unit-contracts, best first."""
        return self.knowledge_graph.results

    @property
    def groups(self) -> tuple[tuple[AnyMatch, ...], ...]:
        """The matches of each source, the most telling source first.

        A work-plan id or a tag names its contracts; anything else merely occurs in them.
        """
        art = self.prior_art
        found: tuple[tuple[AnyMatch, ...], ...] = (art.memory.matches, art.wiki.matches, art.board.matches)
        if any(match.relevance == "exact" for match in self.contracts):
            return (self.contracts, *found)
        return (*found, self.contracts)

    @property
    def matches(self) -> tuple[AnyMatch, ...]:
        """All matches, those of the most telling source first."""
        return tuple(match for group in self.groups for match in group)

    @property
    def total_count(self) -> int:
        """How many documents match in all, shown or not."""
        art = self.prior_art
        counts = (art.memory.total_count, art.wiki.total_count, art.board.total_count)
        return sum(counts) + self.knowledge_graph.total_count

    @property
    def problems_by_source(self) -> tuple[tuple[str, tuple[Problem, ...]], ...]:
        """The sources that could not be searched completely, with what was wrong."""
        art = self.prior_art
        reports: tuple[tuple[str, tuple[Problem, ...]], ...] = (
            ("memory", art.memory.problems),
            ("wiki", art.wiki.problems),
            ("board", art.board.problems),
            ("contracts", self.knowledge_graph.problems),
        )
        hiding = (
            (source, tuple(problem for problem in problems if problem.hides_matches))
            for source, problems in reports
        )
        return tuple((source, problems) for source, problems in hiding if problems)


def look_up(
    cores: Sequence[SearchCore],
    query: str,
    sources: Iterable[SourceName] = ALL_SOURCES,
    *,
    by_word: bool = False,
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
        [core.prior_art(query, asked, limits=EDITOR_LIMITS, by_word=by_word) for core in cores], EDITOR_LIMITS
    )
    named = [match for core in cores for match in core.named(query)]
    if "contracts" not in asked:
        return Lookup(query, _with_named(prior_art, named, asked), NO_CONTRACTS)
    limit = EDITOR_LIMITS.contracts
    contracts = [core.search_kg(query, limit=limit, by_word=False) for core in cores]
    return Lookup(query, _with_named(prior_art, named, asked), merge_knowledge_graph(contracts, limit))


def led_by(first: Lookup, others: Lookup) -> Lookup:
    """The matches of two lookups as one, each once; of the second phrase, which the first one contains."""
    art, graph = others.prior_art, others.knowledge_graph
    return Lookup(
        query=others.query,
        prior_art=replace(
            art,
            memory=replace(
                art.memory, matches=_each_once(first.prior_art.memory.matches, art.memory.matches)
            ),
            wiki=replace(art.wiki, matches=_each_once(first.prior_art.wiki.matches, art.wiki.matches)),
            board=replace(art.board, matches=_each_once(first.prior_art.board.matches, art.board.matches)),
        ),
        knowledge_graph=replace(graph, results=_each_once(first.contracts, graph.results)),
    )


def _each_once(first: Sequence[Match], others: Sequence[Match]) -> tuple[Match, ...]:
    by_identity: dict[str, Match] = {}
    for match in (*first, *others):
        by_identity.setdefault(identity(match), match)
    return tuple(by_identity.values())


def look_up_or_words(
    cores: Sequence[SearchCore], query: str, sources: Iterable[SourceName] = ALL_SOURCES
) -> Lookup:
    """Ask for a phrase, and where nothing holds it for its words; for somebody who asked.

    Raises
    ------
    QueryError
        The phrase is blank or too long.
    """
    asked = tuple(sources)
    found = look_up(cores, query, asked)
    return found if found.matches else look_up(cores, query, asked, by_word=True)


def _with_named(prior_art: PriorArt, named: Iterable[Fact | Post], asked: Sequence[SourceName]) -> PriorArt:
    """The answer with the fact or post that the phrase is the id of before those that mention it."""
    for match in named:
        if isinstance(match, Fact) and "memory" in asked:
            prior_art = replace(prior_art, memory=_led_by(match, prior_art.memory))
        elif isinstance(match, Post) and "board" in asked:
            prior_art = replace(prior_art, board=_led_by(match, prior_art.board))
    return prior_art


def _led_by(first: Named, answer: SourceAnswer[Named]) -> SourceAnswer[Named]:
    others = tuple(match for match in answer.matches if match != first)
    return replace(
        answer,
        matches=(first, *others),
        total_count=answer.total_count + 1 - (len(answer.matches) - len(others)),
    )


def place_of(match: AnyMatch) -> tuple[str, int | None]:
    """Path and line of a match; a fact's snapshot has no telling line."""
    return match.path, None if isinstance(match, Fact) else match.line


def identity(match: AnyMatch) -> str:
    """What a match is found by again in a later lookup of the same phrase."""
    if isinstance(match, Fact):
        return match.memory_id
    if isinstance(match, Post):
        return match.id
    return match.path if isinstance(match, Page) else f"{match.path}#{match.line}"
