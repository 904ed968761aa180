"""The distinct tokens of a segment: which of them equal, begin with, end with or contain a needle.

A term never spans white space, so a document contains it exactly when one of its white-space tokens does.
Few tokens are scanned. Many are found by a binary search in their sorted suffixes, which costs the same for a
symbol, two Hangul syllables or nothing at all. Keywords are tokens that only `equal` finds; they begin with a
white-space character, which no token holds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import stringzilla

from lsp_server.core.index.folded_text import SEPARATOR
from lsp_server.core.index.numbers import Numbers, distinct, offsets_of, smallest
from lsp_server.core.index.suffixes import sorted_suffixes
from lsp_server.core.matching import encode

KEYWORD = "\x1f"

SCANNED_BYTES = 262_144
"""Up to this size scanning the tokens takes as long as the binary search, and building takes half as long."""

LANDMARK_STEP = 1024
LANDMARK_BYTES = 24

_ABOVE = b"\xff"
"""Sorts behind every character, as it is never part of one."""


@dataclass(frozen=True)
class Vocabulary:
    """Distinct tokens, numbered from 0 in the order of their code points."""

    blob: Numbers
    """The tokens as bytes, a separator before and behind each."""
    starts: Numbers
    """Where each token begins, and where another one would."""
    suffix_tokens: Numbers
    """The token of each suffix, in the order of the suffixes; empty where the tokens are scanned."""
    suffix_offsets: Numbers
    """How many bytes into its token each suffix begins."""

    @staticmethod
    def of(tokens: Sequence[str], *, is_transient: bool = False) -> Vocabulary:
        """Take tokens that are sorted and distinct; those that are transient are scanned, however many."""
        encoded = [encode(token) for token in tokens]
        blob = SEPARATOR + b"".join(token + SEPARATOR for token in encoded)
        starts = offsets_of([1, *(len(token) + 1 for token in encoded)])[1:]
        is_scanned = is_transient or len(blob) <= SCANNED_BYTES
        suffixes = (starts[:0], starts[:0]) if is_scanned else _suffixes_of(tokens)
        return Vocabulary(np.frombuffer(blob, np.uint8), starts, *suffixes)

    @staticmethod
    def read(arrays: Mapping[str, Numbers]) -> Vocabulary:
        """Take the arrays that another one gave."""
        return Vocabulary(**{name: arrays[f"vocabulary.{name}"] for name in _ARRAYS})

    def arrays(self) -> dict[str, Numbers]:
        """Everything that `read` needs."""
        return {f"vocabulary.{name}": getattr(self, name) for name in _ARRAYS}

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._token(number).decode("utf-8", "surrogatepass")

    def equal(self, token: str) -> Numbers:
        """The number of a token, as an array of at most one."""
        needle = encode(token)
        number = self._first_at_least(needle)
        return np.arange(number, number + int(number < len(self) and self._token(number) == needle))

    def beginning_with(self, needle: str) -> Numbers:
        """Numbers of the tokens that begin with a needle, ascending."""
        needle_bytes = encode(needle)
        return np.arange(self._first_at_least(needle_bytes), self._first_at_least(needle_bytes + _ABOVE))

    def ending_with(self, needle: str) -> Numbers:
        """Numbers of the tokens that end with a needle, ascending."""
        return self._holding(encode(needle) + SEPARATOR)

    def containing(self, needle: str) -> Numbers:
        """Numbers of the tokens that contain a needle, ascending."""
        return self._holding(encode(needle))

    def _holding(self, needle: bytes) -> Numbers:
        if not len(self.suffix_tokens):
            return np.fromiter(self._scan(needle), np.int64)
        entry = self._suffix_entry(len(needle))
        count = len(self.suffix_tokens)
        start = needle[:LANDMARK_BYTES]
        low = max(0, bisect_left(self._landmarks, start) - 1) * LANDMARK_STEP
        # Of what begins like a longer needle, landmarks do not tell what comes behind it.
        mark = bisect_left(self._landmarks, start if start == needle else start + _ABOVE)
        high = min(count, mark * LANDMARK_STEP)
        first = bisect_left(range(count), needle, low, high, key=entry)
        if first == count or entry(first) != needle:
            return self.suffix_tokens[:0]
        # Most needles stand in a few tokens only: look for the end in growing steps.
        step = 1
        while first + step < count and entry(first + step) == needle:
            step *= 2
        end = bisect_left(
            range(count), needle + _ABOVE, first + step // 2, min(first + step, count), key=entry
        )
        return distinct(self.suffix_tokens[first:end], len(self)).astype(np.int64)

    def _scan(self, needle: bytes) -> Iterator[int]:
        # Keywords sort among the first tokens but need not be the very first: each hit is looked at.
        at = stringzilla.find(self._bytes, needle)
        while at >= 0:
            number = bisect_left(self._starts, at + 1) - 1
            if not self._is_keyword(number):
                yield number
            at = stringzilla.find(self._bytes, needle, self._starts[number + 1] - 1)

    def _is_keyword(self, number: int) -> bool:
        return bool(self._bytes[self._starts[number]] == ord(KEYWORD))

    def _first_at_least(self, needle: bytes) -> int:
        return bisect_left(range(len(self)), needle, key=self._token)

    def _token(self, number: int) -> bytes:
        return bytes(self._bytes[self._starts[number] : self._starts[number + 1] - 1])

    def _suffix_entry(self, length: int) -> Callable[[int], bytes]:
        blob, starts, tokens, offsets = self._bytes, self._starts, self._tokens, self._token_offsets

        def entry(number: int) -> bytes:
            at = starts[tokens[number]] + offsets[number]
            return bytes(blob[at : at + length])

        return entry

    @cached_property
    def _landmarks(self) -> list[bytes]:
        """Every so many suffixes one, so that most of a search is among few that are at hand."""
        entry = self._suffix_entry(LANDMARK_BYTES)
        return [entry(number) for number in range(0, len(self.suffix_tokens), LANDMARK_STEP)]

    # Single elements of a memoryview come without the cost of numpy's own number objects.

    @cached_property
    def _bytes(self) -> memoryview:
        return self.blob.data

    @cached_property
    def _starts(self) -> memoryview:
        return self.starts.data

    @cached_property
    def _tokens(self) -> memoryview:
        return self.suffix_tokens.data

    @cached_property
    def _token_offsets(self) -> memoryview:
        return self.suffix_offsets.data


_ARRAYS = ("blob", "starts", "suffix_tokens", "suffix_offsets")


def _suffixes_of(tokens: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Token and byte offset of each suffix in sorted order."""
    searched = [(number, token) for number, token in enumerate(tokens) if not token.startswith(KEYWORD)]
    numbers = np.array([number for number, _ in searched], np.uint32)
    lengths = np.array([len(token) for _, token in searched], np.int64)
    text = "".join(token for _, token in searched).encode("utf-32-le", "surrogatepass")
    characters = np.frombuffer(text, np.uint32)
    text_of = np.repeat(np.arange(len(searched), dtype=np.uint32), lengths)
    widths = 1 + (characters > 0x7F) + (characters > 0x7FF) + (characters > 0xFFFF)
    byte_starts = np.cumsum(widths) - widths
    first_of_text = np.cumsum(lengths) - lengths
    offsets = byte_starts - np.repeat(byte_starts[first_of_text], lengths)
    order = sorted_suffixes(characters, text_of)
    return smallest(numbers[text_of[order]]), smallest(offsets[order])
