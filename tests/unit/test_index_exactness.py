"""Whatever way the documents lie on, every lookup finds what a look at each of them would find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from indexed import Layout, laid_out, layouts, numbers, text_entry
from naive import naive_frequencies, naive_holding, naive_ranking, tokens_of

from lsp_server.core.index.entry import key_of
from lsp_server.core.matching import Term, as_term, fold, terms_of
from lsp_server.core.ranking import Collection, ranked

CHARACTERS = (
    "abAB12_.-\u0000\u0001\u001b\u007f\u0080ßẞİIıiﬁÅé\u0301e\u0323\u0345ΣσςКк서버\u1112\u1161\u11ab日本ｶﾞ"
    "😀👩\u200d🚀\ud83d\udc00\udbff\udfff\uffff\U0010ffff\u00ff"
)
BLANKS = " \n\t\r\u000b\u001c\u001f\u0085\u00a0\u2003\u2028\u3000"
WORDS = """a A ab aba abab b B. cab E4217 e42 4217 é e\u0301 É ß ss SS STRASSE straße İstanbul istanbul ISTANBUL
    ıi ﬁle file 서버 서버를 버 \u1109\u1165\u1107\u1165 日本語 日本 😀 😀😀 a😀b PR x-PR. #7 cache cachecache
    \ud83d""".split()

blanks = st.text(st.sampled_from(BLANKS), min_size=1, max_size=2)
any_text = st.text(st.one_of(st.sampled_from(CHARACTERS + BLANKS), st.characters()), max_size=30)
lines = st.lists(st.tuples(st.sampled_from(WORDS), st.one_of(st.just(" "), blanks)), max_size=40).map(
    lambda pairs: "".join(word + blank for word, blank in pairs)
)
ragged_lines = st.tuples(st.sampled_from(["", " ", "\n"]), lines, st.sampled_from(WORDS)).map("".join)
fields = st.one_of(any_text, lines, ragged_lines)
documents = st.lists(st.lists(fields, max_size=3), min_size=1, max_size=10)
texts = st.lists(fields, min_size=1, max_size=12)


@st.composite
def needles(draw: st.DrawFn, documents: list[list[str]]) -> str:
    """A piece of some field, cut anywhere, or something that most likely stands in none."""
    every = [field for of_document in documents for field in of_document if field]
    if not every or draw(st.integers(0, 9)) == 0:
        return draw(st.one_of(any_text, lines))
    field = draw(st.sampled_from(every))
    start = draw(st.integers(0, len(field) - 1))
    return field[start : start + draw(st.one_of(st.integers(1, 6), st.integers(1, 200)))]


@settings(max_examples=250, deadline=None)
@given(documents, layouts, st.data())
def test_a_term_is_found_where_it_stands_and_nowhere_else(
    documents: list[list[str]], layout: Layout, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(needles(documents), min_size=1, max_size=8))
    with laid_out([text_entry(*fields) for fields in documents], layout) as corpus:
        for needle in chosen:
            term = as_term(needle)
            assert numbers(corpus.holding(term)) == naive_holding(documents, term), needle


@settings(max_examples=60, deadline=None)
@given(documents, layouts)
def test_every_short_word_is_found_between_its_boundaries(documents: list[list[str]], layout: Layout) -> None:
    with laid_out([text_entry(*fields) for fields in documents], layout) as corpus:
        for needle in ("a", "b", "ab", "e", "7", "42", "pr", "ss", "x"):
            term = as_term(needle)
            assert term.bounded
            assert numbers(corpus.holding(term)) == naive_holding(documents, term)
            positions, counts = corpus.frequencies(term)
            found = dict(zip(numbers(positions), numbers(counts), strict=True))
            assert found == naive_frequencies(documents, term)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a b", "b c", "c", "ca b", "a\nb", "b "]), max_size=3), min_size=1),
       layouts, st.text(st.sampled_from("abc \n"), min_size=1, max_size=6))  # fmt: skip
def test_phrases_of_frequent_words(documents: list[list[str]], layout: Layout, needle: str) -> None:
    term = as_term(needle)
    with laid_out([text_entry(*fields) for fields in documents], layout) as corpus:
        assert numbers(corpus.holding(term)) == naive_holding(documents, term)


@settings(max_examples=80, deadline=None)
@given(documents, layouts, st.data())
def test_a_frequency_is_the_number_of_tokens_that_contain_the_term(
    documents: list[list[str]], layout: Layout, data: st.DataObject
) -> None:
    words = [
        word for needle in data.draw(st.lists(needles(documents), max_size=6)) for word in needle.split()
    ]
    with laid_out([text_entry(*fields) for fields in documents], layout) as corpus:
        for term in map(as_term, words):
            positions, counts = corpus.frequencies(term)
            assert numbers(positions) == sorted(numbers(positions))
            found = dict(zip(numbers(positions), numbers(counts), strict=True))
            assert found == naive_frequencies(documents, term)


@settings(max_examples=40, deadline=None)
@given(documents, layouts)
def test_the_frequency_of_a_token_is_how_often_it_stands_there_as_a_whole(
    documents: list[list[str]], layout: Layout
) -> None:
    tokens = list(map(tokens_of, documents))
    with laid_out([text_entry(*fields) for fields in documents], layout) as corpus:
        for token in {token for of_document in tokens for token in of_document[:3]} | {"ab", "nowhere"}:
            positions, counts = corpus.token_frequencies(token)
            assert dict(zip(numbers(positions), numbers(counts), strict=True)) == {
                number: of_document.count(token)
                for number, of_document in enumerate(tokens)
                if token in of_document
            }


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(fields, st.sets(st.sampled_from(["a", "ab", "tag a", "tag b", "서버", "a b"]))), min_size=1
    ),
    layouts,
)
def test_a_keyword_is_found_as_a_whole_and_never_as_text(
    documents: list[tuple[str, set[str]]], layout: Layout
) -> None:
    # No document has keywords and not a single word.
    documents = [(f"{text} x", words) for text, words in documents]
    entries = [replace(text_entry(text), keywords=tuple(sorted(words))) for text, words in documents]
    with laid_out(entries, layout) as corpus:
        for keyword in ("a", "ab", "tag a", "tag", "b", "서버", "a b"):
            having = [number for number, (_, words) in enumerate(documents) if keyword in words]
            assert numbers(corpus.with_keyword(keyword)) == having
            term = as_term(keyword)
            assert numbers(corpus.holding(term)) == naive_holding([[text] for text, _ in documents], term)
        used = {
            word.removeprefix("tag ") for _, words in documents for word in words if word.startswith("tag ")
        }
        assert corpus.keywords("tag ") >= used
        if layout.shape in ("one segment", "merged", "merged twice"):
            assert corpus.keywords("tag ") == used


@settings(max_examples=60, deadline=None)
@given(texts, layouts)
def test_a_document_is_given_back_as_it_was(texts: list[str], layout: Layout) -> None:
    entries = [
        replace(text_entry(text), kind=number % 3, key=key_of(text), expires_at=number / 2)
        for number, text in enumerate(texts)
    ]
    with laid_out(entries, layout) as corpus:
        assert len(corpus) == len(texts)
        assert corpus.documents(np.arange(len(texts))) == texts
        assert [corpus.first_field_of(position) for position in range(len(texts))] == list(map(fold, texts))
        assert numbers(corpus.column("kind")) == [number % 3 for number in range(len(texts))]
        assert corpus.column("expires_at").tolist() == [number / 2 for number in range(len(texts))]
        assert corpus.column("identity").tolist() == [entry.identity for entry in entries]
        key = key_of(texts[0])
        assert numbers(corpus.with_keys(key, key)) == [n for n, text in enumerate(texts) if text == texts[0]]
        assert numbers(corpus.with_keys(0, 2**64 - 1)) == list(range(len(texts)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), layouts)
def test_documents_that_share_a_key_are_found(keys: list[int], layout: Layout) -> None:
    entries = [replace(text_entry(str(number)), key=key) for number, key in enumerate(keys)]
    with laid_out(entries, layout) as corpus:
        sharing = [number for number, key in enumerate(keys) if keys.count(key) > 1]
        assert numbers(corpus.sharing_a_key()) == sharing
        for key in range(13):
            having = [number for number, other in enumerate(keys) if other == key]
            assert numbers(corpus.with_keys(key, key)) == having


@settings(max_examples=60, deadline=None)
@given(texts, layouts, st.data())
def test_a_line_is_the_first_that_the_term_stands_in(
    texts: list[str], layout: Layout, data: st.DataObject
) -> None:
    term = Term(fold(data.draw(needles([[text] for text in texts]))))
    with laid_out([text_entry(text) for text in texts], layout) as corpus:
        for position in numbers(corpus.holding(term)):
            folded = fold(texts[position])
            assert corpus.line_of(position, term) == folded[: folded.index(term.folded)].count("\n") + 1


# --- the order of what was found -------------------------------------------------------------------------

ranked_words = st.sampled_from("a ab abc b B. cab aaaa ß ss 서버 서버를 버 é e\u0301 rare PR cache".split())
ranked_lines = st.lists(st.one_of(ranked_words, st.just("the")), max_size=8).map(" ".join)
queries = st.lists(st.one_of(ranked_words, st.just("the"), st.just("nowhere")), min_size=1, max_size=4).map(
    " ".join
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(ranked_lines, st.integers(0, 2), st.booleans()), min_size=1, max_size=16),
    queries,
    layouts,
    st.one_of(st.none(), st.integers(1, 3)),
)
@example([("the a", 0, True)] * 50 + [("the", 0, True)], "the a", Layout("merged"), 3)
def test_the_order_is_that_of_rank_bm25_over_all_documents_of_a_kind(
    documents: list[tuple[str, int, bool]], query: str, layout: Layout, limit: int | None
) -> None:
    entries = [replace(text_entry(text), kind=kind) for text, kind, _ in documents]
    wanted = np.array([is_wanted for _, _, is_wanted in documents])
    with laid_out(entries, layout) as corpus:
        frequencies = {term: corpus.frequencies(term) for term in terms_of(query)}
        for kind in range(3):
            members = [number for number, document in enumerate(documents) if document[1] == kind]
            order = [members[at] for at in naive_ranking([documents[at][0] for at in members], query)]
            expected = [number for number in order if wanted[number]]
            found = ranked(Collection.of(corpus, kind), frequencies, wanted, limit)
            assert found == (expected[:limit], len(expected))


@pytest.mark.parametrize("shape", ["one segment", "several", "merged"])
@pytest.mark.parametrize("is_mapped", [False, True])
@pytest.mark.parametrize("limit", [1, 5, 40, None])
def test_of_very_many_equal_documents_the_first_are_the_best(
    shape: str, is_mapped: bool, limit: int | None
) -> None:
    """More ties than are scored by rank-bm25, and a few better documents among the last."""
    texts = ["the clock drifts"] * 700 + ["the clock", "clock clock"] + ["the tide"] * 300 + ["clock"]
    with laid_out([text_entry(text) for text in texts], Layout(shape, is_mapped, seed=3)) as corpus:
        frequencies = {term: corpus.frequencies(term) for term in terms_of("the clock")}
        found = ranked(Collection.of(corpus, 0), frequencies, np.ones(len(texts), bool), limit)
    assert found == (naive_ranking(texts, "the clock")[:limit], len(texts))
