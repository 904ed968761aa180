"""A page of matches or of stores. The texts come from anybody; they may bring nothing but their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hostile_markdown import HOSTILE, links_of, tokens_of, words_of
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token
from sample_matches import CONTRACT, lookup_of

from lsp_server.core.composition import ALL_SOURCES
from lsp_server.core.model import (
    CacheStatus,
    Contract,
    ContractMatch,
    CoreStatus,
    Fact,
    KnowledgeMatch,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceStatus,
)
from lsp_server.lookup import NO_CONTRACTS, AnyMatch, Lookup, place_of
from lsp_server.page import look_up_page, status_page
from lsp_server.paths import uri_of
from lsp_server.render import one_line

ROOT = Path("/w")
UNIT = replace(CONTRACT, relevance="weak")
ATTACK = st.one_of(
    HOSTILE,
    st.sampled_from(
        [
            "# heading",
            "#",
            "closed #",
            "- item",
            "+ item",
            "1. item",
            "1) item",
            "> quote",
            "---",
            "===",
            "a | b",
            ":-- | --",
            "|:-|",
            "    code",
            "\tcode",
            "ends in \\",
            "$x$ $$y$$",
            "~~~",
            "```",
            "a\n---\nb",
            "a | b\n:- | -\n1 | 2",
            "\u202e",
            "+",
            "1.",
            "[x]",
            "[ ] task",
        ]
    ),
)


def link_to(path: str, line: int | None) -> str:
    return uri_of(path, line).replace("(", "%28").replace(")", "%29")


def page_of(lookup: Lookup) -> str:
    return look_up_page(lookup, ALL_SOURCES, link_to, lambda _path: ROOT)


def matches_with(texts: Sequence[str]) -> tuple[AnyMatch, ...]:
    """One match of each source, in the order of a page, that is made of nothing but these texts."""
    a, b, c, d = texts
    return (
        Fact(a, b, None, "sha256:0", c, "/w/tide.memory-current.json"),
        Page(a, "/w/docs/wiki/(a) [b].md", 3),
        Post("p-1", a, c, b, 0.0, 0, 1, "/w/.masc/board_posts.jsonl", 4),
        replace(UNIT, wp_id=b, wp_title=c, unit_title=a, tags=(d,), contract=Contract(a, b, c)),
        KnowledgeMatch("deploy", b, c, a, d, "/w/.knowledge/runbooks/deploy.md", 5, excerpt=d),
    )


def shape(tokens: Sequence[Token]) -> list[str]:
    """The form of a page without its words."""
    plain = ("text", "inline", "code_inline", "softbreak", "fence")
    return [f"{token.type} {token.tag}" for token in tokens if token.type not in plain]


def visible(text: str) -> bool:
    return bool(one_line(text))


# -- Hostile texts


@settings(max_examples=500, deadline=None)
@given(st.lists(ATTACK.filter(visible), min_size=4, max_size=4), ATTACK.filter(visible))
@example(["x", "# x", "- x", "a | b\n:- | -"], "``")
@example(["x", "x", "1. x", "a\n\u202e\nb"], "x")
@example(["closed #", "closed #", "x", "x"], "x")
def test_texts_from_stores_bring_nothing_but_their_words(texts: list[str], query: str) -> None:
    problem = Problem("", texts[3])
    hostile = page_of(lookup_of(*matches_with(texts), query=query, problems=(problem,)))
    lines = [line for line in texts[3].splitlines() if visible(line)]
    plain = ["word"] * 3 + ["\n".join("word" for _ in lines)]
    harmless = page_of(
        lookup_of(*matches_with(plain), query="word", problems=(replace(problem, reason="word"),))
    )
    tokens = tokens_of(hostile)
    assert shape(tokens) == shape(tokens_of(harmless))
    assert links_of(tokens) == [link_to(*place_of(match)) for match in matches_with(texts)]
    shown = words_of(tokens)
    for text in (*texts[:3], *lines, query):
        assert one_line(text) in shown
    assert f"memory: {one_line(texts[3])}" in shown


@settings(max_examples=200, deadline=None)
@given(ATTACK, ATTACK, st.integers(0, 9).map(lambda count: "`" * count))
@example("```\n# out", "~~~", "````")
def test_a_contract_stands_in_its_fence_letter_by_letter(a: str, b: str, ticks: str) -> None:
    contract = Contract(*(text.replace("\r", "").replace("\0", "") for text in (a, f"{ticks}\n{b}", ticks)))
    match = replace(UNIT, contract=contract, result_summary=b.replace("\r", "").replace("\0", ""))
    tokens = tokens_of(page_of(lookup_of(match)))
    (fence,) = [token for token in tokens if token.type == "fence"]
    assert fence.info == "text"
    assert fence.content == (
        f"A: {contract.a or '—'}\nB: {contract.b or '—'}\nP: {contract.p or '—'}\n"
        f"Result: {match.result_summary or '—'}\nTags: refusing-rotation, checking-clock\n"
    )
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2", "h3"]


@settings(deadline=None)
@given(ATTACK, ATTACK)
def test_nothing_of_a_store_is_more_than_words_on_the_status_page(name: str, reason: str) -> None:
    assume(visible(name) and visible(reason) and "\0" not in name + reason)
    markdown = status_of(f"/w/{name}", (Problem("/w/x", reason), Problem("", reason)), reason)
    tokens = tokens_of(markdown)
    assert shape(tokens) == shape(tokens_of(status_of("/w/x", (Problem("/w/x", "x"), Problem("", "x")), "x")))
    assert links_of(tokens) == ["file:///w/x"]
    assert one_line(f"/w/{name}") in words_of(tokens)


def status_of(root: str, problems: tuple[Problem, ...], cache_problem: str | None) -> str:
    source = SourceStatus("memory", "incomplete", 1200, 3, (f"{root}/.masc",), problems)
    return status_page([CoreStatus(root, (source,), CacheStatus("/c", 0, cache_problem))], link_to)


# -- Every match, once

numbers = st.lists(st.integers(0, 12), min_size=4, max_size=4)


@settings(deadline=None)
@given(numbers)
def test_every_match_stands_once_and_leads_to_its_place(counts: list[int]) -> None:
    facts, pages, posts, contracts = (range(1, count + 1) for count in counts)
    matches: tuple[AnyMatch, ...] = (
        *(Fact(f"F{n}.", "fact", None, f"sha256:{n}", "tide", f"/w/{n}.json") for n in facts),
        *(Page(f"W{n}.", f"/w/docs/wiki/{n}.md", n) for n in pages),
        *(Post(f"p-{n}", f"B{n}.", None, "tide", 0.0, 0, 0, "/w/b.jsonl", n) for n in posts),
        *(replace(UNIT, unit_index=n, unit_title=f"C{n}.", line=n) for n in contracts),
    )
    tokens = tokens_of(page_of(lookup_of(*matches)))
    assert links_of(tokens) == [link_to(*place_of(match)) for match in matches]
    shown = words_of(tokens)
    for kind, of_kind in zip("FWBC", (facts, pages, posts, contracts), strict=True):
        assert all(shown.count(f"{kind}{number}.") == 1 for number in of_kind)
    headings = [
        f"{name} · {count}"
        for name, count in zip(("Memory", "Wiki", "Board", "Contracts"), counts, strict=True)
        if count
    ]
    assert second_headings(tokens) == headings


def second_headings(tokens: Sequence[Token]) -> list[str]:
    return [
        words_of(following.children or [])
        for token, following in pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]


def test_a_heading_says_how_many_are_not_shown() -> None:
    lookup = lookup_of(Page("E1 page", "/w/docs/wiki/e.md", 8))
    wiki = replace(lookup.prior_art.wiki, total_count=12)
    lookup = replace(lookup, prior_art=replace(lookup.prior_art, wiki=wiki))
    assert "\n## Wiki · 12, 1 shown\n" in page_of(lookup)


def test_a_page_word_for_word() -> None:
    matches: tuple[AnyMatch, ...] = (
        Fact("The clock_ is off.", "lesson", 1778297400.0, "sha256:0", "tide", "/w/x.json"),
        Page("Signing errors", "/elsewhere/e.md", 8),
        Post("p-1", "1. A post", "signing", "quay", 1778297400.0, -2, 1, "/w/b.jsonl", 4),
        replace(UNIT, source="live", wp_state="—", wp_title="A plan", contract=Contract("", "b\n\nc", "p")),
        KnowledgeMatch(
            "deploy", "runbooks", "0123456789abcdef", "Deploy", "wiki 7", "/w/d.md", 5, "# One\n\n- two"
        ),
    )
    assert page_of(lookup_of(*matches, problems=(Problem("/w/x.json", "broken"),))) == PAGE


PAGE = """\
# Prior art: `E1`

## Memory · 1

- The clock\\_ is off.\\
  tide · lesson · 2026-05-09 · [x.json](file:///w/x.json)

## Wiki · 1

- Signing errors\\
  [/elsewhere/e.md:8](file:///elsewhere/e.md#L8)

## Board · 1

- 1\\. A post\\
  quay · signing · 2026-05-09 · -2 · 1 reply · [b.jsonl:4](file:///w/b.jsonl#L4)

## Contracts · 1

### WP-ST-1 unit 2 · Refuse

live · weak · [.gem-squared/archive/WP-ST-1.md:7](file:///w/.gem-squared/archive/WP-ST-1.md#L7)

Plan: A plan

```text
A: —
B: b

c
P: p
Result: —
Tags: refusing-rotation, checking-clock
```

## Knowledge · 1

- Deploy\\
  runbooks · wiki 7 · revision 0123456789ab · [d.md:5](file:///w/d.md#L5)

  > \\# One
  > \\- two

## ⚠ Not everything could be searched

- memory: x.json: broken
"""


# -- What is not found, and what could not be read


def test_nothing_known_is_said_only_after_a_complete_search() -> None:
    assert page_of(lookup_of()) == (
        "# Prior art: `E1`\n\nnothing known about 'E1' in memory, wiki, board, contracts, knowledge\n"
    )
    assert page_of(lookup_of(problems=(Problem("/w/x.json", "broken"),))) == (
        "# Prior art: `E1`\n\nnothing found about 'E1', but not everything could be searched\n\n"
        "## ⚠ Not everything could be searched\n\n- memory: x.json: broken\n"
    )


def test_sources_without_a_match_are_named() -> None:
    lookup = lookup_of(Page("E1", "/w/e.md", 1))
    assert "\nNothing in: memory, board, contracts, knowledge\n" in page_of(lookup)


def test_without_any_store_nothing_is_said_about_the_query() -> None:
    absent: SourceAnswer[ContractMatch] = SourceAnswer("absent")
    lookup = Lookup("E1", PriorArt("E1", *[absent] * 3), NO_CONTRACTS)  # type: ignore[arg-type]
    assert page_of(lookup) == "# Prior art: `E1`\n\nthere is no store here to search\n"


def test_what_hides_no_match_is_a_note() -> None:
    note = Problem("/w/x.json", "withheld", hides_matches=False)
    assert "\n## Notes\n\n- memory: x.json: withheld\n" in page_of(lookup_of(problems=(note,)))


# -- The stores


def test_the_stores_word_for_word() -> None:
    absent = SourceStatus("wiki", "absent", 0, 0, (), ())
    memory = SourceStatus("memory", "incomplete", 1, 2, (), (Problem("/w/x.json", "broken"),))
    cache = CacheStatus("/c/prior`art", 2_000_000, "no space")
    assert status_page([CoreStatus("/w", (memory, absent), cache), CoreStatus("/", ())], link_to) == (
        "# Prior art: the stores\n\n## w\n\n`/w`\n\n"
        "- **Memory**: incomplete, 1 fact in 2 files\n"
        "  - ⚠ x.json: broken ([open](file:///w/x.json))\n"
        "- **Wiki**: absent\n"
        "- **Cache**: 2.0 MB in ``/c/prior`art``\n"
        "  - ⚠ no space; the stores are read again at every start\n\n"
        "## /\n\n`/`\n\n"
    )
    assert status_page([], link_to) == "# Prior art: the stores\n\nNo workspace is open.\n"


@pytest.mark.parametrize("cache", [None, CacheStatus("/c", 0, None)])
def test_a_cache_that_holds_nothing_is_not_mentioned(cache: CacheStatus | None) -> None:
    assert "Cache" not in status_page([CoreStatus("/w", (), cache)], link_to)
