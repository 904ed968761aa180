"""Corpora and indexes made of documents in a test, without a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import strategies as st

from lsp_server.core.index import folded_text as folded_text_module
from lsp_server.core.index import numbers as numbers_module
from lsp_server.core.index import segment as segment_module
from lsp_server.core.index import vocabulary as vocabulary_module
from lsp_server.core.index.corpus import DEAD, Corpus, handles_of, taken_apart
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.folded_text import FoldedText
from lsp_server.core.index.segment import Segment, merged
from lsp_server.core.index.segment_file import read_segment, write_segment
from lsp_server.core.matching import fold
from lsp_server.core.model import BoundFact, Comment, Fact, Page, PostRow, WikiDocument, WorkPlan
from lsp_server.core.search_board import BoardIndex, board_entries, index_board, read_row
from lsp_server.core.search_kg import ContractIndex, contract_entries, index_contracts, read_contract
from lsp_server.core.search_memory import MemoryIndex, index_memory, memory_entries, read_fact
from lsp_server.core.search_wiki import index_wiki, read_page, wiki_entries

Shown = TypeVar("Shown")


def corpus_of(entries: Sequence[Entry], decode: Callable[[bytes], Shown]) -> Corpus[Shown]:
    return Corpus((Segment.of(entries),), handles_of(0, len(entries)), decode)


def text_corpus(texts: Sequence[str]) -> Corpus[str]:
    """Documents that are nothing but a text."""
    return corpus_of([text_entry(text) for text in texts], decoded)


def text_entry(*fields: str) -> Entry:
    return Entry("\n".join(fields).encode("utf-8", "surrogatepass"), fields)


def decoded(record: bytes) -> str:
    return record.decode("utf-8", "surrogatepass")


def folded_text(documents: Sequence[Sequence[str]]) -> FoldedText:
    return FoldedText.of([[fold(field) for field in fields] for fields in documents])


def memory_index(documents: Sequence[Fact | BoundFact]) -> MemoryIndex:
    return index_memory(corpus_of(memory_entries(documents), read_fact))


def wiki_index(documents: Sequence[WikiDocument]) -> Corpus[Page]:
    return index_wiki(corpus_of(wiki_entries(documents), read_page))


def board_index(documents: Sequence[PostRow | Comment]) -> BoardIndex:
    return index_board(corpus_of(board_entries(documents), read_row))


def contract_index(plans: Sequence[WorkPlan]) -> ContractIndex:
    entries = [entry for plan in plans for entry in contract_entries([plan])]
    return index_contracts(corpus_of(entries, read_contract))


def numbers(values: Any) -> list[int]:
    """An array as a list of Python's own numbers."""
    return [int(value) for value in np.asarray(values)]


# --- how documents come to lie -----------------------------------------------------------------------------

SHAPES = ("one segment", "several", "partly merged", "merged", "merged twice")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the documents of a store lie in its segments, and where the index changes its way of searching."""

    shape: str = "one segment"
    is_mapped: bool = False
    seed: int = 0
    """Decides which document lies where, and which dead ones lie between them."""
    scanned_bytes: int = vocabulary_module.SCANNED_BYTES
    sorted_places: int = numbers_module.SORTED_PLACES
    landmark_step: int = vocabulary_module.LANDMARK_STEP
    landmark_bytes: int = vocabulary_module.LANDMARK_BYTES
    frequent_share: float = segment_module.FREQUENT_SHARE
    check_cost_bytes: int = folded_text_module.CHECK_COST_BYTES
    postings_per_check: int = segment_module._POSTINGS_PER_CHECK


layouts = st.builds(
    Layout,
    shape=st.sampled_from(SHAPES),
    is_mapped=st.booleans(),
    seed=st.integers(0, 2**16),
    scanned_bytes=st.sampled_from((1, 1 << 30)),
    sorted_places=st.sampled_from((0, 1, 1 << 30)),
    landmark_step=st.sampled_from((1, 3, 1_024)),
    landmark_bytes=st.sampled_from((1, 4, 24)),
    frequent_share=st.sampled_from((0.0, 1 / 64, 1 / 2, 2.0)),
    check_cost_bytes=st.sampled_from((0, 1 << 30)),
    postings_per_check=st.sampled_from((0, 128)),
)


@contextmanager
def laid_out(
    entries: Sequence[Entry], layout: Layout, decode: Callable[[bytes], Shown] | None = None
) -> Iterator[Corpus[Any]]:
    """A corpus of entries in a layout, whose rules hold until the end."""
    with pytest.MonkeyPatch.context() as rules:
        rules.setattr(vocabulary_module, "SCANNED_BYTES", layout.scanned_bytes)
        rules.setattr(numbers_module, "SORTED_PLACES", layout.sorted_places)
        rules.setattr(vocabulary_module, "LANDMARK_STEP", layout.landmark_step)
        rules.setattr(vocabulary_module, "LANDMARK_BYTES", layout.landmark_bytes)
        rules.setattr(segment_module, "FREQUENT_SHARE", layout.frequent_share)
        rules.setattr(segment_module, "_POSTINGS_PER_CHECK", layout.postings_per_check)
        rules.setattr(folded_text_module, "CHECK_COST_BYTES", layout.check_cost_bytes)
        corpus = _shaped(entries, layout, decode or decoded)
        if layout.is_mapped:
            corpus = Corpus(tuple(map(mapped, corpus.segments)), corpus.handles, corpus.decode)
        yield corpus


def mapped(segment: Segment) -> Segment:
    """A segment as it is read back from a file."""
    # Windows keeps a file that is mapped; it goes with the folder of temporary files.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "segment"
        with path.open("wb") as file:
            write_segment(file, segment.arrays(), None)
        return Segment.read(read_segment(path)[0])


def merged_between(corpus: Corpus[Shown], first: int, end: int) -> Corpus[Shown]:
    """The corpus with its segments from `first` up to `end` made one, without their dead documents."""
    places, _ = taken_apart(corpus.handles)
    moving = np.flatnonzero((places >= first) & (places < end))
    numbers = [
        np.where(positions == DEAD, DEAD, np.searchsorted(moving, positions))
        for positions in corpus.positions[first:end]
    ]
    whole = merged(corpus.segments[first:end], numbers)
    behind = places >= end
    handles = corpus.handles.copy()
    handles[moving] = handles_of(first, len(moving))
    handles[behind] -= handles_of(end - first - 1, 1)
    return Corpus((*corpus.segments[:first], whole, *corpus.segments[end:]), handles, corpus.decode)


def _shaped(entries: Sequence[Entry], layout: Layout, decode: Callable[[bytes], Shown]) -> Corpus[Shown]:
    if layout.shape == "one segment":
        return corpus_of(entries, decode)
    chance = Random(layout.seed)
    corpus = _scattered(entries, chance, decode)
    count = len(corpus.segments)
    if layout.shape == "several":
        return corpus
    if layout.shape == "merged":
        return merged_between(corpus, 0, count)
    first = chance.randrange(count)
    corpus = merged_between(corpus, first, chance.randint(first + 1, count))
    return corpus if layout.shape == "partly merged" else merged_between(corpus, 0, len(corpus.segments))


def _scattered(entries: Sequence[Entry], chance: Random, decode: Callable[[bytes], Shown]) -> Corpus[Shown]:
    """Entries in several segments in any order, with dead documents between them that hold the same words."""
    lying: list[list[tuple[int, Entry]]] = [[] for _ in range(chance.randint(2, 4))]
    for position in chance.sample(range(len(entries)), len(entries)):
        if chance.random() < 0.4:
            chance.choice(lying).append((DEAD, chance.choice(entries)))
        chance.choice(lying).append((position, entries[position]))
    handles = np.zeros(len(entries), np.int64)
    for place, of_segment in enumerate(lying):
        for number, (position, _) in enumerate(of_segment):
            if position != DEAD:
                handles[position] = handles_of(place, number + 1)[number]
    return Corpus(tuple(Segment.of([entry for _, entry in each]) for each in lying), handles, decode)
