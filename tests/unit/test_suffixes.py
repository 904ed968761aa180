"""The suffixes come out as sorting them one by one would put them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lsp_server.core.index.suffixes import sorted_suffixes

END = 0x110000
"""Above every character."""

characters = st.one_of(
    st.sampled_from("aaab"),
    st.sampled_from("\u0000aé서버日😀\U0010ffff\ud83d\udc00\udbff\udfff\ue000\uffff\u200d"),
    st.characters(),
)


def places_in_order(texts: Sequence[str]) -> list[int]:
    """What `sorted_suffixes` makes of texts that are laid end to end."""
    code_points = np.array([ord(character) for text in texts for character in text], np.uint32)
    text_of = np.repeat(np.arange(len(texts)), np.array([len(text) for text in texts], np.int64))
    return [int(place) for place in sorted_suffixes(code_points, text_of)]


def suffixes_of(texts: Sequence[str]) -> list[list[int]]:
    """Every suffix as its code points and the end, in the order of the places."""
    return [[*map(ord, text[start:]), END] for text in texts for start in range(len(text))]


def check(texts: Sequence[str]) -> None:
    places, suffixes = places_in_order(texts), suffixes_of(texts)
    assert sorted(places) == list(range(len(suffixes)))
    assert [suffixes[place] for place in places] == sorted(suffixes)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(characters, min_size=1, max_size=12), max_size=12))
@example([])
@example(["a"])
@example(["a", "a", "a"])
@example(["ab", "a", "b", "ab"])
@example(["abc", "abcabc", "bcabc", "c"])
@example(["\U0010ffff" * 4, "\U0010ffff" * 3, "\U0010ffff"])
@example(["\ud83d\ude00", "😀", "\ue000", "\uffff"])
@example(["ab" * 40, "ba" * 40, "ab" * 39 + "c"])
def test_the_order_is_that_of_code_points_with_the_end_above_all(texts: list[str]) -> None:
    check(texts)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=5), st.integers(1, 30)), min_size=1, max_size=5))
def test_repeats_of_every_period(pieces: list[tuple[str, int]]) -> None:
    check([piece * times for piece, times in pieces])


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 5000])
def test_the_shorter_of_two_runs_stands_behind_the_longer(length: int) -> None:
    assert places_in_order(["a" * length]) == list(range(length))


def test_a_long_run_beside_others_that_begin_alike() -> None:
    texts = ["a" * 700, "a" * 699 + "b", "b" + "a" * 350]
    check(texts)


def test_equal_suffixes_of_many_texts_stand_side_by_side() -> None:
    texts = [f"{number:03}_handler" for number in range(300)]
    suffixes = suffixes_of(texts)
    in_order = [tuple(suffixes[place]) for place in places_in_order(texts)]
    places = [at for at, suffix in enumerate(in_order) if suffix == (*map(ord, "handler"), END)]
    assert places == list(range(places[0], places[0] + 300))
    assert in_order == sorted(in_order)
