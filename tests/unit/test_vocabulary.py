"""Which tokens a needle equals, begins, ends or stands in, be they scanned or sorted by their suffixes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from indexed import numbers

from lsp_server.core.index import vocabulary as vocabulary_module
from lsp_server.core.index.vocabulary import KEYWORD, Vocabulary
from lsp_server.core.matching import encode

SCANNED, SORTED = 1 << 30, 1
"""Values of `SCANNED_BYTES` by which every vocabulary, or none that holds anything, is scanned."""

token_characters = st.one_of(
    st.sampled_from("aaab"),
    st.sampled_from("\u0000\u0001\u001b\u007fé서버日😀\U0010ffff\ud83d\udc00\udbff\udfff\uffff"),
    st.characters(),
).filter(lambda character: not character.isspace())
plain_tokens = st.text(token_characters, min_size=1, max_size=8)
keywords = st.text(st.sampled_from("abkf 서"), max_size=4).map(lambda text: KEYWORD + text)
searched_for = st.text(token_characters, min_size=1, max_size=4)


@contextmanager
def vocabulary_of(
    tokens: Sequence[str], scanned_bytes: int, landmark_step: int = 1_024, landmark_bytes: int = 24
) -> Iterator[Vocabulary]:
    with pytest.MonkeyPatch.context() as rules:
        rules.setattr(vocabulary_module, "LANDMARK_STEP", landmark_step)
        rules.setattr(vocabulary_module, "LANDMARK_BYTES", landmark_bytes)
        rules.setattr(vocabulary_module, "SCANNED_BYTES", scanned_bytes)
        yield Vocabulary.of(sorted(tokens))


@pytest.mark.parametrize(
    ("scanned_bytes", "landmark_step", "landmark_bytes"),
    [(SCANNED, 1, 1), (SORTED, 1_024, 24), (SORTED, 1, 1), (SORTED, 3, 2), (SORTED, 2, 5)],
    ids=["scanned", "sorted", "landmarks of a byte", "of two bytes", "of five bytes"],
)
@settings(max_examples=80, deadline=None)
@given(st.sets(plain_tokens, min_size=1, max_size=20), st.sets(keywords, max_size=5), st.data())
@example({"\u0000", "\u0001a", "a", "\ue000a"}, {KEYWORD, KEYWORD + "a"}, None)
@example({"aaa", "aa", "a", "aba", "ab"}, set(), None)
def test_needles_are_found_as_methods_of_strings_find_them(
    scanned_bytes: int,
    landmark_step: int,
    landmark_bytes: int,
    tokens: set[str],
    keywords: set[str],
    data: st.DataObject | None,
) -> None:
    in_order = sorted(tokens | keywords)
    pieces = {
        token[start:end] for token in in_order for start in range(3) for end in range(start + 1, 10)
    } - {""}
    others = data.draw(st.sets(searched_for, max_size=6)) if data is not None else set()
    with vocabulary_of(in_order, scanned_bytes, landmark_step, landmark_bytes) as vocabulary:
        assert bool(len(vocabulary.suffix_tokens)) == (scanned_bytes == SORTED)
        for needle in pieces | others:
            text = [number for number, token in enumerate(in_order) if token in tokens]
            found = {
                "equal": (
                    vocabulary.equal(needle),
                    [n for n, token in enumerate(in_order) if token == needle],
                ),
                "beginning": (
                    vocabulary.beginning_with(needle),
                    [n for n, token in enumerate(in_order) if token.startswith(needle)],
                ),
                "ending": (vocabulary.ending_with(needle), [n for n in text if in_order[n].endswith(needle)]),
                "containing": (vocabulary.containing(needle), [n for n in text if needle in in_order[n]]),
            }
            assert {name: numbers(got) for name, (got, _) in found.items()} == {
                name: expected for name, (_, expected) in found.items()
            }, needle


@pytest.mark.parametrize("scanned_bytes", [SCANNED, SORTED], ids=["scanned", "sorted"])
def test_keywords_are_found_whole_wherever_they_sort(scanned_bytes: int) -> None:
    tokens = ["\u0000b", "\u0001", "\u001bkb", KEYWORD + "kb", KEYWORD + "kbb", "b", "kb"]
    with vocabulary_of(tokens, scanned_bytes) as vocabulary:
        assert numbers(vocabulary.containing("kb")) == [2, 6]
        assert numbers(vocabulary.ending_with("b")) == [0, 2, 5, 6]
        assert numbers(vocabulary.equal(KEYWORD + "kb")) == [3]
        assert numbers(vocabulary.equal(KEYWORD + "k")) == []
        assert numbers(vocabulary.beginning_with(KEYWORD + "kb")) == [3, 4]


@pytest.mark.parametrize("scanned_bytes", [SCANNED, 0], ids=["scanned", "sorted"])
@pytest.mark.parametrize("tokens", [[], [KEYWORD + "ka", KEYWORD + "kb"]], ids=["nothing", "keywords only"])
def test_nothing_is_found_where_there_are_no_tokens(scanned_bytes: int, tokens: list[str]) -> None:
    with vocabulary_of(tokens, scanned_bytes) as vocabulary:
        assert len(vocabulary) == len(tokens)
        for find in (
            vocabulary.containing,
            vocabulary.ending_with,
            vocabulary.equal,
            vocabulary.beginning_with,
        ):
            assert numbers(find("a")) == []


def test_a_needle_that_stands_in_every_token_and_one_that_stands_in_the_last() -> None:
    for count in (1, 2, 255, 256, 257, 65_535, 65_536, 65_537):
        tokens = [f"t{number:05x}" for number in range(count)]
        with vocabulary_of(tokens, SORTED) as vocabulary:
            assert np.array_equal(vocabulary.containing("t"), np.arange(count))
            assert numbers(vocabulary.containing(tokens[-1][1:])) == [count - 1]
            assert numbers(vocabulary.ending_with(tokens[-1][1:])) == [count - 1]


@pytest.mark.parametrize("landmark_bytes", [1, 3, 24])
def test_a_needle_is_found_wherever_it_stands_between_the_landmarks(landmark_bytes: int) -> None:
    tokens = sorted({f"{'x' * (number % 30)}{number % 100:02}" for number in range(900)})
    needles = {token[start:] for token in tokens for start in range(0, len(token), 5)} | {"x" * 29, "0", "9"}
    with vocabulary_of(tokens, SORTED, 8, landmark_bytes) as vocabulary:
        for needle in sorted(needles):
            assert numbers(vocabulary.containing(needle)) == [
                number for number, token in enumerate(tokens) if needle in token
            ]
            assert numbers(vocabulary.ending_with(needle)) == [
                number for number, token in enumerate(tokens) if token.endswith(needle)
            ]


def test_small_vocabularies_are_scanned_and_large_ones_sorted() -> None:
    few, many = [f"{number:05}" for number in range(100)], [f"{number:05}" for number in range(50_000)]
    assert not len(Vocabulary.of(few).suffix_tokens)
    assert len(Vocabulary.of(many).suffix_tokens) == 5 * 50_000
    assert numbers(Vocabulary.of(many).containing("4999")) == [
        4999,
        14999,
        24999,
        34999,
        44999,
        *range(49990, 50_000),
    ]


@settings(max_examples=50, deadline=None)
@given(st.sets(st.one_of(plain_tokens, keywords), max_size=20))
def test_a_token_is_given_back_as_it_was(tokens: set[str]) -> None:
    in_order = sorted(tokens)
    with vocabulary_of(in_order, SCANNED) as vocabulary:
        assert [vocabulary[number] for number in range(len(vocabulary))] == in_order
        for outside in (-1, len(in_order)):
            with pytest.raises(IndexError):
                vocabulary[outside]
        assert bytes(vocabulary.blob) == b"\xff" + b"".join(encode(token) + b"\xff" for token in in_order)
