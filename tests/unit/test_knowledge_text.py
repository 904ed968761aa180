"""What passages are compared by, how an item is cut into them, and what is shown of one."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knowledge_items import item, knowledge_index

from lsp_server.core.knowledge.index import (
    EMBEDDED_TITLE_CHARACTERS,
    KnowledgePassage,
    knowledge_entries,
    passage_at,
    read_knowledge_record,
    text_to_embed,
)
from lsp_server.core.knowledge.passages import LONGEST_PASSAGE, passages_of
from lsp_server.core.knowledge.tokens import tokens_of
from lsp_server.core.matching import fold
from lsp_server.core.search_kg import STOP_WORDS
from lsp_server.core.search_knowledge import EXCERPT_CHARACTERS, excerpt_of

LINE_END = re.compile(r"\r\n|\r|\n")
TEXTS = st.text(
    st.one_of(
        st.sampled_from("aZ9 \n\r\t_-./:#한글서버ßİ😀é\u0301\u3000\u00a0"),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)

# Tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("rotateSigningKey", "rotatesigningkey rotate signing key"),
        ("RotateSigningKey()", "rotatesigningkey rotate signing key"),
        ("rotate_signing_key", "rotate_signing_key rotate signing key"),
        ("ROTATE_SIGNING_KEY", "rotate_signing_key rotate signing key"),
        ("HTTPServer", "httpserver http server"),
        ("parseHTTP2Frame", "parsehttp2frame parse http 2 frame"),
        ("E4217", "e4217 e 4217"),
        ("E-217", "e 217 e-217"),
        ("deploy.sh", "deploy sh deploy.sh"),
        ("scripts/deploy.sh", "scripts deploy sh scripts/deploy.sh"),
        ("/usr/bin/env", "usr bin env usr/bin/env"),
        ("std::sort", "std sort"),
        ("v1.2", "v1 v 1 2 v1.2"),
        ("key-value_store.py", "key value_store value store py key-value_store.py"),
        # What emphasises or hides a name is no part of it.
        ("_gateway_", "gateway"),
        ("__init__", "init"),
        ("_rotate_key", "rotate_key rotate key"),
        ("**gateway**, `lease`.", "gateway lease"),
        ("_ __ ___", ""),
        # Function words.
        ("How do I restart the gateway?", "restart gateway"),
        ("THE", ""),
        ("what is it", ""),
        # Hangul and other scripts without blanks between words.
        ("배포를", "배포 포를"),
        ("배포", "배포"),
        ("키", "키"),
        ("서명 키", "서명 키"),
        ("만료되었습니다", "만료 료되 되었 었습 습니 니다"),
        ("서버error", "서버 error"),
        ("error서버", "error 서버"),
        ("서버_로그", "서버 로그"),
        ("E4217오류", "e4217 e 4217 오류"),
        ("東京都", "東京 京都"),
        ("サーバー", "サー ーバ バー"),
        # Compatibility forms.
        ("Ｅ４２１７", "e4217 e 4217"),
        ("ｻｰﾊﾞｰ", "サー ーバ バー"),
        ("ﬁle", "file"),
        # Letters beyond ASCII part no word.
        ("Überprüfung", "überprüfung"),
        ("café", "café"),
        ("Straße", "strasse"),
        ("ключДоступа", "ключдоступа"),
        ("größeÄndern2", "grösseändern2 grösseändern 2"),
        # Nothing to compare by.
        ("", ""),
        (" \n\t", ""),
        ("😀👩‍👩‍👧", ""),
        ("— … !? → ≠", ""),
    ],
)
def test_the_tokens_of(text: str, tokens: str) -> None:
    assert tokens_of(text) == tokens.split()


def test_repetitions_count() -> None:
    assert tokens_of("key key_file key") == ["key", "key_file", "key", "file", "key"]


@pytest.mark.parametrize("text", ["서버 오류", "café", "배포를 되돌리기", "각", "Å ｶﾞ", "서버error_Log.txt"])
def test_decomposed_text_has_the_same_tokens(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert tokens_of(forms[0]) == tokens_of(forms[1]) != []


@settings(deadline=None)
@given(TEXTS)
@example("ŉ ǰ ΐ ᾀ ẞ")
def test_tokens_are_what_the_index_keeps(text: str) -> None:
    """Each is one folded white-space token, so that it is found again as it is."""
    for token in tokens_of(text):
        assert fold(token) == token
        assert token.split() == [token]
        assert token not in STOP_WORDS
        assert token.strip("_.:/-") == token


@settings(deadline=None)
@given(TEXTS)
def test_case_and_form_do_not_count(text: str) -> None:
    assert tokens_of(unicodedata.normalize("NFD", text)) == tokens_of(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from("E-217 rotateKey deploy.sh 배포를 키 gateway サーバー".split()), min_size=1))
def test_a_text_has_the_tokens_of_its_words(words: list[str]) -> None:
    assert sorted(tokens_of(" ".join(words))) == sorted(token for word in words for token in tokens_of(word))


def test_long_runs_take_no_longer_than_short_ones() -> None:
    started = time.process_time()
    for run in ("a" * 200_000, "a_" * 100_000, "a." * 100_000, "." * 200_000, "_" * 200_000, "배" * 200_000):
        tokens_of(run)
    assert time.process_time() - started < 5  # One that is gone through again and again takes a minute.


# Passages


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\r\r", " ", "  ", "\t", "\n \n", "\u3000"]
            ),
            st.sampled_from(
                ["# Head", "## 절차", "#no", "word", "word " * 40, "x" * 501, "배포 " * 130, "😀"]
            ),
            TEXTS,
        ),
        max_size=12,
    )
)
def test_passages_are_the_text_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    behind = 0
    for passage in passages_of(text):
        assert text[passage.start : passage.start + len(passage.text)] == passage.text
        assert not text[behind : passage.start].strip()
        assert passage.text.strip() == passage.text
        assert 0 < len(passage.text) <= LONGEST_PASSAGE
        behind = passage.start + len(passage.text)
    assert not text[behind:].strip()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_paragraphs_below_one_heading_are_one_passage(end: str) -> None:
    text = "# One\n\nfirst\nline\n\nsecond\n\n## Two\n\nthird\n".replace("\n", end)
    assert [passage.text for passage in passages_of(text)] == [
        "# One\n\nfirst\nline\n\nsecond".replace("\n", end),
        "## Two\n\nthird".replace("\n", end),
    ]


def test_paragraphs_that_together_are_too_long_are_parted() -> None:
    words = "word " * 59 + "last."
    assert len(words) == 300
    assert [len(passage.text) for passage in passages_of(f"{words}\n\n{words}\n\nshort")] == [300, 307]


@pytest.mark.parametrize(("length", "count"), [(99, 1), (100, 1), (101, 2)])
def test_a_passage_may_be_as_long_as_the_limit(length: int, count: int) -> None:
    text = "x" * 398 + "\n\n" + "y" * length
    assert len(passages_of(text)) == count


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_heading_begins_a_passage_only_behind_a_blank_line(end: str) -> None:
    text = "one\n# two\n \n# three".replace("\n", end)
    assert [passage.text for passage in passages_of(text)] == [f"one{end}# two", "# three"]


def test_a_long_paragraph_is_cut_at_blanks() -> None:
    passages = passages_of("word " * 300)
    assert [len(passage.text) for passage in passages] == [499, 499, 499]
    assert {word for passage in passages for word in passage.text.split()} == {"word"}


def test_a_text_without_blanks_is_cut_anywhere() -> None:
    assert [len(passage.text) for passage in passages_of("배" * 1201)] == [500, 500, 201]


@pytest.mark.parametrize("text", ["", " ", "\n\r\n \t\u3000"])
def test_blank_text_has_no_passage(text: str) -> None:
    assert passages_of(text) == []


def test_what_is_a_heading() -> None:
    passages = passages_of("a\n\n#b\n\n#\n\n####### c\n\n# d\n\n###### e\n\n#\tf")
    assert [passage.text for passage in passages] == ["a\n\n#b\n\n#\n\n####### c", "# d", "###### e", "#\tf"]


def test_long_texts_are_cut_as_fast_as_they_are_read() -> None:
    started = time.process_time()
    for text in ("word " * 800_000, "x" * 4_000_000, "word\n" * 800_000, "\n \t" * 1_000_000 + "x"):
        passages_of(text)
    assert time.process_time() - started < 10  # Gone through once for each cut they take minutes.


@settings(deadline=None)
@given(TEXTS, st.integers(1, 40))
@example("a\r\n\r\n# b\r\r# c\n", 3)
def test_a_passage_knows_its_line(text: str, body_line: int) -> None:
    entries = knowledge_entries([item("deploy", text, body_line=body_line)])
    head, *passages = [read_knowledge_record(entry.record) for entry in entries]
    assert head == item("deploy", "", body_line=body_line)
    assert passages == [
        KnowledgePassage(body_line + len(LINE_END.findall(text[: passage.start])), passage.text)
        for passage in passages_of(text)
    ]


def test_passages_belong_to_the_item_before_them() -> None:
    index = knowledge_index(
        [item("a", "one\n\n# two"), item("empty", ""), item("b", "three"), item("draft", "x", status="draft")]
    )
    found = [passage_at(index, position) for position in index.passages.tolist()]
    assert [(item.item_id, passage.line, passage.text) for item, passage in found] == [
        ("a", 1, "one"),
        ("a", 3, "# two"),
        ("b", 1, "three"),
    ]


def test_a_passage_is_embedded_below_its_title() -> None:
    assert text_to_embed(item(title="Deploy"), KnowledgePassage(1, "Slowly.")) == "Deploy\nSlowly."


def test_a_title_as_long_as_its_file_is_not_part_of_each_passage() -> None:
    title = "t" * 300_000
    started = time.process_time()
    entries = knowledge_entries(
        [item(text=f"# {title}\n\n" + "word " * 2_000, title=title, owner="o" * 60_000)]
    )
    assert time.process_time() - started < 10
    assert len(text_to_embed(item(title=title), KnowledgePassage(1, ""))) == EMBEDDED_TITLE_CHARACTERS + 1
    assert sum(len(entry.record) for entry in entries) < 1_200_000


# Excerpts


def test_a_short_passage_is_shown_whole() -> None:
    passage = "배포 " * 75
    assert excerpt_of(passage, "nothing of it") == passage


def test_of_a_long_passage_its_beginning_is_shown_where_no_word_is_in_it() -> None:
    passage = "word " * 99 + "last."
    assert excerpt_of(passage, "title") == passage[:299] + "…"


def test_an_excerpt_begins_a_little_before_a_word_of_the_query() -> None:
    passage = "before " * 40 + "Rotate the key " + "after " * 30
    excerpt = excerpt_of(passage + "after " * 20, "key")
    assert excerpt.startswith("…before before") and excerpt.endswith("…")
    assert 30 <= excerpt.index("key") <= 61
    assert len(excerpt) == EXCERPT_CHARACTERS


def test_an_excerpt_reaches_the_end_of_its_passage() -> None:
    for passage in ("x" * 490 + " e-9", "배" * 498 + " 키", "word " * 99 + "end"):
        excerpt = excerpt_of(passage, passage.split()[-1])
        assert excerpt.endswith(passage[-20:])
        assert excerpt.startswith("…")
        assert len(excerpt) <= EXCERPT_CHARACTERS


@pytest.mark.parametrize(
    ("word", "query"),
    [
        ("키", "키"),
        ("배포하기", "배포"),
        ("rotateSigningKey", "signing"),
        ("E-217", "e-217"),
        (unicodedata.normalize("NFD", "서버"), "서버"),
        ("ＧＡＴＥＷＡＹ", "gateway"),
        ("STRASSE", "straße"),
        ("Straße", "STRASSE"),
        ("_gateway_", "gateway"),
    ],
)
def test_an_excerpt_shows_the_word_however_it_is_written(word: str, query: str) -> None:
    # Words that only contain it stand before it.
    passage = "filler " * 50 + f"{word} " + "more " * 10
    assert word in excerpt_of(passage.strip(), query)


def test_a_word_that_merely_contains_the_one_that_is_looked_for_does_not_count() -> None:
    passage = "monkey " * 55 + "the key " + "more " * 10
    assert "the key" in excerpt_of(passage, "key")


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from("a monkey key 배포를 서명키 E-217 İstanbul 😀😀 e\u0301t deploy.sh".split()),
        min_size=1,
    ),
    st.sampled_from([" ", "\n", "\t", ""]),
    st.sampled_from("key 배포 서명 e-217 istanbul ét deploy missing".split()),
)
def test_excerpts_are_bounded_parts_that_show_a_word_of_the_query(
    words: list[str], blank: str, query: str
) -> None:
    passage = (blank.join(words * 40))[:LONGEST_PASSAGE].strip() or "x"
    excerpt = excerpt_of(passage, query)
    assert len(excerpt) <= EXCERPT_CHARACTERS
    shown = excerpt.removeprefix("…").removesuffix("…")
    assert shown in passage
    assert excerpt.startswith("…") or passage.startswith(shown)
    assert excerpt.endswith("…") or passage.endswith(shown)
    assert len(excerpt) >= min(len(passage), EXCERPT_CHARACTERS - 31)
    if blank and set(tokens_of(query)) & set(tokens_of(passage)):
        assert set(tokens_of(query)) & set(tokens_of(shown))
