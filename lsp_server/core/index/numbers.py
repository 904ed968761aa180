"""Sets of small numbers as sorted arrays, and the ragged rows of a table laid end to end."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
"""A one-dimensional array of integers that are not negative."""


SORTED_PLACES = 64
"""Sorting one value takes about as long as passing over so many places."""


def smallest(values: Numbers) -> Numbers:
    """The same values in the smallest unsigned type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def offsets_of(lengths: Any) -> Numbers:
    """Where each of some pieces begins when they are laid end to end, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return smallest(offsets)


def distinct(values: Numbers, bound: int) -> Numbers:
    """The distinct values, ascending; all are below `bound`."""
    if is_few(len(values), bound):
        return np.unique(values)
    seen = np.zeros(bound, bool)
    seen[values] = True
    return np.flatnonzero(seen)


def common(values: Numbers, others: Numbers, bound: int) -> Numbers:
    """Those values that are among the others, in their order; all are below `bound`."""
    is_other = np.zeros(bound, bool)
    is_other[others] = True
    return values[is_other[values]]


def is_few(count: int, bound: int) -> bool:
    """Whether sorting `count` values is less work than one pass over `bound` places."""
    return count * SORTED_PLACES < bound


def rows(starts: Numbers, chosen: Numbers) -> Numbers:
    """The places of the chosen rows of a table, where row `i` is at `starts[i]` up to `starts[i + 1]`."""
    first = starts[chosen].astype(np.int64)
    lengths = starts[1:][chosen].astype(np.int64) - first
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first - ends + lengths, lengths) + np.arange(total)
