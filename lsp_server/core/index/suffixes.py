"""The sorted suffixes of many short texts, so that a binary search finds every place where a needle stands.

What contains a needle has a suffix that begins with it; in sorted order those suffixes stand side by side.
The order is that of code points, which is also the order of their UTF-8 bytes, with the end of a text above
every character. It is found by doubling (Manber and Myers, 1993): once the suffixes are ranked by their first
k characters, the rank of each and the rank of the one k characters behind it rank them by 2k.
"""

from __future__ import annotations

import numpy as np

from lsp_server.core.index.numbers import Numbers

_CODE_POINTS = 0x110000


def sorted_suffixes(characters: Numbers, text_of: Numbers) -> Numbers:
    """The places of `characters` in the order of the suffixes that begin there.

    Parameters
    ----------
    characters
        Code points of all texts laid end to end.
    text_of
        For each of them the number of its text, ascending.
    """
    count = len(characters)
    # Numbered by their rank among those that occur, more characters fit into one 64-bit number.
    occurs = np.zeros(_CODE_POINTS, bool)
    occurs[characters] = True
    letters = (np.cumsum(occurs, dtype=np.uint64) - np.uint64(1))[characters]
    bits = max(1, int(np.count_nonzero(occurs)).bit_length())
    end = (1 << bits) - 1
    known = 64 // bits
    keys = np.zeros(count, np.uint64)
    for step in range(known):
        keys = (keys << np.uint64(bits)) | _behind(letters, text_of, step, end)
    order = np.argsort(keys)
    ranks, tied = _ranked(keys, order, end)
    while len(tied):
        # Only what is still tied is sorted again; the rest has found its place.
        places = order[tied]
        next_ranks = _behind_at(ranks, text_of, places, known, count)
        keys_of_tied = ranks[places].astype(np.uint64) << np.uint64(32) | next_ranks.astype(np.uint64)
        inner = np.argsort(keys_of_tied)
        order[tied] = places[inner]
        changed = keys_of_tied[inner]
        is_new = np.ones(len(changed), bool)
        is_new[1:] = changed[1:] != changed[:-1]
        # A rank is the place of the first of its equals, so the ranks of others stay true.
        firsts = np.maximum.accumulate(np.where(is_new, tied, 0))
        ranks[order[tied]] = firsts
        still = _tied(is_new) & (changed & np.uint64(0xFFFFFFFF) != np.uint64(count))
        tied = tied[still]
        known *= 2
    return order


def _ranked(keys: Numbers, order: Numbers, end: int) -> tuple[Numbers, Numbers]:
    """The rank of each place, and which entries of the order are still tied with a neighbour."""
    in_order = keys[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = in_order[1:] != in_order[:-1]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    has_ended = (in_order & np.uint64(end)) == np.uint64(end)
    return ranks, np.flatnonzero(_tied(is_new) & ~has_ended)


def _tied(is_new: Numbers) -> Numbers:
    """Which entries equal the one before or behind them."""
    tied = ~is_new
    tied[:-1] |= ~is_new[1:]
    return tied


def _behind(values: Numbers, text_of: Numbers, distance: int, end: int) -> Numbers:
    """For each place the value so far behind it in the same text, or `end`."""
    shifted = np.full(len(values), end, values.dtype)
    if distance < len(values):
        same = text_of[distance:] == text_of[: len(values) - distance]
        shifted[: len(values) - distance][same] = values[distance:][same]
    return shifted


def _behind_at(ranks: Numbers, text_of: Numbers, places: Numbers, distance: int, end: int) -> Numbers:
    there = np.minimum(places + distance, len(ranks) - 1)
    inside = (places + distance < len(ranks)) & (text_of[there] == text_of[places])
    return np.where(inside, ranks[there], end)
