"""The one door to the lookups: open a root, ask, close."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from os import PathLike, path
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from lsp_server.core import composition
from lsp_server.core.index.store import Snapshot, Store
from lsp_server.core.matching import check_query
from lsp_server.core.model import (
    CoreStatus,
    Fact,
    KnowledgeGraphAnswer,
    Post,
    PriorArt,
    Problem,
    QueryError,
    Scope,
    SourceAnswer,
    SourceName,
    State,
    Status,
    StoreOptions,
    WorkPlan,
)
from lsp_server.core.prior_art import (
    BoardIndex,
    count_posts,
    fact_named,
    index_board,
    index_memory,
    index_wiki,
    post_named,
    search_board,
    search_memory,
    search_wiki,
)
from lsp_server.core.prominence import Prominence, Standing, find_prominence
from lsp_server.core.search_kg import search_plans
from lsp_server.core.source import Sources

Answer = TypeVar("Answer")
Match = TypeVar("Match")

THROTTLE_SECONDS = 0.5
"""The disk is asked for changes at most this often, and not at all while nobody looks anything up."""


class SearchCore:
    """The stores below one root, kept fresh, and the lookups over them. Safe to use from several threads."""

    def __init__(self, root: Path, sources: Sources) -> None:
        self.root = root
        self._verify = sources.verify
        self._memory = Store(sources.memory, index_memory)
        self._wiki = Store(sources.wiki, index_wiki)
        self._board = Store(sources.board, index_board)
        self._contracts = Store(sources.contracts, tuple[WorkPlan, ...])
        self._prominence: tuple[tuple[object, ...], Prominence] | None = None
        self._refreshing = threading.Lock()
        self._checked_at = float("-inf")
        self._closed = False

    @classmethod
    def open(cls, root: str | PathLike[str], options: StoreOptions | None = None) -> SearchCore:
        """Read every store below `root` (spec/masc.md §0, spec/gem2.md §2).

        A root without stores opens too; its sources are `absent`.
        """
        # Imported late so that the arrow points inward: the sources know the core at import, not the reverse.
        from lsp_server.sources.composition import open_sources

        where = Path(path.abspath(root))  # noqa: PTH100 - links stay as they were given
        core = cls(where, open_sources(where, options or StoreOptions()))
        core.refresh()
        return core

    def __enter__(self) -> SearchCore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def prior_art(
        self, query: str, sources: Iterable[SourceName] = composition.PRIOR_ART_SOURCES
    ) -> PriorArt:
        """What memory, wiki and board hold about a phrase; a source that was not asked for is `absent`.

        Raises
        ------
        QueryError
            The query is blank or too long.
        """
        check_query(query)
        asked = frozenset(sources)

        def ask() -> PriorArt:
            memory, wiki, board = self._memory.snapshot, self._wiki.snapshot, self._board.snapshot
            return PriorArt(
                query=query,
                memory=_independently(
                    "memory" in asked,
                    lambda: search_memory(memory, query, composition.MEMORY_LIMIT, self._verify),
                ),
                wiki=_independently(
                    "wiki" in asked, lambda: search_wiki(wiki, query, composition.WIKI_LIMIT)
                ),
                board=_independently(
                    "board" in asked,
                    lambda: search_board(board, query, composition.BOARD_LIMIT, time.time()),
                ),
            )

        return self._answer(ask, _cited_by_prior_art)

    def search_kg(
        self,
        query: str,
        project_slug: str | None = None,
        scope: Scope = "all",
        state_filter: State | None = None,
        limit: int = composition.CONTRACT_LIMIT,
    ) -> KnowledgeGraphAnswer:
        """Proven and live unit-contracts by tag, verb, object or word (seeds/search-kg.md).

        Parameters
        ----------
        project_slug
            Echoed; `None` takes the one that most plans name, else the root's name.

        Raises
        ------
        QueryError
            The query is blank or too long, or the limit is below 1.
        """
        check_query(query)
        if limit < 1:
            raise QueryError(f"the limit is {limit}; it has to be at least 1")

        def ask() -> KnowledgeGraphAnswer:
            snapshot = self._contracts.snapshot
            problems = tuple(p for p in snapshot.problems if _in_scope(p.path, scope))
            results, total = search_plans(
                snapshot.index,
                query,
                scope=scope,
                state_filter=state_filter,
                limit=limit,
            )
            return KnowledgeGraphAnswer(
                project_slug=project_slug or _most_named_slug(snapshot.index) or self.root.name,
                searched_at=_utc_now(),
                query=query,
                results=results,
                total_count=total,
                sources_searched=tuple(place for place in snapshot.locations if _in_scope(place, scope)),
                status=snapshot.status if problems else _without_problems(snapshot.status),
                problems=problems,
            )

        return self._answer(ask, lambda answer: (match.path for match in answer.results))

    def named(self, phrase: str) -> tuple[Fact | Post, ...]:
        """What a phrase is the id of: a board post, or a fact by its memory id. Usually nothing."""

        def ask() -> tuple[Fact | Post, ...]:
            fact = fact_named(self._memory.snapshot, phrase, self._verify)
            post = post_named(self._board.snapshot, phrase, time.time())
            return tuple(match for match in (fact, post) if match is not None)

        return self._answer(ask, lambda matches: (match.path for match in matches))

    def standing(self, word: str) -> Standing:
        """How a plain word stands in the stores: as a name, singled out, or merely used."""
        self._refresh_when_due()
        indexes = (
            self._memory.snapshot.index,
            self._wiki.snapshot.index,
            self._board.snapshot.index,
            self._contracts.snapshot.index,
        )
        known = self._prominence
        if known is None or any(old is not new for old, new in zip(known[0], indexes, strict=True)):
            known = self._prominence = indexes, find_prominence(*indexes)
        return known[1].standing(word)

    def holds(self, file: str) -> bool:
        """Whether a path is one of the files that were read."""
        return any(file in snapshot.fingerprints for snapshot in self._snapshots())

    def status(self) -> CoreStatus:
        """Which stores were found, how much they hold, and what could not be read; asks the disk."""
        self.refresh()
        return CoreStatus(
            root=str(self.root),
            sources=(
                self._memory.status(len),
                self._wiki.status(len),
                self._board.status(_count_live_posts),
                self._contracts.status(_count_units),
            ),
        )

    def refresh(self) -> None:
        """Look at the disk now, whatever the throttle says."""
        with self._refreshing:
            self._refresh()

    def close(self) -> None:
        """End the lookups: any that starts after this raises `RuntimeError`."""
        self._closed = True

    def _refresh_when_due(self) -> None:
        self._require_open()
        if time.monotonic() - self._checked_at < THROTTLE_SECONDS:
            return
        with self._refreshing:
            # Whoever waited here finds the disk already looked at.
            if time.monotonic() - self._checked_at >= THROTTLE_SECONDS:
                self._refresh()

    def _refresh(self) -> None:
        self._require_open()
        for store in (self._memory, self._wiki, self._board, self._contracts):
            store.refresh()
        self._checked_at = time.monotonic()

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"the SearchCore of {self.root} is closed")

    def _answer(self, ask: Callable[[], Answer], cited: Callable[[Answer], Iterable[str]]) -> Answer:
        """Ask; where a cited file changed within the throttle, look at the disk and ask once more."""
        self._refresh_when_due()
        answer = ask()
        if self._are_current(cited(answer)):
            return answer
        self.refresh()
        return ask()

    def _are_current(self, paths: Iterable[str]) -> bool:
        return all(any(snapshot.is_current(cited) for snapshot in self._snapshots()) for cited in set(paths))

    def _snapshots(self) -> tuple[Snapshot[Any], ...]:
        return self._memory.snapshot, self._wiki.snapshot, self._board.snapshot, self._contracts.snapshot


def _independently(asked: bool, search: Callable[[], SourceAnswer[Match]]) -> SourceAnswer[Match]:
    """One source's answer; its failure is its own (seeds/prior-art.md, `continue_independent`)."""
    if not asked:
        return SourceAnswer("absent")
    try:
        return search()
    except Exception as error:  # whatever it is, the other sources still answer
        return SourceAnswer("failed", problems=(Problem("", f"the lookup failed: {error!r}"),))


def _cited_by_prior_art(answer: PriorArt) -> Iterable[str]:
    for source in (answer.memory, answer.wiki, answer.board):
        for match in source.matches:
            yield match.path


def _most_named_slug(plans: Iterable[WorkPlan]) -> str | None:
    slugs = [plan.project_slug for plan in plans if plan.project_slug]
    return max(sorted(set(slugs)), key=slugs.count, default=None)


def _in_scope(place: str, scope: Scope) -> bool:
    """Whether a folder of contracts, or a file in it, belongs to the scope."""
    folders = {"all": ("archive", "work-plan"), "archive": ("archive",), "live": ("work-plan",)}[scope]
    return Path(place).name in folders or Path(place).parent.name in folders


def _without_problems(status: Status) -> Status:
    return status if status == "absent" else "complete"


def _count_live_posts(index: BoardIndex) -> int:
    return count_posts(index, time.time())


def _count_units(plans: tuple[WorkPlan, ...]) -> int:
    return sum(len(plan.units) for plan in plans)


def _utc_now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
