"""The memory node of `prior_art`: what the keepers hold to be true (seeds/prior-art.md, spec/masc.md §1.7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.matching import as_term, terms_of
from lsp_server.core.model import BoundFact, Fact, Problem, SourceAnswer
from lsp_server.core.prominence import code_spans, singled_out
from lsp_server.core.ranking import Collection, ranked
from lsp_server.core.source import Verdict, Verify

_ORDINARY, _BOUND = 0, 1
_MEMORY_ID = re.compile(r"sha256:[0-9a-f]{8,64}")
_KEY_DIGITS = 16


@dataclass(frozen=True)
class MemoryIndex:
    """Facts of all keepers; ordinary and source-bound ones have statistics of their own."""

    corpus: Corpus[Fact | BoundFact]
    is_ordinary: Numbers
    """By position: an ordinary fact, and the first one with its claim."""
    is_bound: Numbers
    """By position: a source-bound fact."""
    is_repeated: Numbers
    """By position: a source-bound fact whose claim is an ordinary one's as well."""

    def __len__(self) -> int:
        return len(self.corpus)

    # Made when they are first needed: only a question of several words does.

    @cached_property
    def ordinary_collection(self) -> Collection:
        """What ranking has to know of all ordinary facts."""
        return Collection.of(self.corpus, _ORDINARY)

    @cached_property
    def bound_collection(self) -> Collection:
        """What ranking has to know of all source-bound facts."""
        return Collection.of(self.corpus, _BOUND)


def memory_entries(documents: Sequence[Fact | BoundFact]) -> list[Entry]:
    """What the facts of one file are found by."""
    return [_entry(document) for document in documents]


def read_fact(record: bytes) -> Fact | BoundFact:
    """The fact of an entry; the record of a source-bound one begins with that of its fact."""
    return from_record(BoundFact, record) if record.startswith(b"[[") else from_record(Fact, record)


def index_memory(corpus: Corpus[Fact | BoundFact]) -> MemoryIndex:
    """Find out which facts repeat another's claim."""
    kinds, keys = corpus.column("kind"), corpus.column("key")
    is_ordinary, is_bound = kinds == _ORDINARY, kinds == _BOUND
    shared = corpus.sharing_a_key()
    ordinary, bound = shared[is_ordinary[shared]], shared[is_bound[shared]]
    claims, firsts = np.unique(keys[ordinary], return_index=True)
    is_ordinary[np.delete(ordinary, firsts)] = False
    is_repeated = np.zeros(len(corpus), bool)
    is_repeated[bound[np.isin(keys[bound], claims)]] = True
    return MemoryIndex(corpus, is_ordinary, is_bound, is_repeated)


def search_memory(
    snapshot: Snapshot[MemoryIndex],
    query: str,
    limit: int | None,
    verify: Verify,
    *,
    by_word: bool = True,
) -> SourceAnswer[Fact]:
    """Claims with the whole query in stored order, then, if `by_word`, claims with a term of it in BM25 order.

    In each tier ordinary facts stand before source-bound ones (spec/masc.md §1.7). A source-bound fact that
    the query matches is checked against its file: changed or gone drops it, unreadable withholds it and makes
    the answer incomplete.
    """
    index = snapshot.index
    whole = index.corpus.holding(as_term(query))
    first = whole[index.is_ordinary[whole]]
    bound_first = _bound_facts(index, whole[index.is_bound[whole]].tolist())
    second, second_count, bound_second = _by_word(index, query, whole, limit) if by_word else ([], 0, {})
    verdicts = verify((*bound_first.values(), *bound_second.values()))
    held_first = _held(index, bound_first, verdicts)
    held_second = _held(index, bound_second, verdicts)
    withheld = tuple(_withheld(bound) for bound, verdict in verdicts.items() if verdict == "unverified")
    matches = (*_facts(index, first[:limit].tolist()), *held_first, *_facts(index, second), *held_second)
    return SourceAnswer(
        status="incomplete" if withheld and snapshot.status == "complete" else snapshot.status,
        matches=matches[:limit],
        total_count=len(first) + len(held_first) + second_count + len(held_second),
        problems=snapshot.problems + withheld,
    )


def fact_named(snapshot: Snapshot[MemoryIndex], memory_id: str, verify: Verify) -> Fact | None:
    """The fact with a memory id, or with one that begins so; a source-bound one only while it holds."""
    if not _MEMORY_ID.fullmatch(memory_id):
        return None
    index = snapshot.index
    digits = memory_id.removeprefix("sha256:")[:_KEY_DIGITS]
    found = index.corpus.with_keys(
        int(digits.ljust(_KEY_DIGITS, "0"), 16), int(digits.ljust(_KEY_DIGITS, "f"), 16)
    )
    for fact in _facts(index, found[index.is_ordinary[found]].tolist()):
        if fact.memory_id.startswith(memory_id):
            return fact
    for bound in _bound_facts(index, found[index.is_bound[found]].tolist()).values():
        if bound.fact.memory_id.startswith(memory_id) and verify((bound,))[bound] == "verified":
            return bound.fact
    return None


def _entry(document: Fact | BoundFact) -> Entry:
    fact = document if isinstance(document, Fact) else document.fact
    return Entry(
        record=to_record(document),
        fields=(fact.text,),
        keywords=singled_out(code_spans(fact.text)),
        kind=_ORDINARY if document is fact else _BOUND,
        # Ids are hashes themselves: the first 64 bits tell claims apart and keep the order of ids.
        key=int(fact.memory_id.removeprefix("sha256:")[:_KEY_DIGITS], 16),
    )


def _by_word(
    index: MemoryIndex, query: str, whole: Numbers, limit: int | None
) -> tuple[list[int], int, dict[int, BoundFact]]:
    """The second tier: the best ordinary facts, how many there are, and every source-bound one."""
    terms = terms_of(query)
    if terms == (as_term(query),):
        # A single term that equals the whole query cannot find anything more.
        return [], 0, {}
    frequencies = {term: index.corpus.frequencies(term) for term in terms}
    is_new = np.ones(len(index), bool)
    is_new[whole] = False
    best, count = ranked(index.ordinary_collection, frequencies, index.is_ordinary & is_new, limit)
    bound_best: list[int] = []
    if len(index.bound_collection):
        bound_best, _ = ranked(index.bound_collection, frequencies, index.is_bound & is_new, None)
    return best, count, _bound_facts(index, bound_best)


def _facts(index: MemoryIndex, positions: Iterable[int]) -> list[Fact]:
    documents = map(index.corpus.document, positions)
    return [document for document in documents if isinstance(document, Fact)]


def _bound_facts(index: MemoryIndex, positions: Iterable[int]) -> dict[int, BoundFact]:
    documents = ((position, index.corpus.document(position)) for position in positions)
    return {position: document for position, document in documents if isinstance(document, BoundFact)}


def _held(
    index: MemoryIndex, bounds: Mapping[int, BoundFact], verdicts: Mapping[BoundFact, Verdict]
) -> tuple[Fact, ...]:
    """The facts that hold, each claim once and none that an ordinary fact makes as well."""
    by_id: dict[str, Fact] = {}
    for position, bound in bounds.items():
        if verdicts[bound] == "verified" and not index.is_repeated[position]:
            by_id.setdefault(bound.fact.memory_id, bound.fact)
    return tuple(by_id.values())


def _withheld(bound: BoundFact) -> Problem:
    return Problem(
        bound.fact.path,
        f"source_verification: a fact that matches was withheld, its source {bound.source_path} "
        "could not be checked",
    )
