"""The one door to the lookups: open a root, ask, close."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from os import PathLike, path
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, get_args

from lsp_server.core import composition
from lsp_server.core.composition import LIMITS, Limits
from lsp_server.core.freshness import Freshness
from lsp_server.core.index.cache import Cache, cache_of
from lsp_server.core.index.snapshot import Indexing, Snapshot
from lsp_server.core.index.store import Store
from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeReading
from lsp_server.core.knowledge.base import KnowledgeBase
from lsp_server.core.knowledge.embedder import installed_embedder
from lsp_server.core.knowledge.index import (
    KnowledgeIndex,
    index_knowledge,
    knowledge_entries,
    read_knowledge_record,
    repeated_ids,
)
from lsp_server.core.knowledge.vectors import Vectors
from lsp_server.core.matching import check_query
from lsp_server.core.model import (
    CacheStatus,
    CoreStatus,
    Fact,
    KnowledgeGraphAnswer,
    KnowledgeMatch,
    Post,
    PriorArt,
    Problem,
    Progress,
    QueryError,
    Scope,
    SourceAnswer,
    SourceName,
    SourceStatus,
    State,
    Status,
    StoreOptions,
)
from lsp_server.core.prominence import Standing, standing
from lsp_server.core.search_board import (
    BoardIndex,
    board_entries,
    count_posts,
    index_board,
    post_named,
    read_row,
    search_board,
)
from lsp_server.core.search_kg import contract_entries, index_contracts, read_contract, search_contracts
from lsp_server.core.search_memory import (
    fact_named,
    index_memory,
    memory_entries,
    read_fact,
    search_memory,
)
from lsp_server.core.search_wiki import index_wiki, read_page, search_wiki, wiki_entries
from lsp_server.core.source import Sources

Answer = TypeVar("Answer")
Choice = TypeVar("Choice", bound=str)
Match = TypeVar("Match")


class SearchCore:
    """The stores below one root, kept fresh, and the lookups over them. Safe to use from several threads."""

    def __init__(
        self,
        root: Path,
        sources: Sources,
        options: StoreOptions | None = None,
        *,
        wait: bool = True,
        cache: Cache | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        options = options or StoreOptions()
        self.root = root
        self._cache = cache
        self._verify = sources.verify
        self._memory = Store(sources.memory, Indexing(memory_entries, read_fact, index_memory), cache)
        self._wiki = Store(sources.wiki, Indexing(wiki_entries, read_page, index_wiki), cache)
        self._board = Store(sources.board, Indexing(board_entries, read_row, index_board), cache)
        self._contracts = Store(
            sources.contracts, Indexing(contract_entries, read_contract, index_contracts), cache
        )
        self._knowledge = Store(
            sources.knowledge,
            Indexing(
                knowledge_entries,
                read_knowledge_record,
                partial(index_knowledge, scopes=options.knowledge_scopes),
            ),
            cache,
        )
        self._stores: tuple[Store[Any, Any, Any], ...] = (
            self._memory,
            self._wiki,
            self._board,
            self._contracts,
            self._knowledge,
        )
        self._freshness = Freshness(root.name, self._stores, on_progress or (lambda _progress: None))
        embedder = installed_embedder() if options.knowledge_semantic else None
        self._base = KnowledgeBase(
            options,
            sources.knowledge.read_file,
            sources.read_revision,
            Vectors(embedder, cache) if embedder is not None else None,
            in_background=None if wait else partial(self._freshness.in_background, threading.Lock()),
            is_closed=lambda: self._freshness.is_closed,
        )

    @classmethod
    def open(
        cls,
        root: str | PathLike[str],
        options: StoreOptions | None = None,
        *,
        wait: bool = True,
        cached: bool = True,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> SearchCore:
        """Open every store below `root` (spec/masc.md §0, spec/gem2.md §2).

        A root without stores opens too; its sources are `absent`.

        Parameters
        ----------
        wait
            False returns while a large store is still being read; until that is done, answers are incomplete
            and say how far it is.
        cached
            False neither reads nor writes a cache.
        on_progress
            Called from any thread while a large store is read, and once when all are.
        """
        # Imported late so that the arrow points inward: the sources know the core at import, not the reverse.
        from lsp_server.sources.composition import open_sources

        where = Path(path.abspath(root))  # noqa: PTH100 - links stay as they were given
        chosen = options or StoreOptions()
        # Which folder of several a file is in decides the base of a knowledge item.
        reading = chosen.max_file_bytes, chosen.knowledge_folders
        cache = cache_of(where, reading) if cached else None
        sources = open_sources(where, chosen)
        core = cls(where, sources, chosen, wait=wait, cache=cache, on_progress=on_progress)
        if wait:
            core.refresh()
        else:
            core._freshness.look_when_due()
        return core

    def __enter__(self) -> SearchCore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def prior_art(
        self,
        query: str,
        sources: Iterable[SourceName] = composition.PRIOR_ART_SOURCES,
        *,
        limits: Limits = LIMITS,
        by_word: bool = True,
    ) -> PriorArt:
        """What memory, wiki and board hold about a phrase; a source that was not asked for is `absent`.

        Parameters
        ----------
        query
            A short fragment as observed. Blanks around it do not count.
        by_word
            False leaves out the facts that hold only a word of the query.

        Raises
        ------
        QueryError
            The query is blank or too long.
        """
        phrase, asked = query.strip(), frozenset(sources)
        check_query(phrase)

        def ask() -> PriorArt:
            memory, wiki, board = self._memory.snapshot, self._wiki.snapshot, self._board.snapshot
            return PriorArt(
                query=query,
                memory=_independently(
                    "memory" in asked,
                    lambda: search_memory(memory, phrase, limits.memory, self._verify, by_word=by_word),
                ),
                wiki=_independently("wiki" in asked, lambda: search_wiki(wiki, phrase, limits.wiki)),
                board=_independently(
                    "board" in asked, lambda: search_board(board, phrase, limits.board, time.time())
                ),
            )

        return self._answer(ask, _cited_by_prior_art)

    def search_kg(
        self,
        query: str,
        project_slug: str | None = None,
        scope: Scope | None = None,
        state_filter: State | None = None,
        limit: int | None = None,
        *,
        by_word: bool = True,
    ) -> KnowledgeGraphAnswer:
        """Proven and live unit-contracts by tag, verb, object or word (seeds/search-kg.md).

        Parameters
        ----------
        project_slug
            Echoed; `None` takes the one that most plans name, else the root's name.
        scope
            `None` = all, as ⊥ in the seed.
        limit
            `None` = 5, as ⊥ in the seed.
        by_word
            False leaves out what shares only some words with the query.

        Raises
        ------
        QueryError
            The query is blank or too long, or another argument is none of its values.
        """
        phrase = query.strip()
        check_query(phrase)
        shelves = _one_of("scope", scope or "all", get_args(Scope))
        if state_filter is not None:
            _one_of("state", state_filter, get_args(State))
        most = LIMITS.contracts if limit is None else limit
        if most < 1:
            raise QueryError(f"the limit is {most}; it has to be at least 1")

        def ask() -> KnowledgeGraphAnswer:
            snapshot = self._contracts.snapshot
            problems = tuple(p for p in snapshot.problems if not p.path or _in_scope(p.path, shelves))
            results, total = search_contracts(
                snapshot.index,
                phrase,
                scope=shelves,
                state_filter=state_filter,
                limit=most,
                by_word=by_word,
            )
            return KnowledgeGraphAnswer(
                project_slug=project_slug or snapshot.index.project_slug or self.root.name,
                searched_at=_utc_now(),
                query=query,
                results=results,
                total_count=total,
                sources_searched=tuple(place for place in snapshot.locations if _in_scope(place, shelves)),
                status=snapshot.status if problems else _without_problems(snapshot.status),
                problems=problems,
            )

        return self._answer(ask, lambda answer: (match.path for match in answer.results))

    def knowledge(self, parameters: Mapping[str, object]) -> KnowledgeAnswer | KnowledgeReading:
        """Published knowledge, ranked or read to the letter, by the seed's own parameters.

        Raises
        ------
        KnowledgeError
            The request gets no answer; its code says why (seeds/search-knowledge.md, Errors).
        """
        return self._answer(
            lambda: self._base.ask(self._knowledge_snapshot(), parameters), _cited_by_knowledge
        )

    def knowledge_about(self, phrase: str, limit: int | None) -> SourceAnswer[KnowledgeMatch]:
        """Published items that contain a phrase as it stands, best first.

        Raises
        ------
        QueryError
            The phrase is blank or too long.
        """
        check_query(phrase.strip())

        def ask() -> SourceAnswer[KnowledgeMatch]:
            return _independently(
                True, lambda: self._base.about(self._knowledge_snapshot(), phrase.strip(), limit)
            )

        return self._answer(ask, lambda answer: (match.path for match in answer.matches))

    def named(self, phrase: str) -> tuple[Fact | Post, ...]:
        """What a phrase is the id of: a board post, or a fact by its memory id. Usually nothing."""

        def ask() -> tuple[Fact | Post, ...]:
            fact = fact_named(self._memory.snapshot, phrase, self._verify)
            post = post_named(self._board.snapshot, phrase, time.time())
            return tuple(match for match in (fact, post) if match is not None)

        return self._answer(ask, lambda matches: (match.path for match in matches))

    def standing(self, word: str) -> Standing:
        """How a plain word stands in the stores: as a name, singled out, or merely used."""
        self._freshness.look_when_due()
        corpora = (
            self._memory.snapshot.index.corpus,
            self._wiki.snapshot.index,
            self._board.snapshot.index.corpus,
            self._contracts.snapshot.index.corpus,
            self._knowledge.snapshot.index.corpus,
        )
        return standing(word, corpora)

    @property
    def has_store(self) -> bool:
        """Whether any store was there when the disk was last looked at."""
        return any(store.snapshot.status != "absent" for store in self._stores)

    def holds(self, file: str) -> bool:
        """Whether a path is one of the files that were read."""
        return any(file in store.snapshot.fingerprints for store in self._stores)

    def status(self) -> CoreStatus:
        """Which stores were found, how much they hold, and what could not be read; asks the disk."""
        self.refresh()
        return CoreStatus(
            root=str(self.root),
            sources=(
                self._memory.status(len),
                self._wiki.status(len),
                self._board.status(_count_live_posts),
                self._contracts.status(len),
                self._knowledge_status(),
            ),
            cache=self._cache_status(),
        )

    def refresh(self) -> None:
        """Look at the disk now, whatever the throttle says, and read all that has changed."""
        self._freshness.read_all()

    def expect_changes(self) -> None:
        """Have the next lookup look at the disk, whatever the throttle says."""
        self._freshness.expect_changes()

    def close(self) -> None:
        """End the lookups: any that starts after this raises `RuntimeError`."""
        self._freshness.close()

    def _knowledge_snapshot(self) -> Snapshot[KnowledgeIndex]:
        """The snapshot, which also names the items that are hidden since their id is taken."""
        snapshot = self._knowledge.snapshot
        repeated = repeated_ids(snapshot.index)
        if not repeated:
            return snapshot
        status = "incomplete" if snapshot.status == "complete" else snapshot.status
        return replace(snapshot, status=status, problems=(*snapshot.problems, *repeated))

    def _knowledge_status(self) -> SourceStatus:
        snapshot = self._knowledge_snapshot()
        status = self._knowledge.status(len)
        return replace(status, status=snapshot.status, problems=snapshot.problems)

    def _cache_status(self) -> CacheStatus | None:
        if self._cache is None:
            return None
        problems = (store.cache_problem for store in self._stores)
        return CacheStatus(str(self._cache.folder), self._cache.size(), next(filter(None, problems), None))

    def _answer(self, ask: Callable[[], Answer], cited: Callable[[Answer], Iterable[str]]) -> Answer:
        """Ask; where a cited file changed within the throttle, read its store again and ask once more."""
        self._freshness.look_when_due()
        answer = ask()
        return ask() if self._freshness.read_again_if_stale(set(cited(answer))) else answer


def _independently(asked: bool, search: Callable[[], SourceAnswer[Match]]) -> SourceAnswer[Match]:
    """One source's answer; its failure is its own (seeds/prior-art.md, `continue_independent`)."""
    if not asked:
        return SourceAnswer("absent")
    try:
        return search()
    except Exception as error:  # whatever it is, the other sources still answer
        return SourceAnswer("failed", problems=(Problem("", f"the lookup failed: {error!r}"),))


def _cited_by_knowledge(answer: KnowledgeAnswer | KnowledgeReading) -> Iterable[str]:
    if isinstance(answer, KnowledgeReading):
        return ()  # It was read from the disk just now.
    return (result.item.path for result in answer.results)


def _cited_by_prior_art(answer: PriorArt) -> Iterable[str]:
    for source in answer.by_source.values():
        for match in source.matches:
            yield match.path


def _in_scope(place: str, scope: Scope) -> bool:
    """Whether a folder of contracts, or a file in it, belongs to the scope."""
    folders = {"all": ("archive", "work-plan"), "archive": ("archive",), "live": ("work-plan",)}[scope]
    return Path(place).name in folders or Path(place).parent.name in folders


def _one_of(name: str, value: Choice, choices: tuple[str, ...]) -> Choice:
    if value not in choices:
        raise QueryError(f"the {name} is {value!r}; it has to be one of {', '.join(choices)}")
    return value


def _without_problems(status: Status) -> Status:
    return status if status == "absent" else "complete"


def _count_live_posts(index: BoardIndex) -> int:
    return count_posts(index, time.time())


def _utc_now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
