"""What a hover says. The texts come from anybody; in Markdown they may bring nothing but their words."""

from __future__ import annotations

import json
import string
from urllib.parse import unquote

import pytest
from hostile_markdown import HOSTILE, links_of, tokens_of, words_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sample_matches import lookup_of

from lsp_server.core.model import (
    Contract,
    ContractMatch,
    Fact,
    Page,
    Post,
    Problem,
)
from lsp_server.render import (
    EXCERPT_CHARACTERS,
    Markup,
    day,
    escape,
    excerpt,
    line_of,
    one_line,
    render_hover,
    render_incomplete,
)

MAX_LINES = 12


def fact(text: str, keeper: str = "tide") -> Fact:
    return Fact(text, "fact", None, "sha256:0", keeper, f"/s/{keeper}.memory-current.json")


def page(title: str, number: int = 1) -> Page:
    return Page(title, f"/s/docs/wiki/{number}.md", number)


def post(title: str, author: str = "tide", created_at: float = 1778296800.0) -> Post:
    return Post("p-1", title, None, author, created_at, 0, 0, "/s/.masc/board_posts.jsonl", 1)


def contract(title: str, index: int = 1, relevance: str = "weak") -> ContractMatch:
    return ContractMatch(
        wp_id="WP-ST-1",
        wp_title="",
        wp_state="SUCCESS",
        source="archive",
        unit_index=index,
        unit_title=title,
        unit_state="SUCCESS",
        contract=Contract("a", "b", "p"),
        result_summary=None,
        relevance=relevance,  # type: ignore[arg-type]
        tags=(),
        path="/s/.gem-squared/archive/WP-ST-1.md",
        line=7,
    )


# -- Markdown


@settings(max_examples=400)
@given(HOSTILE, HOSTILE)
@example("a_", "_b")
@example("&", "amp;")
@example("http:", "//evil.example")
def test_escaped_text_is_only_text_and_reads_the_same(one: str, other: str) -> None:
    text = one + other
    tokens = tokens_of(f"- memory: {escape(text)} · end")
    kinds = {token.type for token in tokens} - {
        "bullet_list_open",
        "bullet_list_close",
        "list_item_open",
        "list_item_close",
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
    }
    assert kinds == set()
    assert " ".join(words_of(tokens).split()) == " ".join(f"memory: {one_line(text)} · end".split())


@given(HOSTILE, st.sampled_from(["https://", "HTTP://", "ftp://", "www.", "WWW.", "a@"]))
def test_bare_addresses_become_no_links(text: str, start: str) -> None:
    assert f"{start}evil.example" not in escape(f"{text}{start}evil.example")


@settings(max_examples=200)
@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_a_hover_has_the_links_that_it_was_given_and_no_other(
    a: str, b: str, c: str, d: str, title: str
) -> None:
    lookup = lookup_of(fact(a + "x", d + "x"), page(b + "x"), post(c + "x", d), contract(a + b))
    text = render_hover(lookup, title + "x", "markdown")
    assert text is not None
    tokens = tokens_of(text)
    assert [link.split("/")[0] for link in links_of(tokens)] == ["file:"] * 4
    assert not {token.type for token in tokens} & {
        "html_inline",
        "html_block",
        "image",
        "em_open",
        "s_open",
        "table_open",
    }
    assert [token.type for token in tokens].count("strong_open") == 1
    assert len([token for token in tokens if token.type == "list_item_open"]) == 4
    assert len(text.split("\n")) <= MAX_LINES


@pytest.mark.parametrize(
    "plain",
    [
        "rotate_signing_key",
        "a -> b",
        "x | y",
        "v2.17",
        "R&D & more",
        "tide #4: done!",
        "90 % (mostly)",
        "1. item",
        "서명 키",
    ],
)
def test_ordinary_text_needs_no_backslash(plain: str) -> None:
    assert escape(plain) == plain


# -- One line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n b\t c ", "a b c"),
        ("a\r\nb\x0bc\x0cd\u2028e\u00a0f", "a b c d e f"),
        ("bell\x07 escape\x1b[31m nul\x00", "bell escape [31m nul"),
        ("user\u202e \u2066name\u2069", "user name"),
        ("", ""),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text(max_size=400), st.text(min_size=1, max_size=30))
def test_an_excerpt_is_a_part_of_bounded_length(text: str, query: str) -> None:
    cut = excerpt(text, query)
    assert len(cut) <= EXCERPT_CHARACTERS + len("… ") + len(" …")
    assert cut.removeprefix("… ").removesuffix(" …").strip() in one_line(text)


@given(
    st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=12), min_size=30, max_size=60), st.data()
)
def test_an_excerpt_shows_the_match(words: list[str], data: st.DataObject) -> None:
    words[data.draw(st.integers(0, len(words) - 1))] = "E4217"
    assert "E4217" in excerpt(" ".join(words), "e4217")


def test_an_excerpt_without_blanks_is_cut_anywhere() -> None:
    assert excerpt("x" * 100 + "E42" + "y" * 100, "e42") == f"… {'x' * 30}E42{'y' * 77} …"


def test_an_excerpt_of_a_text_without_the_query_is_its_beginning() -> None:
    assert excerpt("word " * 50, "E1") == f"{('word ' * 22).strip()} …"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1778296800.0, "2026-05-09"), (0, ""), (None, ""), (1e300, ""), (-1e300, ""), (1e16, "")],
)
def test_day(seconds: float | None, shown: str) -> None:
    assert day(seconds) == shown


# -- Lines and shares


def test_every_kind_is_one_line() -> None:
    lookup = lookup_of(fact("E1 is a fact."), page("E1 page"), post("E1 post"), contract("E1 unit"))
    assert render_hover(lookup, "E1", "plaintext") == (
        "Prior art: E1\n"
        "memory: E1 is a fact. (tide)\n"
        "wiki: E1 page (1.md:1)\n"
        "board: E1 post (tide, 2026-05-09)\n"
        "contract: WP-ST-1 unit 1 · E1 unit (archive, SUCCESS)"
    )


def test_a_contract_that_is_named_comes_first() -> None:
    text = render_hover(lookup_of(fact("E1"), contract("x", relevance="exact")), "E1", "plaintext")
    assert text is not None
    assert [line.split(":")[0] for line in text.split("\n")] == ["Prior art", "contract", "memory"]


@given(
    st.lists(st.integers(0, 12), min_size=4, max_size=4),
    st.sampled_from(["markdown", "plaintext"]),
    st.booleans(),
)
def test_lines_are_shared_out(counts: list[int], markup: str, troubled: bool) -> None:
    names = ("memory", "wiki", "board", "contract")
    facts, pages, posts, contracts = (range(1, count + 1) for count in counts)
    matches = (
        *(fact(f"E1 {number}") for number in facts),
        *(page(f"E1 {number}", number) for number in pages),
        *(post(f"E1 {number}") for number in posts),
        *(contract(f"E1 {number}", number) for number in contracts),
    )
    problems = (Problem("/s/a.json", "broken"),) if troubled else ()
    text = render_hover(lookup_of(*matches, problems=problems), "E1", markup)  # type: ignore[arg-type]
    if not matches:
        assert text is None
        return
    assert text is not None
    lines = [line.removeprefix("- ") for line in text.split("\n")]
    assert len(lines) <= MAX_LINES
    shown = [sum(line.startswith(f"{name}:") for line in lines) for name in names]
    assert sum(shown) == min(8, sum(counts))
    assert all(some >= min(count, 2) for some, count in zip(shown, counts, strict=True))
    rest = sum(counts) - sum(shown)
    assert (f"… {rest} more" in lines) is (rest > 0)
    assert lines[-1].startswith("⚠ memory incomplete: a.json: broken") is troubled


def test_nothing_found_is_said_only_where_something_could_not_be_read() -> None:
    assert render_incomplete(lookup_of(), "E1", "markdown") is None
    text = render_incomplete(lookup_of(problems=(Problem("/s/x_y.json", "no `JSON`"),)), "E1", "markdown")
    assert text == (
        "**Prior art** · `E1`\n- nothing found in what could be read\n\n"
        "⚠ memory incomplete: x_y.json: no \\`JSON\\`"
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a``b`", "``` a``b` ```"), ("a\nb", "`a b`"), ("|", "`|`")],
)
def test_the_label_shows_any_title_as_code(title: str, shown: str) -> None:
    text = render_hover(lookup_of(fact("E1")), title, "markdown")
    assert text is not None
    assert text.split("\n")[0] == f"**Prior art** · {shown}"
    (code,) = [token.content for token in tokens_of(text) if token.type == "code_inline"]
    assert code == one_line(title)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/s/a b.md", "file:///s/a%20b.md#L1"),
        ("/s/(v2) [x].md", "file:///s/%28v2%29%20%5Bx%5D.md#L1"),
        ("/s/한글.md", "file:///s/%ED%95%9C%EA%B8%80.md#L1"),
        ("/s/a#b?c%20.md", "file:///s/a%23b%3Fc%2520.md#L1"),
        ("/s/a<b>*_~`.md", "file:///s/a%3Cb%3E%2A_~%60.md#L1"),
    ],
)
def test_a_link_leads_to_its_file(path: str, uri: str) -> None:
    text = render_hover(lookup_of(Page("x", path, 1)), "E1", "markdown")
    assert text is not None
    assert links_of(tokens_of(text)) == [uri]


def test_a_line_tells_what_a_menu_needs() -> None:
    line = line_of(post("A post", author=""), "A")
    assert (line.source, line.text, line.note) == ("board", "A post", "2026-05-09")


# -- The link to all matches


URI = "file:///w/a%20b/(1)/%ED%82%A4.py"
MANY = tuple(page(f"E1 {number}", number) for number in range(1, 12))


@settings(max_examples=200, deadline=None)
@given(HOSTILE, HOSTILE)
@example('") [x](command:y)', "file:///w/x.py")
@example("](command:y)", "untitled:](command:y)")
@example("50%25.md", URI)
def test_the_last_line_links_to_all_matches_of_exactly_this_query(query: str, uri: str) -> None:
    text = render_hover(lookup_of(*MANY, query=query), "E1", "markdown", linked_from=uri)
    assert text is not None
    assert text.split("\n")[-1].startswith("- [… 3 more](command:priorArt.showAll?")
    tokens = tokens_of(text)
    *places, command = links_of(tokens)
    assert len(places) == 8
    assert all(place.startswith("file:///s/docs/wiki/") for place in places)
    name, arguments = command.split("?")
    assert name == "command:priorArt.showAll"
    # VS Code decodes twice.
    assert unquote(unquote(arguments)) == unquote(arguments)
    assert json.loads(unquote(arguments)) == [{"query": query, "uri": uri}]


@pytest.mark.parametrize(
    ("matches", "markup", "linked_from"),
    [(MANY, "markdown", None), (MANY, "plaintext", None), (MANY[:8], "markdown", URI)],
)
def test_no_command_is_linked_unasked(
    matches: tuple[Page, ...], markup: Markup, linked_from: str | None
) -> None:
    text = render_hover(lookup_of(*matches), "E1", markup, linked_from=linked_from)
    assert text is not None
    assert "command:" not in text
    assert ("… 3 more" in text) is (len(matches) > 8)
