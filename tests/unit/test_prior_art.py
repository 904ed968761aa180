"""Every sentence of seeds/prior-art.md on what a lookup in memory, wiki and board answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexed import board_index, memory_index, wiki_index
from naive import naive_ranking

from lsp_server.core import SearchCore, composition
from lsp_server.core import search_board as board
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.matching import as_term, contains, fold
from lsp_server.core.model import (
    BoundFact,
    Comment,
    Fact,
    Listing,
    Post,
    PostRow,
    PriorArt,
    Problem,
    Reading,
    SourceAnswer,
    Status,
    WikiDocument,
)
from lsp_server.core.search_board import BoardIndex, count_posts, search_board
from lsp_server.core.search_memory import search_memory
from lsp_server.core.search_wiki import search_wiki
from lsp_server.core.source import Source, Sources, Verdict, Verify
from lsp_server.sources.memory import memory_id as id_of

Stored: TypeAlias = Fact | BoundFact | str
"""A text stands for an ordinary fact."""

NOW = 1_000.0
TROUBLE = Problem("broken", "unreadable")


def snapshot(index: Any, status: Status = "complete", problems: tuple[Problem, ...] = ()) -> Snapshot[Any]:
    return Snapshot(
        index=index,
        status=status,
        problems=problems,
        fingerprints={},
        locations=("here",),
        read_bytes=0,
        unread_bytes=0,
        is_complete=True,
    )


# --- memory ----------------------------------------------------------------------------------------------


def fact(text: str, memory_id: str | None = None, keeper: str = "tide") -> Fact:
    return Fact(text, "fact", None, memory_id or id_of(text), keeper, f"{keeper}.memory-current.json")


def bound(text: str, source_path: str = "deploy.sh", memory_id: str | None = None) -> BoundFact:
    return BoundFact(fact(text, memory_id), source_path, "0" * 64)


def always(verdict: Verdict) -> Callable[[BoundFact], Verdict]:
    return lambda _: verdict


VERIFIED = always("verified")


def each(verify: Callable[[BoundFact], Verdict]) -> Verify:
    return lambda bounds: {bound: verify(bound) for bound in bounds}


def search(
    documents: Sequence[Stored],
    query: str,
    verify: Callable[[BoundFact], Verdict] = VERIFIED,
    limit: int = composition.LIMITS.memory,
    **of_store: Any,
) -> SourceAnswer[Fact]:
    facts = [fact(item) if isinstance(item, str) else item for item in documents]

    return search_memory(snapshot(memory_index(facts), **of_store), query, limit, each(verify))


def claims(answer: SourceAnswer[Fact]) -> list[str]:
    return [match.text for match in answer.matches]


def test_whole_query_matches_come_first_in_stored_order_then_terms() -> None:
    stored = ["alpha only", "prefix alpha beta suffix", "alpha beta newer"]
    answer = search(stored, "alpha beta")
    assert claims(answer) == ["prefix alpha beta suffix", "alpha beta newer", "alpha only"]
    assert (answer.status, answer.total_count) == ("complete", 3)


def test_whole_query_matches_are_not_ranked() -> None:
    stored = ["the long story of how alpha beta came to be", "alpha beta", "alpha beta alpha beta"]
    assert claims(search(stored, "Alpha BETA")) == stored


def test_terms_are_ranked_by_bm25() -> None:
    stored = ["alpha x", "alpha y", "alpha z", "beta and more words here", "none"]
    assert claims(search(stored, "beta, alpha")) == ["alpha x", "alpha y", "alpha z"]
    assert claims(search(stored, "alpha beta"))[0] == "beta and more words here"


def test_a_whole_query_match_is_not_repeated_as_a_term_match() -> None:
    assert claims(search(["alpha beta", "beta"], "alpha beta")) == ["alpha beta", "beta"]


def test_up_to_five_facts_are_returned_and_all_are_counted() -> None:
    answer = search([f"alpha {n}" for n in range(9)], "alpha")
    assert claims(answer) == [f"alpha {n}" for n in range(5)]
    assert answer.total_count == 9


def test_term_matches_fill_what_whole_query_matches_leave_of_the_limit() -> None:
    stored = ["beta 1", "beta 2", *(f"alpha beta {n}" for n in range(4))]
    assert claims(search(stored, "alpha beta")) == [*(f"alpha beta {n}" for n in range(4)), "beta 1"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("PR", ["a PR", "pr_list", "PR merged"]),
        ("PR merged", ["PR merged", "unmerged", "pr_list", "a PR"]),
        ("R", []),
        ("deprecated", ["deprecated"]),
        ("prec", ["deprecated"]),
    ],
)
def test_short_terms_need_boundaries_as_the_whole_query_too(query: str, expected: list[str]) -> None:
    stored = ["deprecated", "SPR PRs", "a PR", "pr_list", "PR merged", "unmerged"]
    assert claims(search(stored, query)) == expected


def test_a_korean_term_of_two_characters_is_a_substring() -> None:
    assert claims(search(["배포서버가 죽었다", "서 버"], "서버")) == ["배포서버가 죽었다"]


def test_no_match_in_readable_facts_is_complete_and_empty() -> None:
    assert search(["alpha"], "gamma") == SourceAnswer("complete")
    assert search([], "gamma") == SourceAnswer("complete")


def test_line_ends_in_a_claim_are_those_of_the_query() -> None:
    """JSON keeps line ends as they were written."""
    assert claims(search(["first\r\nsecond", "second"], "first\nsecond")) == ["first\r\nsecond", "second"]
    assert claims(search(["first\nsecond", "second"], "first\r\nsecond")) == ["first\nsecond", "second"]


def test_ordinary_facts_stand_before_source_bound_ones_in_each_tier() -> None:
    stored: list[Stored] = [bound("alpha bound"), bound("alpha beta bound"), "alpha", "alpha beta"]
    assert claims(search(stored, "alpha beta")) == ["alpha beta", "alpha beta bound", "alpha", "alpha bound"]


def test_source_bound_facts_have_statistics_of_their_own() -> None:
    # Among all facts `beta` is the rarer term, among the source-bound ones `alpha` is.
    stored: list[Stored] = ["alpha a", "alpha b", "alpha c"]
    stored += [bound("beta x"), bound("beta y"), bound("alpha z")]
    assert claims(search(stored, "alpha beta", limit=9))[3:] == ["alpha z", "beta x", "beta y"]


def test_the_same_claim_of_several_keepers_is_told_once_by_the_first() -> None:
    stored: list[Stored] = [
        fact("alpha", keeper="a"),
        fact("alpha", keeper="b"),
        bound("alpha"),
        fact("alpha 2", keeper="b"),
    ]
    answer = search(stored, "alpha")
    assert [(match.text, match.keeper) for match in answer.matches] == [("alpha", "a"), ("alpha 2", "b")]
    assert answer.total_count == 2


def test_a_repeated_claim_does_not_use_up_the_limit() -> None:
    stored = [*(fact("alpha", keeper=f"k{n}") for n in range(5)), fact("alpha last")]
    assert claims(search(stored, "alpha")) == ["alpha", "alpha last"]


def test_a_verified_fact_is_shown() -> None:
    answer = search([bound("alpha")], "alpha", always("verified"))
    assert (claims(answer), answer.status, answer.problems) == (["alpha"], "complete", ())


def test_an_invalidated_fact_is_not_current_and_that_is_no_problem() -> None:
    assert search([bound("alpha")], "alpha", always("invalidated")) == SourceAnswer("complete")


def test_an_unverified_match_is_withheld_and_the_answer_incomplete() -> None:
    answer = search([bound("alpha secret", "src/run.sh")], "alpha", always("unverified"))
    assert (claims(answer), answer.status, answer.total_count) == ([], "incomplete", 0)
    assert "source_verification" in answer.problems[0].reason
    assert "src/run.sh" in answer.problems[0].reason
    assert "secret" not in answer.problems[0].reason, "no claim body is supplied"


def test_only_facts_that_match_are_verified() -> None:
    asked: list[str] = []

    def verify(bound: BoundFact) -> Verdict:
        asked.append(bound.fact.text)
        return "unverified"

    answer = search([bound("beta"), bound("gamma"), "alpha"], "alpha", verify)
    assert (asked, answer.status) == ([], "complete")
    answer = search([bound("beta"), bound("gamma"), bound("beta alpha"), "alpha"], "alpha beta", verify)
    assert (sorted(asked), answer.status) == (["beta", "beta alpha"], "incomplete")


def test_each_source_bound_fact_has_its_own_verdict() -> None:
    verdicts: dict[str, Verdict] = {"a": "verified", "b": "invalidated", "c": "unverified", "d": "verified"}
    stored = [bound(f"alpha {name}", name) for name in verdicts]
    answer = search(stored, "alpha", lambda bound: verdicts[bound.source_path])
    assert (claims(answer), answer.status, len(answer.problems)) == (["alpha a", "alpha d"], "incomplete", 1)


def test_problems_of_the_store_are_passed_on_beside_matches() -> None:
    answer = search(["alpha"], "alpha", status="incomplete", problems=(TROUBLE,))
    assert (claims(answer), answer.status, answer.problems) == (["alpha"], "incomplete", (TROUBLE,))


@pytest.mark.parametrize("status", ["failed", "absent", "incomplete"])
def test_withheld_facts_do_not_improve_the_status(status: Status) -> None:
    assert search([bound("alpha")], "alpha", always("unverified"), status=status).status == status


memory_words = st.sampled_from(["alpha", "Beta", "PR", "prs", "a", "서버", "서버를", "ß", "-"])
memory_texts = st.lists(memory_words, min_size=1, max_size=5).map(" ".join)
verdicts_by_path = st.sampled_from(["verified", "invalidated", "unverified"])
memory_documents = st.lists(
    st.one_of(memory_texts.map(fact), st.builds(bound, memory_texts, source_path=verdicts_by_path)),
    max_size=8,
)


def naive_memory(documents: Sequence[Fact | BoundFact], query: str) -> tuple[list[str], bool]:
    """Ids in order, and whether a match was withheld; says in one place what `search_memory` has to do."""
    tiers: list[list[tuple[Fact, str]]] = [[], [], [], []]
    for offset, kind in enumerate((Fact, BoundFact)):
        facts = [
            (item, "verified") if isinstance(item, Fact) else (item.fact, item.source_path)
            for item in documents
            if isinstance(item, kind)
        ]
        whole = [contains(fold(each.text), as_term(query)) for each, _ in facts]
        tiers[offset] = [pair for pair, is_whole in zip(facts, whole, strict=True) if is_whole]
        order = naive_ranking([each.text for each, _ in facts], query)
        tiers[2 + offset] = [facts[n] for n in order if not whole[n]]
    found = [pair for tier in tiers for pair in tier]
    ids = dict.fromkeys(each.memory_id for each, verdict in found if verdict == "verified")
    return list(ids), any(verdict == "unverified" for _, verdict in found)


@settings(max_examples=200, deadline=None)
@given(memory_documents, st.one_of(memory_texts, memory_texts.map(lambda text: f" {text} "), memory_words))
def test_memory_answers_as_the_naive_reference(documents: list[Fact | BoundFact], query: str) -> None:
    def verify(bound: BoundFact) -> Verdict:
        return bound.source_path  # type: ignore[return-value]

    ids, withheld = naive_memory(documents, query)
    answer = search(documents, query, verify)
    assert [match.memory_id for match in answer.matches] == ids[:5]
    assert answer.total_count == len(ids)
    assert answer.status == ("incomplete" if withheld else "complete")


# --- wiki ------------------------------------------------------------------------------------------------


def search_pages(texts: Sequence[str], query: str) -> list[tuple[str, int]]:
    pages = [WikiDocument(f"Title {n}", (), f"{n}.md", text) for n, text in enumerate(texts)]
    answer = search_wiki(snapshot(wiki_index(pages)), query, composition.LIMITS.wiki)
    assert answer.total_count == len(answer.matches)
    return [(page.path, page.line) for page in answer.matches]


@pytest.mark.parametrize(
    ("text", "query", "line"),
    [
        ("one\ntwo E0308\nthree e0308", "e0308", 2),
        ("---\ntitle: Deploy\ntags: [ops]\n---\n\nbody", "TITLE: dep", 2),
        ("deprecated", "PR", 1),  # no word boundaries here
        ("a\nStraße\nb", "STRASSE", 2),
        ("ﬁ\nﬁ\nlast", "last", 3),
        ("e\u0301\u0301\n서버\n", "서버", 2),
        ("one\ntwo\nthree", "two\nthree", 2),
        ("one\r\ntwo\r\nthree", "three", 3),
        ("one two", "one two", 1),
    ],
)
def test_a_page_is_found_by_its_whole_text_with_the_line(text: str, query: str, line: int) -> None:
    assert search_pages(["nothing", text], query) == [("1.md", line)]


def test_terms_of_a_query_do_not_find_pages() -> None:
    assert search_pages(["alpha only", "beta alpha", "alpha\nbeta"], "alpha beta") == []


def test_every_matching_page_is_returned_in_stored_order() -> None:
    assert search_pages(["x"] * 30, "X") == [(f"{n}.md", 1) for n in range(30)]


def test_a_title_that_stands_not_in_the_text_is_not_searched() -> None:
    assert search_pages(["text"], "Title 0") == []


def test_a_page_with_bytes_that_could_not_be_read_leaves_the_answer_incomplete() -> None:
    answer = search_wiki(snapshot(wiki_index([]), "incomplete", (TROUBLE,)), "x", None)
    assert answer == SourceAnswer("incomplete", problems=(TROUBLE,))


# --- board -----------------------------------------------------------------------------------------------


def post(post_id: str, title: str = "alpha", created_at: float = 1.0, **more: Any) -> PostRow:
    values = {"hearth": None, "author": "keeper", "score": 0, "reply_count": 99, "path": "posts", "line": 1}
    body, expires_at = more.pop("body", ""), more.pop("expires_at", 0.0)
    return PostRow(Post(post_id, title, created_at=created_at, **{**values, **more}), body, expires_at)


def comment(comment_id: str, post_id: str, expires_at: float = 0.0) -> Comment:
    return Comment(comment_id, post_id, expires_at)


def search_posts(
    rows: Sequence[PostRow | Comment], query: str = "alpha", limit: int = 10
) -> SourceAnswer[Post]:
    return search_board(snapshot(board_index(rows)), query, limit, NOW)


def ids(answer: SourceAnswer[Post]) -> list[str]:
    return [match.id for match in answer.matches]


def test_posts_come_newest_first_and_ties_by_id() -> None:
    rows = [
        post("old", created_at=1),
        post("b", created_at=5),
        post("new", created_at=9),
        post("a", created_at=5),
    ]
    assert ids(search_posts(rows)) == ["new", "a", "b", "old"]


def test_up_to_ten_posts_are_returned_and_all_are_counted() -> None:
    answer = search_posts([post(f"p{n:02}", created_at=n) for n in range(12)])
    assert ids(answer) == [f"p{n:02}" for n in range(11, 1, -1)]
    assert answer.total_count == 12


@pytest.mark.parametrize("field", ["title", "body", "author", "hearth"])
def test_title_body_author_and_hearth_are_searched(field: str) -> None:
    texts: dict[str, Any] = {"title": "nothing", field: "so deprecated here"}
    assert ids(search_posts([post("p", **texts)], "PREC")) == ["p"]


def test_ids_comments_and_places_are_not_searched() -> None:
    rows: list[PostRow | Comment] = [post("needle", "title", path="needle"), comment("needle", "needle")]
    assert ids(search_posts(rows, "needle")) == []


def test_a_query_does_not_span_fields() -> None:
    row = post("p", "alpha", body="beta", author="gamma", hearth="delta")
    for query in ("alphabeta", "alpha beta", "alpha\nbeta", "betagamma", "gamma\ndelta"):
        assert ids(search_posts([row], query)) == []


def test_line_ends_in_a_body_are_those_of_the_query() -> None:
    assert ids(search_posts([post("p", body="one\r\ntwo")], "one\ntwo")) == ["p"]


def test_the_last_line_of_an_id_wins() -> None:
    rows = [post("p", "alpha old", 5), post("q", "alpha", 3), post("p", "alpha new", 1)]
    assert [match.title for match in search_posts(rows).matches] == ["alpha", "alpha new"]
    assert ids(search_posts([post("p", "alpha"), post("p", "beta")])) == []
    assert search_posts([post("p", "alpha"), post("p", "alpha")]).total_count == 1, (
        "even where both are equal"
    )


def test_an_expired_line_does_not_hide_an_earlier_live_one() -> None:
    rows = [post("p", "alpha old"), post("p", "alpha live"), post("p", "beta", expires_at=NOW - 1)]
    assert [match.title for match in search_posts(rows).matches] == ["alpha live"]


@pytest.mark.parametrize(
    ("expires_at", "is_live"), [(0.0, True), (NOW + 0.5, True), (NOW, False), (NOW - 1, False), (-1.0, False)]
)
def test_a_post_lives_until_it_expires(expires_at: float, is_live: bool) -> None:
    rows = [post("p", expires_at=expires_at)]
    assert (ids(search_posts(rows)) == ["p"]) is is_live
    assert count_posts(board_index(rows), NOW) == is_live


def test_a_post_expires_while_nothing_is_read_again() -> None:
    board = snapshot(board_index([post("p", expires_at=NOW + 1)]))
    assert len(search_board(board, "alpha", 10, NOW).matches) == 1
    assert len(search_board(board, "alpha", 10, NOW + 1).matches) == 0


def test_replies_are_counted_from_the_live_comments() -> None:
    rows: list[PostRow | Comment] = [
        post("p"),
        post("q", "alpha q", 0.5),
        comment("c1", "p"),
        comment("c1", "p"),  # written again
        comment("c2", "p", NOW + 1),
        comment("c3", "p", NOW - 1),
        comment("c4", "p"),
        comment("c4", "p", NOW - 1),  # an expired line does not evict an earlier live one
        comment("c5", "elsewhere"),
    ]
    assert [(match.id, match.reply_count) for match in search_posts(rows).matches] == [("p", 3), ("q", 0)]


def test_many_versions_of_one_post_cost_no_more_than_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    is_live, looked_at = board._is_live, []

    def counted(index: BoardIndex, positions: Numbers, now: float) -> Numbers:
        looked_at.extend(positions)
        return is_live(index, positions, now)

    monkeypatch.setattr(board, "_is_live", counted)
    rows = [post(f"p{n % 2}", f"alpha {n}", line=n) for n in range(1000)]
    assert [match.title for match in search_posts(rows).matches] == ["alpha 998", "alpha 999"]
    assert len(looked_at) <= 2 * len(rows)


# --- the three together ----------------------------------------------------------------------------------


def no_files() -> Listing:
    return Listing()


def raises(*_: object) -> NoReturn:
    raise RuntimeError("the disk is on fire")


def reads(*documents: Any) -> dict[str, Any]:
    """A store of one file that holds the documents."""
    here = Path(__file__)
    return {"list_files": lambda: Listing((here,), (str(here),)), "read_file": lambda _: Reading(documents)}


def look_up(
    query: str = "alpha", verify: Callable[[BoundFact], Verdict] = VERIFIED, **stores: Any
) -> PriorArt:
    absent = {"list_files": no_files, "read_file": raises}
    sources = Sources(
        **{
            name: Source(name, **stores.get(name, absent))
            for name in ("memory", "wiki", "board", "contracts", "knowledge")
        },
        verify=each(verify),
        read_revision=lambda _item, _revision: Reading(),
    )
    core = SearchCore(Path(), sources)
    core.refresh()
    return core.prior_art(query)


GOOD: dict[str, Any] = {
    "memory": reads(fact("alpha")),
    "wiki": reads(WikiDocument("Alpha", (), "alpha.md", "alpha")),
    "board": reads(post("p")),
}


def statuses(answer: PriorArt) -> tuple[Status, Status, Status, Status]:
    return answer.memory.status, answer.wiki.status, answer.board.status, answer.status


@pytest.mark.parametrize("fails", ["memory", "wiki", "board"])
@pytest.mark.parametrize("where", ["list_files", "read_file"])
def test_a_source_that_raises_fails_alone(fails: str, where: str) -> None:
    answer = look_up(**{**GOOD, fails: {**GOOD[fails], where: raises}})
    for name in ("memory", "wiki", "board"):
        source = getattr(answer, name)
        assert source.status == ("failed" if name == fails else "complete")
        assert len(source.matches) == (name != fails)
    assert "the disk is on fire" in getattr(answer, fails).problems[0].reason
    assert answer.status == "incomplete"


def test_a_verification_that_raises_fails_memory_alone() -> None:
    answer = look_up(verify=raises, **{**GOOD, "memory": reads(bound("alpha"))})
    assert statuses(answer) == ("failed", "complete", "complete", "incomplete")
    assert answer.found


def test_sources_that_do_not_exist_have_no_say() -> None:
    assert statuses(look_up()) == ("absent", "absent", "absent", "absent")
    assert statuses(look_up(wiki=GOOD["wiki"])) == ("absent", "complete", "absent", "complete")


@pytest.mark.parametrize(
    ("memory", "wiki", "board", "overall"),
    [
        ("complete", "complete", "complete", "complete"),
        ("complete", "absent", "absent", "complete"),
        ("absent", "absent", "absent", "absent"),
        ("failed", "absent", "failed", "failed"),
        ("failed", "failed", "failed", "failed"),
        ("failed", "complete", "absent", "incomplete"),
        ("incomplete", "complete", "complete", "incomplete"),
        ("incomplete", "failed", "absent", "incomplete"),
    ],
)
def test_the_status_of_the_whole(memory: Status, wiki: Status, board: Status, overall: Status) -> None:
    answer = PriorArt("q", SourceAnswer(memory), SourceAnswer(wiki), SourceAnswer(board))
    assert answer.status == overall
    assert not answer.found


def test_the_limits_are_those_of_the_composition() -> None:
    answer = look_up(
        memory=reads(*(fact(f"alpha {n}") for n in range(20))),
        wiki=reads(*(WikiDocument("", (), f"{n}.md", "alpha") for n in range(20))),
        board=reads(*(post(f"p{n}") for n in range(20))),
    )
    assert [len(source.matches) for source in (answer.memory, answer.wiki, answer.board)] == [5, 20, 10]
    assert [source.total_count for source in (answer.memory, answer.wiki, answer.board)] == [20, 20, 20]
