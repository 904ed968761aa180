"""Some documents of a store, indexed once and never changed: text, vocabulary, postings and what is shown.

A store is a few segments: a large one from the cache, and small ones for what changed since. `merged` makes
one of several, which costs far less than reading their files again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lsp_server.core.index.entry import Entry
from lsp_server.core.index.folded_text import FoldedText
from lsp_server.core.index.numbers import Numbers, common, offsets_of
from lsp_server.core.index.postings import Postings
from lsp_server.core.index.vocabulary import KEYWORD, Vocabulary
from lsp_server.core.matching import SHORT_TERM_CHARACTERS, Term, fold

_STANDS_ALONE = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{1,{SHORT_TERM_CHARACTERS}}}(?![A-Za-z0-9])")
_BOUNDED = f"{KEYWORD}b"
_FREQUENT = f"{KEYWORD}f"
_OTHER = f"{KEYWORD}k"

FREQUENT_SHARE = 1 / 64
"""Of a token that is in so many of its documents, a merged segment also keeps the postings as a term."""


@dataclass(frozen=True)
class Segment:
    """Documents numbered from 0."""

    text: FoldedText
    vocabulary: Vocabulary
    postings: Postings
    records: FoldedText
    """The record of each document."""
    columns: Mapping[str, Numbers]
    """One number per document: its length in white-space tokens; kind, key, identity, expires_at of its entry."""

    @staticmethod
    def of(entries: Sequence[Entry], *, is_transient: bool = False) -> Segment:
        """Index entries; a segment that is soon merged is transient, and built in half the time."""
        folded = [tuple(map(fold, entry.fields)) for entry in entries]
        vocabulary: dict[str, int] = {}
        tokens: list[int] = []
        token_counts: list[int] = []
        posting_counts: list[int] = []
        lengths: list[int] = []
        bounded_words = _BoundedWords()
        for entry, fields in zip(entries, folded, strict=True):
            counts = Counter([token for field in fields for token in field.split()])
            lengths.append(counts.total())
            for token, count in tuple(counts.items()):
                for word in bounded_words[token]:
                    counts[word] += count
            counts.update(dict.fromkeys((_OTHER + keyword for keyword in entry.keywords), 1))
            tokens += [vocabulary.setdefault(token, len(vocabulary)) for token in counts]
            token_counts += counts.values()
            posting_counts.append(len(counts))
        in_order = sorted(vocabulary)
        numbers = np.empty(len(in_order), np.int64)
        numbers[[vocabulary[token] for token in in_order]] = np.arange(len(in_order))
        documents = np.repeat(np.arange(len(entries)), posting_counts)
        token_numbers = numbers[np.array(tokens, np.int64)]
        return Segment(
            text=FoldedText.of(folded),
            vocabulary=Vocabulary.of(in_order, is_transient=is_transient),
            postings=Postings.of(
                [(token_numbers, documents, np.array(token_counts, np.int64))], len(in_order)
            ),
            records=_records([entry.record for entry in entries]),
            columns={
                "length": np.array(lengths, np.uint32),
                "kind": np.array([entry.kind for entry in entries], np.uint8),
                "key": np.array([entry.key for entry in entries], np.uint64),
                "expires_at": np.array([entry.expires_at for entry in entries], np.float64),
                "identity": np.array([entry.identity for entry in entries], np.uint64),
            },
        )

    @staticmethod
    def read(arrays: Mapping[str, Numbers]) -> Segment:
        """Take the arrays that another one gave."""
        return Segment(
            text=FoldedText(arrays["text.blob"].data, arrays["text.starts"]),
            vocabulary=Vocabulary.read(arrays),
            postings=Postings.read(arrays),
            records=FoldedText(arrays["records.blob"].data, arrays["records.starts"]),
            columns={name: arrays[f"column.{name}"] for name in _COLUMNS},
        )

    def arrays(self) -> dict[str, Numbers]:
        """Everything that `read` needs."""
        return {
            "text.blob": np.frombuffer(self.text.blob, np.uint8),
            "text.starts": self.text.starts,
            **self.vocabulary.arrays(),
            **self.postings.arrays(),
            "records.blob": np.frombuffer(self.records.blob, np.uint8),
            "records.starts": self.records.starts,
            **{f"column.{name}": column for name, column in self.columns.items()},
        }

    def __len__(self) -> int:
        return len(self.text)

    def holding(self, term: Term) -> Numbers:
        """Numbers of the documents that contain a term, white space in it or not, ascending."""
        words = term.folded.split()
        if words == [term.folded] or term.bounded:
            return self.postings.documents_of(self._tokens_of(term), len(self))
        if not words:
            return np.fromiter(self.text.documents_with(term), np.int64)
        return self.text.keep_those_with(term, self._with_words_of(term.folded, words))

    def frequencies(self, term: Term) -> tuple[Numbers, Numbers]:
        """Documents that contain a term without white space, and in how many of their tokens each does."""
        return self.postings.frequencies_of(self._tokens_of(term), len(self))

    def token_frequencies(self, token: str) -> tuple[Numbers, Numbers]:
        """Documents that have a folded white-space token, and how often each does."""
        return self.postings.frequencies_of(self.vocabulary.equal(token), len(self))

    def with_keyword(self, keyword: str) -> Numbers:
        """Numbers of the documents whose entry has a keyword, ascending."""
        return self.postings.documents_of(self.vocabulary.equal(_OTHER + keyword), len(self))

    def keywords(self, prefix: str) -> list[str]:
        """The keywords that begin with a prefix, without it."""
        chosen = self.vocabulary.beginning_with(_OTHER + prefix)
        return [self.vocabulary[number].removeprefix(_OTHER + prefix) for number in chosen.tolist()]

    @cached_property
    def keys(self) -> tuple[Numbers, Numbers]:
        """The keys of the documents in ascending order, and the number that each belongs to."""
        order = np.argsort(self.columns["key"], kind="stable")
        return self.columns["key"][order], order

    def with_keys(self, wanted: Numbers) -> Numbers:
        """Numbers of the documents that have one of some distinct keys."""
        keys, numbers = self.keys
        bounds = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
        return np.concatenate([numbers[:0], *(numbers[a:b] for a, b in zip(*bounds, strict=True))])

    def record(self, number: int) -> bytes:
        """What `Entry.record` was."""
        return self.records.document(number)

    def _tokens_of(self, term: Term) -> Numbers:
        if term.bounded:
            return self.vocabulary.equal(_BOUNDED + term.folded)
        kept = self._frequent_terms.get(term.folded)
        return self.vocabulary.containing(term.folded) if kept is None else np.array([kept])

    @cached_property
    def _frequent_terms(self) -> dict[str, int]:
        """The token that stands for each term whose postings were put together before."""
        kept = self.vocabulary.beginning_with(_FREQUENT).tolist()
        return {self.vocabulary[number].removeprefix(_FREQUENT): number for number in kept}

    def _with_words_of(self, phrase: str, words: list[str]) -> Numbers:
        """The documents that may contain a phrase, as they have its words in the way that it needs them.

        Words inside it are whole tokens; the first may end one and the last may begin one. Rare words are
        asked first, and a word whose postings would take longer to read than the documents is not asked.
        """
        find: list[Callable[[str], Numbers]] = [self.vocabulary.equal] * len(words)
        if not phrase[0].isspace():
            find[0] = self.vocabulary.ending_with
        if not phrase[-1].isspace():
            find[-1] = self.vocabulary.beginning_with if len(words) > 1 or phrase[0].isspace() else find[0]
        tokens = [find_tokens(word) for find_tokens, word in zip(find, words, strict=True)]
        sizes = [self.postings.size(chosen) for chosen in tokens]
        found: Numbers | None = None
        for size, chosen in sorted(zip(sizes, tokens, strict=True), key=lambda pair: pair[0]):
            if found is not None and size > len(found) * _POSTINGS_PER_CHECK:
                break
            having = self.postings.documents_of(chosen, len(self))
            found = having if found is None else common(found, having, len(self))
        assert found is not None
        return found


_POSTINGS_PER_CHECK = 128
"""So many postings are read in the time in which one document is looked at."""

_COLUMNS = ("length", "kind", "key", "expires_at", "identity")


def merged(segments: Sequence[Segment], numbers: Sequence[Numbers]) -> Segment:
    """One segment of what is still wanted of several.

    Parameters
    ----------
    numbers
        For each document of each segment its number in the new one, or -1 to leave it out. All numbers
        together are 0 up to their count.
    """
    size = sum(int((new >= 0).sum()) for new in numbers)
    texts: list[bytes] = [b""] * size
    records: list[bytes] = [b""] * size
    columns = {name: np.zeros(size, segments[0].columns[name].dtype) for name in _COLUMNS}
    for segment, new in zip(segments, numbers, strict=True):
        kept = np.flatnonzero(new >= 0)
        for name, column in columns.items():
            column[new[kept]] = segment.columns[name][kept]
        for number, target in zip(kept.tolist(), new[kept].tolist(), strict=True):
            texts[target] = segment.text.document(number)
            records[target] = segment.record(number)
    vocabulary, postings = _merged_postings(segments, numbers, size)
    return Segment(
        text=FoldedText(b"".join(texts), offsets_of([len(text) for text in texts])),
        vocabulary=vocabulary,
        postings=postings,
        records=_records(records),
        columns=columns,
    )


def _merged_postings(
    segments: Sequence[Segment], numbers: Sequence[Numbers], size: int
) -> tuple[Vocabulary, Postings]:
    kept: list[tuple[Numbers, Numbers, Numbers]] = []
    used: list[list[str]] = []
    for segment, new in zip(segments, numbers, strict=True):
        tokens, documents, counts = segment.postings.triples()
        # What was kept of frequent terms holds for the old segment only.
        wanted = (new[documents] >= 0) & ~np.isin(tokens, segment.vocabulary.beginning_with(_FREQUENT))
        in_use, renumbered = np.unique(tokens[wanted], return_inverse=True)
        kept.append((renumbered, new[documents[wanted]], counts[wanted]))
        used.append([segment.vocabulary[number] for number in in_use.tolist()])
    document_counts = Counter[str]()
    for in_segment, (renumbered, _, _) in zip(used, kept, strict=True):
        lengths = np.bincount(renumbered, minlength=len(in_segment)).tolist()
        document_counts.update(dict(zip(in_segment, lengths, strict=True)))
    frequent = [
        token
        for token, count in document_counts.items()
        if count >= size * FREQUENT_SHARE and not token.startswith(KEYWORD)
    ]
    in_order = sorted([*document_counts, *(_FREQUENT + token for token in frequent)])
    number_of = {token: number for number, token in enumerate(in_order)}
    targets = [np.array([number_of[token] for token in in_segment], np.int64) for in_segment in used]
    triples = [
        (target[tokens], documents, counts)
        for target, (tokens, documents, counts) in zip(targets, kept, strict=True)
    ]
    vocabulary = Vocabulary.of(in_order)
    postings = Postings.of(triples, len(in_order))
    # Putting these together is what would take longest when somebody asks.
    for token in frequent:
        documents, counts = postings.frequencies_of(vocabulary.containing(token), size)
        triples.append((np.full(len(documents), number_of[_FREQUENT + token]), documents, counts))
    return vocabulary, Postings.of(triples, len(in_order)) if frequent else postings


def _records(records: Sequence[bytes]) -> FoldedText:
    return FoldedText(b"".join(records), offsets_of([len(record) for record in records]))


class _BoundedWords(dict[str, tuple[str, ...]]):
    """The short terms that stand between word boundaries in a token, as keywords.

    Looked up by substring they would be in a good part of all tokens, most of them no match.
    """

    def __missing__(self, token: str) -> tuple[str, ...]:
        words = self[token] = tuple({_BOUNDED + word for word in _STANDS_ALONE.findall(token)})
        return words


def entries_in_chunks(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    """Cut entries into pieces of at most `size`."""
    return (entries[start : start + size] for start in range(0, len(entries), size))
