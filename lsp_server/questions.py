"""The questions that programs ask: the same options from the command line and from an editor's command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from lsp_server.core import QueryError
from lsp_server.core.composition import LIMITS, PRIOR_ART_SOURCES, Limits
from lsp_server.core.merge import merge_knowledge_graph, merge_prior_art
from lsp_server.core.model import KnowledgeGraphAnswer, PriorArt, Scope, SourceName, State

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

Choice = TypeVar("Choice", bound=str)


class NoStoreError(QueryError):
    """There is nothing to search, which must not look like nothing found."""


@dataclass(frozen=True, slots=True)
class PriorArtQuestion:
    """`prior-art search` and `priorArt.search`."""

    query: str
    sources: tuple[SourceName, ...] = PRIOR_ART_SOURCES
    limit: int | None = None
    """At most so many matches of each source; `None` = the usual limits."""
    root: str | None = None

    @property
    def limits(self) -> Limits:
        """How many matches the answer holds."""
        return LIMITS if self.limit is None else Limits(self.limit, self.limit, self.limit, LIMITS.contracts)


@dataclass(frozen=True, slots=True)
class KnowledgeGraphQuestion:
    """`prior-art kg` and `priorArt.searchKg`."""

    query: str
    project_slug: str | None = None
    scope: Scope = "all"
    state: State | None = None
    limit: int = LIMITS.contracts
    root: str | None = None


def prior_art_question(options: Mapping[str, object]) -> PriorArtQuestion:
    """The question that options ask, named as on the command line.

    Raises
    ------
    QueryError
        An option is unknown or of the wrong type.
    """
    given = known_options(options, ("query", "source", "limit", "root"))
    return PriorArtQuestion(
        query=text_option(given, "query") or "",
        sources=sources_option(given.get("source"), PRIOR_ART_SOURCES),
        limit=limit_option(given),
        root=text_option(given, "root"),
    )


def knowledge_graph_question(options: Mapping[str, object]) -> KnowledgeGraphQuestion:
    """The question that options ask, named as on the command line.

    Raises
    ------
    QueryError
        An option is unknown or of the wrong type.
    """
    given = known_options(options, ("query", "project_slug", "scope", "state", "limit", "root"))
    limit = limit_option(given)
    return KnowledgeGraphQuestion(
        query=text_option(given, "query") or "",
        project_slug=text_option(given, "project_slug"),
        scope=choice_option(given, "scope", cast(tuple[Scope, ...], get_args(Scope))) or "all",
        state=choice_option(given, "state", cast(tuple[State, ...], get_args(State))),
        limit=LIMITS.contracts if limit is None else limit,
        root=text_option(given, "root"),
    )


def ask_prior_art(cores: Sequence[SearchCore], question: PriorArtQuestion) -> PriorArt:
    """Ask every root.

    Raises
    ------
    QueryError
        The query cannot be answered, or none of the sources that were asked for exists.
    """
    limits = question.limits
    answers = [core.prior_art(question.query, question.sources, limits=limits) for core in cores]
    answer = merge_prior_art(answers, limits) if answers else None
    if answer is None or answer.status == "absent":
        raise NoStoreError(_no_store(f"no {' or '.join(question.sources)} store", cores))
    return answer


def require_store(cores: Sequence[SearchCore]) -> None:
    """Refuse roots that have no store of any kind among them.

    Raises
    ------
    QueryError
        There is nothing to be searched.
    """
    if not any(core.has_store for core in cores):
        raise NoStoreError(_no_store("no store", cores))


def ask_knowledge_graph(
    cores: Sequence[SearchCore], question: KnowledgeGraphQuestion
) -> KnowledgeGraphAnswer:
    """Ask every root.

    Raises
    ------
    QueryError
        The query cannot be answered, or there is neither an archive nor a work-plan folder
        (seeds/search-kg.md, P).
    """
    answers = [
        core.search_kg(
            question.query,
            project_slug=question.project_slug,
            scope=question.scope,
            state_filter=question.state,
            limit=question.limit,
        )
        for core in cores
    ]
    if all(answer.status == "absent" for answer in answers):
        raise NoStoreError(_no_store("no .gem-squared/archive or .gem-squared/work-plan folder", cores))
    return merge_knowledge_graph(answers, question.limit)


def _no_store(what: str, cores: Sequence[SearchCore]) -> str:
    where = " or ".join(str(core.root) for core in cores)
    if not where:
        return f"{what}: no workspace is open"
    return f"{what} below {where}; if the stores are elsewhere, name their root or set extraRoots"


def known_options(options: Mapping[str, object], names: Sequence[str]) -> dict[str, object]:
    """The options by their names here; a name that is none of `names` is an error."""
    given = {key.replace("-", "_"): value for key, value in options.items()}
    # The command line's own option for the form that a command always answers in.
    given.pop("json", None)
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise QueryError(f"unknown option {unknown[0]}; there are {', '.join(names)}")
    return given


def text_option(given: Mapping[str, object], name: str) -> str | None:
    """An option that is text."""
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise QueryError(f"{name} has to be text")
    return value


def limit_option(given: Mapping[str, object]) -> int | None:
    """The option `limit`, a whole number from 1."""
    limit = given.get("limit")
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise QueryError("limit has to be a whole number from 1")
    return limit


def choice_option(given: Mapping[str, object], name: str, choices: tuple[Choice, ...]) -> Choice | None:
    """An option that is one of some words."""
    value = given.get(name)
    if value is None:
        return None
    for choice in choices:
        if value == choice:
            return choice
    raise QueryError(f"{name} has to be one of {', '.join(choices)}")


def sources_option(value: object, choices: tuple[SourceName, ...]) -> tuple[SourceName, ...]:
    """Some of the sources, as text with commas or as a list; all of them where none are named."""
    if value is None:
        return choices
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(
        isinstance(name, str) and name.strip() for name in names or [""]
    ):
        raise QueryError(f"source has to be some of {','.join(choices)}")
    chosen = [name.strip() for name in names]
    for name in chosen:
        if name not in choices:
            raise QueryError(f"unknown source {name!r}; there are {','.join(choices)}")
    return tuple(source for source in choices if source in chosen)
