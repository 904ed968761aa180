"""What a segment does that no look at its answers in general would tell: edges of types, merging, phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from indexed import Layout, decoded, laid_out, mapped, merged_between, numbers, text_corpus, text_entry
from naive import naive_frequencies, naive_holding

from lsp_server.core.index import folded_text as folded_text_module
from lsp_server.core.index import segment as segment_module
from lsp_server.core.index import vocabulary as vocabulary_module
from lsp_server.core.index.corpus import Corpus, handles_of
from lsp_server.core.index.folded_text import FoldedText
from lsp_server.core.index.segment import Segment, entries_in_chunks, merged
from lsp_server.core.index.vocabulary import KEYWORD
from lsp_server.core.matching import Term, as_term


@pytest.fixture(params=["in memory", "mapped"])
def is_mapped(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "mapped")


@pytest.fixture(params=["scanned", "sorted"])
def _vocabulary(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_module, "SCANNED_BYTES", 1 << 30 if request.param == "scanned" else 1)


def segment_of(texts: Sequence[str], is_mapped: bool = False) -> Segment:
    segment = Segment.of([text_entry(text) for text in texts])
    return mapped(segment) if is_mapped else segment


# --- the largest numbers of a type -------------------------------------------------------------------------


@pytest.mark.usefixtures("_vocabulary")
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257])
def test_the_last_document_and_the_last_token_are_found_like_the_others(count: int, is_mapped: bool) -> None:
    """Their numbers may be the largest that one byte holds."""
    texts = [f"t{number:05}" for number in range(count)]
    segment, last = segment_of(texts, is_mapped), f"{count - 1:05}"
    for needle in ("t", last, last[-1], f"t{last}"):
        term = Term(needle)
        assert numbers(segment.holding(term)) == naive_holding([[text] for text in texts], term)
        positions, counts = segment.frequencies(term)
        found = dict(zip(numbers(positions), numbers(counts), strict=True))
        assert found == naive_frequencies([[text] for text in texts], term)


@pytest.mark.usefixtures("_vocabulary")
@pytest.mark.parametrize("count", [255, 256, 257])
def test_a_phrase_in_the_last_document_is_found(count: int, is_mapped: bool) -> None:
    texts = [f"alpha{number:05} beta gamma{number:05}" for number in range(count)]
    segment, last = segment_of(texts, is_mapped), f"{count - 1:05}"
    for phrase in (f"{last} beta", f"beta gamma{last}", f"a{last} beta gamma", " beta "):
        assert numbers(segment.holding(Term(phrase))) == naive_holding(
            [[text] for text in texts], Term(phrase)
        )


@pytest.mark.usefixtures("_vocabulary")
def test_the_last_of_65536_tokens_is_found_in_its_document(is_mapped: bool) -> None:
    words = [f"t{number:05x}" for number in range(65_536)]
    texts = [" ".join(words[start : start + 256]) for start in range(0, len(words), 256)]
    segment = segment_of(texts, is_mapped)
    for needle in ("ffff", "0ffff", "t0ffff", "fff"):
        assert numbers(segment.holding(Term(needle))) == naive_holding(
            [[text] for text in texts], Term(needle)
        )


@pytest.mark.parametrize("count", [255, 256, 300, 65_536])
def test_a_token_that_one_document_repeats_very_often_is_counted(count: int, is_mapped: bool) -> None:
    segment = segment_of(["again " * count + "x-again", "again"], is_mapped)
    positions, counts = segment.frequencies(Term("again"))
    assert (numbers(positions), numbers(counts)) == ([0, 1], [count + 1, 1])
    assert numbers(segment.columns["length"]) == [count + 1, 1]


# --- what is found by what ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("_vocabulary")
@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("alpha beta", [0, 1, 4]),
        ("pha be", [0, 1, 4]),
        ("alpha  beta", []),
        ("alpha\nbeta", [2]),
        (" beta", [0, 1, 4]),
        (" beta ", [1]),
        ("beta ", [1]),
        ("\nbeta", [2]),
        ("a beta gamma", [1]),
        ("beta gamm", [1]),
        ("betagamma", []),
        ("gamma delta", []),
        ("alpha delta", []),
        ("beta alpha", []),
        ("beta\xffgamma", []),
        (" ", [0, 1, 4]),
        ("\n", [2]),
        ("  ", []),
        ("\u00a0", []),
        ("nowhere beta", []),
    ],
)
def test_a_phrase_is_found_with_its_white_space_and_within_one_field(
    needle: str, found: list[int], is_mapped: bool
) -> None:
    documents = [
        ("alpha beta",), ("alpha beta gamma", "delta"), ("alpha\nbeta",), ("alpha", "beta"), ("xalpha betax",)
    ]  # fmt: skip
    segment = Segment.of([text_entry(*fields) for fields in documents])
    segment = mapped(segment) if is_mapped else segment
    assert naive_holding(documents, Term(needle)) == found
    assert numbers(segment.holding(Term(needle))) == found


@pytest.mark.parametrize("check_cost_bytes", [0, 1 << 30], ids=["each candidate", "whole text"])
@pytest.mark.parametrize("postings_per_check", [0, 1 << 30], ids=["rarest word", "all words"])
def test_a_phrase_is_found_whichever_way_is_taken_to_look_for_it(
    check_cost_bytes: int, postings_per_check: int, is_mapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folded_text_module, "CHECK_COST_BYTES", check_cost_bytes)
    monkeypatch.setattr(segment_module, "_POSTINGS_PER_CHECK", postings_per_check)
    scans: list[Term] = []
    scan = FoldedText.documents_with

    def counted(text: FoldedText, term: Term) -> Iterator[int]:
        scans.append(term)
        return scan(text, term)

    monkeypatch.setattr(FoldedText, "documents_with", counted)
    texts = ["the clock drifts", "the tide the clock", "clock the", "a rare clock drifts"] * 100 + [
        "drifts the"
    ]
    segment = segment_of(texts, is_mapped)
    for phrase in ("the clock", "k drif", "rare clock d", " the ", "drifts the", "rare the"):
        assert numbers(segment.holding(Term(phrase))) == naive_holding(
            [[text] for text in texts], Term(phrase)
        )
    assert bool(scans) == (check_cost_bytes > 0)


def test_a_keyword_is_no_word_of_a_phrase_and_no_text() -> None:
    entries = [
        replace(text_entry("alpha"), keywords=("beta gamma", "x")),
        text_entry(f"alpha{KEYWORD}kbeta gamma"),
        replace(text_entry("kx fx bx"), keywords=("alpha",)),
    ]
    segment = Segment.of(entries)
    assert numbers(segment.with_keyword("beta gamma")) == [0]
    assert numbers(segment.with_keyword("alpha")) == [2]
    assert numbers(segment.holding(Term("beta gamma"))) == [1]
    assert numbers(segment.holding(as_term("x"))) == []
    assert numbers(segment.holding(Term("x"))) == [2]
    assert numbers(segment.holding(Term(f"{KEYWORD}kbeta"))) == [1]
    assert numbers(segment.holding(Term(f"{KEYWORD}kx"))) == []
    assert sorted(segment.keywords("")) == ["alpha", "beta gamma", "x"]


def test_an_empty_segment_finds_nothing(is_mapped: bool) -> None:
    for documents in ([], [text_entry()], [text_entry(""), text_entry(" \n")]):
        segment = mapped(Segment.of(documents)) if is_mapped else Segment.of(documents)
        assert len(segment) == len(documents)
        for term in (Term("a"), as_term("a"), Term("a b"), Term("\t")):
            assert numbers(segment.holding(term)) == []
        assert numbers(segment.frequencies(Term("a"))[0]) == []
        assert numbers(segment.with_keyword("a")) == []
        assert segment.keywords("") == []


# --- merging -------------------------------------------------------------------------------------------------


def corpus_of_segments(*segments: Segment) -> Corpus[str]:
    handles = [handles_of(place, len(segment)) for place, segment in enumerate(segments)]
    return Corpus(segments, np.concatenate(handles), decoded)


def frequencies_in(corpus: Corpus[str], needle: str) -> dict[int, int]:
    positions, counts = corpus.frequencies(as_term(needle))
    return dict(zip(numbers(positions), numbers(counts), strict=True))


@pytest.mark.usefixtures("_vocabulary")
@pytest.mark.parametrize("share", [0.0, 0.3, 2.0], ids=["every term kept", "some", "none"])
def test_a_term_that_is_frequent_in_one_segment_only(
    share: float, is_mapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_module, "FREQUENT_SHARE", share)
    there, elsewhere = ["the clock", "a clock clockwork", "the tide"], ["tidal x", "harbour", "aclock y"]
    base = merged_between(text_corpus(there), 0, 1).segments[0]
    base = mapped(base) if is_mapped else base
    corpus = corpus_of_segments(base, segment_of(elsewhere))
    documents = [[text] for text in there + elsewhere]
    for again in range(3):
        for needle in ("clock", "tid", "the", "harbour", "a", "x", "work", "nowhere"):
            assert frequencies_in(corpus, needle) == naive_frequencies(documents, as_term(needle)), again
            assert numbers(corpus.holding(as_term(needle))) == naive_holding(documents, as_term(needle))
        # Merged, and then merged with yet another one.
        corpus = merged_between(corpus, 0, len(corpus.segments))
        if again == 0:
            corpus = corpus_of_segments(*corpus.segments, segment_of(["clock", "more tide", "harbour"]))
            documents += [["clock"], ["more tide"], ["harbour"]]


def test_frequent_terms_are_kept_by_merging_and_not_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_module, "FREQUENT_SHARE", 0.5)
    corpus = text_corpus(["clock", "clock", "tide"])
    for _ in range(2):
        corpus = merged_between(corpus, 0, 1)
        kept = [token for token in tokens_of(corpus.segments[0]) if token.startswith(f"{KEYWORD}f")]
        assert kept == [f"{KEYWORD}fclock"]
    corpus = merged_between(corpus_of_segments(*corpus.segments, segment_of(["tide"] * 5)), 0, 2)
    kept = [token for token in tokens_of(corpus.segments[0]) if token.startswith(f"{KEYWORD}f")]
    assert kept == [f"{KEYWORD}ftide"]


def test_nothing_of_a_dead_document_is_left_after_merging() -> None:
    whole = merged(
        (segment_of(["alpha secret", "beta"]), segment_of(["gamma", "secret delta"])),
        (np.array([-1, 1]), np.array([0, -1])),
    )
    assert [whole.record(number) for number in range(len(whole))] == [b"gamma", b"beta"]
    assert {token.removeprefix(f"{KEYWORD}f") for token in tokens_of(whole)} == {"beta", "gamma"}
    assert b"secret" not in bytes(whole.text.blob) + bytes(whole.records.blob)


@pytest.mark.parametrize("texts", [[], ["alpha"], [""]])
def test_merging_may_leave_nothing(texts: list[str], is_mapped: bool) -> None:
    segment = segment_of(texts, is_mapped)
    whole = merged((segment, segment), (np.full(len(texts), -1),) * 2)
    assert len(mapped(whole) if is_mapped else whole) == 0
    assert numbers(whole.holding(Term("alpha"))) == []


def test_merging_a_segment_alone_changes_nothing_but_its_frequent_terms(is_mapped: bool) -> None:
    texts = ["the clock", "A PR waits", "서버를 재시작", "", "\ud83d lone", "e\u0301 x-é"]
    before = segment_of(texts, is_mapped)
    after = merged((before,), (np.arange(len(texts)),))
    assert bytes(after.text.blob) == bytes(before.text.blob)
    assert [after.record(number) for number in range(len(after))] == [
        before.record(number) for number in range(len(before))
    ]
    for name, column in before.columns.items():
        assert np.array_equal(after.columns[name], column)
        assert after.columns[name].dtype == column.dtype
    frequent = [token for token in tokens_of(after) if token.startswith(f"{KEYWORD}f")]
    assert sorted({*tokens_of(after)} - {*frequent}) == tokens_of(before)


def tokens_of(segment: Segment) -> list[str]:
    return [segment.vocabulary[number] for number in range(len(segment.vocabulary))]


# --- a corpus ------------------------------------------------------------------------------------------------


def test_dead_documents_are_in_no_answer_and_in_no_statistic() -> None:
    texts = ["dead clock", "live clock", "clock", "dead"]
    corpus = Corpus((segment_of(texts),), np.array([2, 1]), decoded)
    assert corpus.documents(np.arange(2)) == ["clock", "live clock"]
    assert numbers(corpus.holding(Term("clock"))) == [0, 1]
    assert numbers(corpus.holding(Term("dead"))) == []
    assert frequencies_in(corpus, "clock") == {0: 1, 1: 1}
    assert numbers(corpus.column("length")) == [1, 2]


def test_a_corpus_without_segments_is_empty() -> None:
    corpus = Corpus[str]((), np.empty(0, np.int64), decoded)
    assert len(corpus) == 0
    assert numbers(corpus.holding(Term("a"))) == numbers(corpus.with_keyword("a")) == []
    assert frequencies_in(corpus, "a") == {}
    assert numbers(corpus.column("key")) == numbers(corpus.with_keys(0, 1)) == []
    assert corpus.keywords("") == set()


def test_documents_stand_in_the_order_of_their_handles_not_of_their_segments() -> None:
    texts = [f"clock {number}" for number in range(40)]
    with laid_out([text_entry(text) for text in texts], Layout("several", seed=1)) as corpus:
        assert len(corpus.segments) > 1
        assert corpus.documents(corpus.holding(Term("clock"))) == texts


def test_entries_are_cut_into_pieces_of_a_size() -> None:
    entries = [text_entry(str(number)) for number in range(7)]
    assert [len(piece) for piece in entries_in_chunks(entries, 3)] == [3, 3, 1]
    assert [entry for piece in entries_in_chunks(entries, 3) for entry in piece] == entries
    assert list(entries_in_chunks([], 3)) == []
