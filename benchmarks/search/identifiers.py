"""Identifiers, error codes and file names, Zipf-distributed: a few everywhere, most of them only once."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

TAIL = 0.1
SHIFT = 30
"""The chance that a name's rank is above r is (1 + r / SHIFT) ** -TAIL (Zipf and Mandelbrot)."""
RANK_BITS = 40

CODE = re.compile(r"(?<!\w)(?:E[0-9]{4}|ERR_[A-Z]+_[0-9]+|TS[0-9]{4}|ORA-[0-9]{5}|0x8[0-9A-F]{7})(?!\w)")
FILE_NAME = re.compile(r"(?<![\w/])(?:[a-z]+/)*[a-z]+_[a-z]+[0-9]*\.(?:py|ts|rs|go|toml|sql|md)(?!\w)")

_SUFFIXES = ("py", "py", "ts", "rs", "go", "toml", "sql", "md")
_MIX = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Names:
    """A source of names over a vocabulary of plain words; the same random numbers give the same names."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary

    def draw(self, rng: random.Random) -> str:
        """One name, dressed as prose dresses it: some in back quotes, some with a comma or in brackets."""
        rank = int((rng.paretovariate(TAIL) - 1) * SHIFT)
        if rank >> RANK_BITS:
            rank = rng.getrandbits(RANK_BITS)  # Far out every name is a new one.
        kind = rng.random()
        name = self._code(rank) if kind < 0.15 else self._file(rank) if kind < 0.3 else self._symbol(rank)
        dress = rng.random()
        if dress < 0.3:
            return f"`{name}`"
        if dress < 0.4:
            return f"{name},"
        return f"({name})" if dress < 0.45 else name

    def _words(self, rank: int) -> tuple[str, str, str, int]:
        mixed = (rank * _MIX) & _MASK
        mixed ^= mixed >> 29
        size = len(self._vocabulary)
        first, rest = mixed % size, mixed // size
        second, rest = rest % size, rest // size
        third, rest = rest % size, rest // size
        return self._vocabulary[first], self._vocabulary[second], self._vocabulary[third], rest

    def _symbol(self, rank: int) -> str:
        first, second, third, rest = self._words(rank)
        style = rest % 5
        if style < 2:
            return f"{first}_{second}_{third}" if rest & 8 else f"{first}_{second}"
        if style < 4:
            last = third.capitalize() if rest & 8 else ""
            return (first if style == 2 else first.capitalize()) + second.capitalize() + last
        return f"{first}.{second}.{third}" if rest & 8 else f"{first}.{second}()"

    def _file(self, rank: int) -> str:
        first, second, third, rest = self._words(rank)
        name = f"{first}_{second}{rest % 10 if rest & 16 else ''}.{_SUFFIXES[rest % len(_SUFFIXES)]}"
        return f"src/{third}/{name}" if rest & 32 else name

    def _code(self, rank: int) -> str:
        first, _, _, rest = self._words(rank)
        family, number = rest % 5, (rank * _MIX & _MASK) >> 24
        if family == 0:
            return f"E{number % 9000 + 1000}"
        if family == 1:
            return f"ERR_{first.upper()}_{number % 100}"
        if family == 2:
            return f"TS{number % 9000 + 1000}"
        return f"ORA-{number % 100_000:05}" if family == 3 else f"0x8{number % (1 << 28):07X}"
