"""One answer out of those of several roots."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_server.core.merge import merge_knowledge_graph, merge_prior_art
from lsp_server.core.model import (
    Contract,
    ContractMatch,
    Fact,
    KnowledgeGraphAnswer,
    Page,
    Post,
    PriorArt,
    Problem,
    Relevance,
    SourceAnswer,
    Status,
)

ABSENT: SourceAnswer[Any] = SourceAnswer("absent")


def fact(text: str, root: str = "one") -> Fact:
    return Fact(text, "fact", None, f"sha256:{text}", "tide", f"/{root}/memory")


def page(name: str) -> Page:
    return Page(name, f"/{name}", 1)


def post(post_id: str, created_at: float, root: str = "one") -> Post:
    return Post(post_id, "title", None, "author", created_at, 0, 0, f"/{root}/board", 1)


def found(*matches: Any, status: Status = "complete", total: int | None = None) -> SourceAnswer[Any]:
    problems = () if status in ("complete", "absent") else (Problem(f"/{status}", "unreadable"),)
    return SourceAnswer(status, matches, len(matches) if total is None else total, problems)


def art(memory: Any = ABSENT, wiki: Any = ABSENT, board: Any = ABSENT) -> PriorArt:
    return PriorArt("q", memory, wiki, board)


def contract(wp_id: str, relevance: Relevance = "exact") -> ContractMatch:
    return ContractMatch(
        wp_id, "", "SUCCESS", "archive", 1, "", "SUCCESS", Contract("", "", ""), None, relevance, (), wp_id, 1
    )


def graph(
    *results: ContractMatch, status: Status = "complete", places: tuple[str, ...] = ()
) -> KnowledgeGraphAnswer:
    return KnowledgeGraphAnswer("slug", "now", "q", results, len(results), places, status)


def test_the_answer_of_one_root_stays_as_it_is() -> None:
    answer = art(found(fact("a"), total=9), found(page("p")), found(post("x", 1)))
    assert merge_prior_art([answer]) == answer
    assert merge_knowledge_graph([graph(contract("WP-1"))], 5) == graph(contract("WP-1"))


def test_facts_and_pages_of_the_first_root_come_first() -> None:
    merged = merge_prior_art(
        [art(found(fact("b")), found(page("b"))), art(found(fact("a")), found(page("a")))]
    )
    assert [match.text for match in merged.memory.matches] == ["b", "a"]
    assert [match.title for match in merged.wiki.matches] == ["b", "a"]


def test_posts_of_all_roots_are_newest_first_with_ties_by_id() -> None:
    merged = merge_prior_art([art(board=found(post("z", 5), post("old", 1))), art(board=found(post("a", 5)))])
    assert [match.id for match in merged.board.matches] == ["a", "z", "old"]


def test_the_limits_hold_for_all_roots_together() -> None:
    def full(name: str) -> PriorArt:
        return art(
            found(*(fact(f"{name}{n}") for n in range(5)), total=20),
            found(*(page(f"{name}{n}") for n in range(20))),
            found(*(post(f"{name}{n}", n) for n in range(10)), total=20),
        )

    merged = merge_prior_art([full("a"), full("b")])
    assert [len(each.matches) for each in (merged.memory, merged.wiki, merged.board)] == [5, 40, 10]
    assert [each.total_count for each in (merged.memory, merged.wiki, merged.board)] == [40, 40, 40]
    assert {match.id[0] for match in merged.board.matches} == {"a", "b"}


def test_a_claim_that_several_roots_know_is_told_once() -> None:
    merged = merge_prior_art([art(found(fact("a"))), art(found(fact("a", "two"), fact("b", "two")))])
    assert [(match.text, match.path) for match in merged.memory.matches] == [
        ("a", "/one/memory"),
        ("b", "/two/memory"),
    ]
    assert merged.memory.total_count == 2


def test_a_store_that_several_roots_share_is_told_once() -> None:
    shared = art(
        found(fact("a"), total=30, status="incomplete"), found(page("p")), found(post("x", 1), total=30)
    )
    assert merge_prior_art([shared, shared, shared]) == shared
    results = graph(contract("WP-1"), places=("/plans",))
    assert merge_knowledge_graph([results, results], 5) == results


def test_boards_of_two_roots_may_use_the_same_id() -> None:
    merged = merge_prior_art([art(board=found(post("x", 1))), art(board=found(post("x", 1, "two")))])
    assert [match.path for match in merged.board.matches] == ["/one/board", "/two/board"]


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("complete", "absent", "complete"),
        ("absent", "absent", "absent"),
        ("complete", "failed", "incomplete"),
        ("incomplete", "complete", "incomplete"),
        ("failed", "failed", "failed"),
    ],
)
def test_each_root_still_reports_for_itself(first: Status, second: Status, merged: Status) -> None:
    answer = merge_prior_art([art(found(status=first)), art(found(status=second))]).memory
    assert answer.status == merged
    assert [problem.path for problem in answer.problems] == [
        f"/{status}" for status in dict.fromkeys((first, second)) if status in ("incomplete", "failed")
    ]
    assert merge_knowledge_graph([graph(status=first), graph(status=second)], 5).status == merged


def test_contracts_of_all_roots_are_in_one_order() -> None:
    first = graph(contract("WP-2"), contract("WP-1", "partial"), places=("/one",))
    second = graph(contract("WP-1"), contract("WP-0", "weak"), places=("/two",))
    merged = merge_knowledge_graph([first, second], 3)
    assert [(match.wp_id, match.relevance) for match in merged.results] == [
        ("WP-1", "exact"),
        ("WP-2", "exact"),
        ("WP-1", "partial"),
    ]
    assert (merged.total_count, merged.sources_searched) == (4, ("/one", "/two"))


def test_a_whole_query_match_of_any_root_stands_before_word_matches_of_all() -> None:
    words = [fact(f"only clock {number}") for number in range(5)]
    whole = fact("the clock drift was 90 s", "two")
    answers = [PriorArt(" clock drift ", found(*facts), ABSENT, ABSENT) for facts in (words, [whole])]
    merged = merge_prior_art(answers)
    assert [match.text for match in merged.memory.matches] == [
        whole.text,
        *(match.text for match in words[:4]),
    ]
    assert merged.memory.total_count == 6
