"""What a lookup asks and answers: plain frozen values, nothing else.

The core and its sources exchange these and no others. Texts are always the original ones, never folded;
columns and offsets count code points; lines are 1-based; times are Unix seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

DEFAULT_MAX_FILE_BYTES = 4 * 1024 * 1024

SourceName: TypeAlias = Literal["memory", "wiki", "board", "contracts", "knowledge"]
Status: TypeAlias = Literal["complete", "incomplete", "failed", "absent"]
Scope: TypeAlias = Literal["all", "archive", "live"]
Shelf: TypeAlias = Literal["archive", "live"]
State: TypeAlias = Literal["SUCCESS", "FAILURE", "—"]
Relevance: TypeAlias = Literal["exact", "partial", "weak"]

WORK_PLAN_ID = r"WP-(?:[A-Z]{2,12}-)?[0-9]{1,9}[A-Z]?(?:-[0-9]{1,9})*"
"""The id of a work plan as a pattern (spec/gem2.md §2); plans compare it without case."""

MAX_QUERY_CHARACTERS = 200
"""seeds/prior-art.md, description of the `query` parameter."""


class QueryError(ValueError):
    """The question itself is at fault; the message is one line and says what to do."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read or verified."""

    path: str
    reason: str
    hides_matches: bool = True
    """Whether matches may be missing because of it. A reply count that is too low hides none."""
    passes: bool = False
    """Whether it goes away by itself, as a store that is still being indexed does."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim of a keeper's current memory (spec/masc.md §1.2)."""

    text: str
    category: str
    first_seen: float | None
    memory_id: str
    keeper: str
    path: str


@dataclass(frozen=True, slots=True)
class Page:
    """A wiki page that contains the query; `line` is where it first does."""

    title: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Post:
    """A board post in its compact form (spec/masc.md §2.6), without its body."""

    id: str
    title: str
    hearth: str | None
    author: str
    created_at: float
    score: int
    reply_count: int
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Contract:
    """What a unit-work takes (`a`), gives (`b`) and needs (`p`): verbatim, dedented Markdown."""

    a: str
    b: str
    p: str


@dataclass(frozen=True, slots=True)
class UnitWork:
    """One `### N. title | STATUS: X` section of a work plan (spec/gem2.md §1.2–1.3)."""

    index: int
    title: str
    status: str
    """PENDING, IN_PROGRESS, COMPLETED, ABORTED, or whatever word stands there."""
    state: State
    contract: Contract
    tags: tuple[str, ...]
    result: str | None
    """The Result field; `None` while the unit is PENDING or the field holds a placeholder."""
    notes: str
    """Text of the unit that belongs to no field; searchable as weak evidence."""
    line: int


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """One work-plan file with its header (spec/gem2.md §1.1)."""

    wp_id: str
    title: str
    status: str
    state: State
    """As the header says it; the header may lag behind the units."""
    shelf: Shelf
    project_slug: str | None
    path: str
    units: tuple[UnitWork, ...]


@dataclass(frozen=True, slots=True)
class ContractMatch:
    """One row of `search_kg`'s B.results (seeds/search-kg.md), with the place where it stands."""

    wp_id: str
    wp_title: str
    wp_state: State
    source: Shelf
    unit_index: int
    unit_title: str
    unit_state: State
    contract: Contract
    result_summary: str | None
    relevance: Relevance
    tags: tuple[str, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class BoundFact:
    """A claim that holds only while a source file has the given content (spec/masc.md §1.6)."""

    fact: Fact
    source_path: str
    sha256: str
    """64 lower-case hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class WikiDocument:
    """A wiki file as it is searched: the whole text, frontmatter included."""

    title: str
    tags: tuple[str, ...]
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PostRow:
    """One line of `board_posts.jsonl`."""

    post: Post
    body: str
    expires_at: float
    """0.0 = never."""


@dataclass(frozen=True, slots=True)
class Comment:
    """One line of `board_comments.jsonl`; comments are counted, never searched."""

    id: str
    post_id: str
    expires_at: float


@dataclass(frozen=True, slots=True)
class KnowledgeMatch:
    """A published knowledge item that contains a phrase, as an editor shows it."""

    item_id: str
    base_id: str
    revision_id: str
    title: str
    source: str | None
    path: str
    line: int
    """Where the phrase first stands in the file, or the passage that was ranked."""
    excerpt: str = ""
    """What the ranked passage says; empty for an item that was looked up by a phrase."""


Match = TypeVar("Match")
Document = TypeVar("Document")


@dataclass(frozen=True, slots=True)
class SourceAnswer(Generic[Match]):
    """How one source took part in a lookup, and what it found.

    `incomplete`: matches may be missing, and `problems` names each file or fact that could not be read or
    verified. `failed`: nothing of it was usable. `absent`: there is no such store here.
    Rule: seeds/prior-art.md, last paragraph of the node notes.
    """

    status: Status
    matches: tuple[Match, ...] = ()
    total_count: int = 0
    """How many documents match in all, shown or not."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class PriorArt:
    """The answer of `prior_art`: three independent lookups of the same query."""

    query: str
    memory: SourceAnswer[Fact]
    wiki: SourceAnswer[Page]
    board: SourceAnswer[Post]

    @property
    def by_source(self) -> dict[SourceName, SourceAnswer[Any]]:
        """Each source's answer by its name, in the order of the seed."""
        return {"memory": self.memory, "wiki": self.wiki, "board": self.board}

    @property
    def status(self) -> Status:
        """`failed` or `absent` when every store that exists is so, `complete` only when none has a problem."""
        return overall_status(answer.status for answer in self.by_source.values())

    @property
    def found(self) -> bool:
        """Whether any source has a match."""
        return any(answer.matches for answer in self.by_source.values())


@dataclass(frozen=True, slots=True)
class KnowledgeGraphAnswer:
    """B of seeds/search-kg.md, with the report on what could not be read."""

    project_slug: str
    searched_at: str
    """ISO 8601, UTC."""
    query: str
    results: tuple[ContractMatch, ...]
    total_count: int
    sources_searched: tuple[str, ...]
    status: Status
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What a person may configure about where the stores are and how they are read."""

    keeper: str | None = None
    """Search this keeper's memory only; `None` = every keeper's."""
    wiki_folders: tuple[str, ...] = ()
    """Folders or globs besides the usual ones; relative to the root, absolute, or from `~`."""
    knowledge_enabled: bool = True
    """False answers every request for knowledge with `knowledge_runtime_disabled`."""
    knowledge_folders: tuple[str, ...] = ()
    """Knowledge bases besides those in `.knowledge`, named as `wiki_folders` are."""
    knowledge_scopes: tuple[str, ...] = ()
    """Items of other scopes do not exist; empty = every scope."""
    knowledge_semantic: bool = True
    """Whether the embedder is used where it is installed."""
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One store as `status` shows it."""

    name: SourceName
    status: Status
    document_count: int
    file_count: int
    locations: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """Where the stores of one root are cached."""

    folder: str
    bytes: int
    problem: str | None
    """Why something could not be cached."""


@dataclass(frozen=True, slots=True)
class CoreStatus:
    """The stores found below one root."""

    root: str
    sources: tuple[SourceStatus, ...]
    cache: CacheStatus | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a root's stores has come."""

    read_bytes: int
    listed_bytes: int
    is_complete: bool

    @property
    def percentage(self) -> int:
        """From 0 to 100; 100 only when nothing is left."""
        return 100 if self.is_complete else min(99, 100 * self.read_bytes // max(1, self.listed_bytes))


@dataclass(frozen=True, slots=True)
class Reading(Generic[Document]):
    """What reading one file gave: its documents and its problems together, so that neither is forgotten."""

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()
    searchable: bool = True
    """False for a file that gave nothing because of a problem, and for a companion of another file."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Which files of a store exist now, in stored order."""

    files: tuple[Path, ...] = ()
    locations: tuple[str, ...] = ()
    """The store's folders or files as shown to people; empty when the store is absent."""
    problems: tuple[Problem, ...] = field(default=())


def overall_status(statuses: Iterable[Status]) -> Status:
    """One status for several sources; an absent store has no say unless all are absent."""
    present = {status for status in statuses if status != "absent"}
    if not present:
        return "absent"
    if present == {"failed"}:
        return "failed"
    return "complete" if present == {"complete"} else "incomplete"
