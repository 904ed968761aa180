"""The blob finds exactly the documents that a look at each of them would find."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from indexed import folded_text
from naive import naive_holding

from lsp_server.core.matching import Term, as_term, encode, fold

SCRIPTS = (
    "abAB12_ .\n\r\tßİﬁée\u0301ςКк서버버\u1112\u1161日本😀\u0000\ud83d\udc00\udbff\udfff\uffff\x7f\x80\xff"
)
texts = st.text(st.one_of(st.sampled_from(SCRIPTS), st.characters()), max_size=40)
documents = st.lists(st.lists(texts, max_size=3), max_size=6)


@settings(max_examples=300, deadline=None)
@given(documents, st.data())
def test_finds_what_a_look_at_each_document_finds(documents: list[list[str]], data: st.DataObject) -> None:
    every = [field for fields in documents for field in fields if field]
    field = data.draw(st.sampled_from(["", *every]))
    if field:
        start = data.draw(st.integers(0, len(field) - 1))
        needle = field[start : start + data.draw(st.integers(1, 200))]
    else:
        needle = data.draw(texts)
    term = as_term(needle)
    assert list(folded_text(documents).documents_with(term)) == naive_holding(documents, term)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.text("ab1_ .é", max_size=6), max_size=3), max_size=8),
    st.text("ab1", min_size=1, max_size=2),
)
@example([["ab"]], "ab")
@example([["xab"], ["ab"]], "ab")
@example([["x"], ["ab", "y"]], "ab")
@example([[], ["", "ab"], []], "ab")
@example([["aab ab"]], "ab")
@example([["éab"], ["abé"]], "ab")
def test_short_terms_are_bounded_at_the_edges_of_documents_too(
    documents: list[list[str]], needle: str
) -> None:
    term = as_term(needle)
    assert term.bounded
    assert list(folded_text(documents).documents_with(term)) == naive_holding(documents, term)


@settings(max_examples=50, deadline=None)
@given(st.text(st.sampled_from("ab \n서😀"), min_size=1, max_size=200), st.integers(0, 4), texts)
def test_finds_needles_of_every_length(needle: str, before: int, noise: str) -> None:
    documents = [[noise]] * before + [[noise + needle + noise]] + [[needle[1:], needle[:-1]]]
    term = Term(fold(needle))
    assert list(folded_text(documents).documents_with(term)) == naive_holding(documents, term)


@pytest.mark.parametrize(
    "needle", ["alphabeta", "alpha\nbeta", "alpha beta", "gammaalpha", "a\udcffb", "beta\ufffdgamma"]
)
def test_a_needle_spans_neither_fields_nor_documents(needle: str) -> None:
    text = folded_text([["alpha", "beta"], ["gamma"], ["alpha"]])
    assert list(text.documents_with(Term(needle))) == []


@pytest.mark.parametrize("needle", [" word", "word ", " word ", "\nword\n"])
def test_blanks_around_a_needle_count(needle: str) -> None:
    """A word at the very edge of a document has no blank beside it."""
    documents = [["word"], [" word"], ["word "], ["a word b"], ["\nword\n"], [" ", "word", " "]]
    term = as_term(needle)
    assert list(folded_text(documents).documents_with(term)) == naive_holding(documents, term)


@pytest.mark.parametrize("documents", [[], [[]], [[""]], [[], [""], ["", ""]]])
def test_nothing_is_found_in_nothing(documents: list[list[str]]) -> None:
    text = folded_text(documents)
    assert len(text) == len(documents)
    assert list(text.documents_with(as_term("x"))) == []
    assert [text.document(number).strip(b"\xff") for number in range(len(text))] == [b""] * len(documents)


def test_the_empty_term_is_in_no_document() -> None:
    assert list(folded_text([["x"], [""]]).documents_with(Term(""))) == []


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    text = folded_text([["\ud83d"], ["\ud83d\ude00"], ["😀"]])
    assert list(text.documents_with(as_term("\ud83d"))) == [0, 1]
    assert list(text.documents_with(as_term("😀"))) == [2]
    assert text.document(1) == "\ud83d\ude00".encode("utf-8", "surrogatepass") + b"\xff"


@settings(deadline=None)
@given(documents)
def test_a_document_is_given_back_folded_with_a_separator_behind_each_field(
    documents: list[list[str]],
) -> None:
    text = folded_text(documents)
    assert [text.document(number) for number in range(len(text))] == [
        b"".join(encode(fold(field)) + b"\xff" for field in fields) for fields in documents
    ]
