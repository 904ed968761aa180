"""Which documents hold a token, and how often: compressed sparse rows, one row per token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lsp_server.core.index.numbers import Numbers, distinct, is_few, offsets_of, rows, smallest


@dataclass(frozen=True)
class Postings:
    """Row `i` holds the documents of token `i`, ascending."""

    starts: Numbers
    """Where the row of each token begins, and where the last one ends."""
    documents: Numbers
    counts: Numbers
    """How many of the document's white-space tokens the posting stands for."""

    @staticmethod
    def of(triples: Sequence[tuple[Numbers, Numbers, Numbers]], token_count: int) -> Postings:
        """Sort arrays of tokens, documents and counts into rows. A token is with a document once at most."""
        tokens, documents, counts = (np.concatenate(part) for part in zip(*triples, strict=True))
        order = np.argsort(tokens.astype(np.int64) << 32 | documents.astype(np.int64))
        lengths = np.bincount(tokens, minlength=token_count)
        return Postings(offsets_of(lengths), smallest(documents[order]), smallest(counts[order]))

    @staticmethod
    def read(arrays: Mapping[str, Numbers]) -> Postings:
        """Take the arrays that other ones gave."""
        return Postings(**{name: arrays[f"postings.{name}"] for name in _ARRAYS})

    def arrays(self) -> dict[str, Numbers]:
        """Everything that `read` needs."""
        return {f"postings.{name}": getattr(self, name) for name in _ARRAYS}

    def size(self, tokens: Numbers) -> int:
        """How many postings some tokens have together."""
        return int((self.starts[1:][tokens].astype(np.int64) - self.starts[tokens]).sum())

    def documents_of(self, tokens: Numbers, document_count: int) -> Numbers:
        """The documents that hold at least one of the tokens, ascending."""
        if len(tokens) == 1:
            start, end = self._row(tokens)
            return self.documents[start:end]
        return distinct(self.documents[rows(self.starts, tokens)], document_count)

    def frequencies_of(self, tokens: Numbers, document_count: int) -> tuple[Numbers, Numbers]:
        """The same documents, and for each how many of its tokens are one of these."""
        if len(tokens) == 1:
            start, end = self._row(tokens)
            return self.documents[start:end], self.counts[start:end]
        places = rows(self.starts, tokens)
        documents, counts = self.documents[places], self.counts[places]
        if is_few(len(documents), document_count):
            found, slots = np.unique(documents, return_inverse=True)
            return found, np.bincount(slots, counts, len(found)).astype(np.int64)
        sums = np.bincount(documents, counts, document_count)
        found = np.flatnonzero(sums)
        return found, sums[found].astype(np.int64)

    def triples(self) -> tuple[Numbers, Numbers, Numbers]:
        """Token, document and count of every posting."""
        lengths: Numbers = np.diff(self.starts)
        tokens = np.repeat(np.arange(len(lengths)), lengths)
        return tokens, self.documents, self.counts

    def _row(self, tokens: Numbers) -> tuple[int, int]:
        return int(self.starts[tokens[0]]), int(self.starts[1:][tokens[0]])


_ARRAYS = ("starts", "documents", "counts")
