"""What "matches" means: folding, terms, word boundaries, and the way back to the original text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.matching import as_term, check_query, contains, find_in_original, fold, terms_of
from lsp_server.core.model import QueryError

TRICKY = (
    "aAbiIoOsStTkK019_- .,;:\n\r\t\u00a0\u2028ßẞſﬁﬆŉǰİıKÅÅéèςσΣΐᾳᾼ"
    "\u0301\u0307\u0308\u0316\u0327\u0328\u0345\u0f71\u0f72\u0f73"
    "한국어\u1112\u1161\u11ab각ㅎ中文\u09c7\u09be😀👩\u200d\ufe0f\ud83d\udc69"
)
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.characters()), max_size=24)


def matches(text: str, query: str) -> bool:
    return contains(fold(text), as_term(query))


# --- folding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Rate Limit", "RATE LIMIT"),
        ("STRASSE", "straße"),
        ("Straße", "STRASSE"),
        ("ﬁle", "FILE"),
        ("ΟΔΟΣ", "οδος"),
        ("İzmir", "i\u0307zmir"),
        ("İZMİR", "i\u0307zmi\u0307r"),
        ("\u212aelvin", "kelvin"),
        (unicodedata.normalize("NFD", "café au lait"), "CAFÉ"),
        ("CAFÉ", unicodedata.normalize("NFD", "café")),
        (unicodedata.normalize("NFD", "배포 서버가 죽었다"), "서버"),
        ("배포 서버가 죽었다", unicodedata.normalize("NFD", "서버")),
        ("a\u0316\u0301 and", "\u00e1\u0316"),
        ("done 👩\u200d🚀!", "👩\u200d🚀"),
        ("half \ud83d of a pair", "\ud83d"),
        ("one\r\ntwo", "one\ntwo"),
        ("one\ntwo", "ONE\r\nTWO"),
        ("one\rtwo", "one\r\ntwo"),
    ],
)
def test_what_is_the_same_when_folded(text: str, query: str) -> None:
    assert matches(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("ISPARTA", "ısparta"),
        ("café", "cafe"),
        (unicodedata.normalize("NFD", "café"), "cafe"),
        ("서버", "서ㅂ"),
        ("Izmir", "İzmir"),
        ("x² + y", "x2"),
        ("alpha  beta", "alpha beta"),
        ("alpha\nbeta", "alpha beta"),
    ],
)
def test_what_is_not_the_same(text: str, query: str) -> None:
    assert not matches(text, query)


@given(texts)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(texts)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


@given(texts)
def test_folding_keeps_lines(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert fold(text).split("\n") == [fold(line) for line in lines]


@given(texts)
def test_folding_keeps_the_words_apart(text: str) -> None:
    """A term never spans white space, which therefore must neither appear nor vanish."""
    assert fold(text).split() == [fold(word) for word in text.split()]


# --- terms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "PR",
        "a PR.",
        "(pr)",
        "open_PR_now",
        "PR-12",
        "é PR é",
        "éPRé",
        "서버PR에",
        "PR😀",
        "x\nPR\ny",
        "SPR or PR",
    ],
)
def test_a_short_term_stands_alone(text: str) -> None:
    assert matches(text, "PR")


@pytest.mark.parametrize("text", ["SPR", "PRs", "deprecated", "PR2", "0PR", "xPRx PRy", "\u212aPR", ""])
def test_a_short_term_does_not_stand_inside_a_word(text: str) -> None:
    assert not matches(text, "PR")


@pytest.mark.parametrize(("text", "query"), [("x1y 1", "1"), ("aaa aa", "aa"), ("42", "42"), ("v2_0", "v2")])
def test_letters_and_digits_are_alike(text: str, query: str) -> None:
    assert matches(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("xabcx", "abc"),  # three characters
        ("서버에서", "버"),  # not ASCII
        ("Straße", "ß"),
        ("xéy", "é"),
        ("x->y", "->"),  # neither letter nor digit
        ("fooC#bar", "C#"),
        ("a_b", "_"),
    ],
)
def test_every_other_term_is_a_substring(text: str, query: str) -> None:
    assert matches(text, query)


def test_the_terms_of_a_query() -> None:
    assert [term.folded for term in terms_of("  PR\tDeploy\u00a0pr\nDEPLOY 서버 ")] == [
        "pr",
        "deploy",
        "서버",
    ]
    assert [term.bounded for term in terms_of("PR x 12 C# abc 서 é ß")] == [True] * 3 + [False] * 5


# --- queries that are refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["x", "x" * 200, "한" * 200, " x ", "\ud83d"])
def test_a_query_of_up_to_200_characters_is_answered(query: str) -> None:
    check_query(query)


def test_a_longer_query_is_refused_with_its_length_and_the_limit() -> None:
    with pytest.raises(QueryError, match=r"^the query has 201 characters; at most 200 are searched$"):
        check_query("한" * 201)


@pytest.mark.parametrize("query", ["", " ", "\r\n\t", "\u00a0\u3000\u2028"])
def test_a_blank_query_is_refused_with_what_to_do(query: str) -> None:
    with pytest.raises(QueryError, match=r"^the query is empty; give a short fragment"):
        check_query(query)


# --- back to the original --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("original", "query", "shown"),
    [
        ("see E0308 there", "e0308", "E0308"),
        ("in der Straße 5", "STRASSE", "Straße"),
        ("Straße", "s", None),  # bounded
        ("Straße", "sse", "ße"),
        ("ﬁnal ﬁle", "file", "ﬁle"),
        ("cafe\u0301s", "fé", "fe\u0301"),
        ("xa\u0316\u0301y", "á", "a\u0316\u0301"),
        (unicodedata.normalize("NFD", "우리 서버가"), "서버", unicodedata.normalize("NFD", "서버")),
        ("😀 İzmir", "zmir", "zmir"),
        ("SPR é PR", "pr", "PR"),
        ("a\r\nb\r\nc", "b\nc", "b\r\nc"),
        ("nothing", "else", None),
    ],
)
def test_a_match_is_shown_as_it_was_written(original: str, query: str, shown: str | None) -> None:
    place = find_in_original(original, as_term(query))
    assert (original[slice(*place)] if place else None) == shown


@settings(max_examples=400, deadline=None)
@given(texts, st.data())
def test_the_slice_of_the_original_folds_to_text_with_the_needle(original: str, data: st.DataObject) -> None:
    folded = fold(original)
    start = data.draw(st.integers(0, len(folded)))
    needle = as_term(folded[start : start + data.draw(st.integers(1, 6))])
    place = find_in_original(original, needle) if needle.folded else None
    assert (place is not None) == (needle.folded != "" and contains(folded, needle))
    if place is not None:
        before, shown, after = original[: place[0]], original[slice(*place)], original[place[1] :]
        assert needle.folded in fold(shown)
        assert fold(before) + fold(shown) + fold(after) == folded
