from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lsp_server.core.model import (
    Contract,
    ContractMatch,
    CoreStatus,
    Fact,
    KnowledgeGraphAnswer,
    Page,
    Post,
    PriorArt,
    Problem,
    SourceAnswer,
    SourceName,
    SourceStatus,
    Status,
)
from lsp_server.report import MAX_PROBLEM_LINES, knowledge_graph_report, prior_art_report, status_report

BASE = Path("/ws")
ALL: tuple[SourceName, ...] = ("memory", "wiki", "board")
FACT = Fact("The clock\n is off.", "lesson", 1778297400.0, "sha256:0", "tide", "/ws/.masc/tide.json")
PAGE = Page("Clock errors", "/ws/docs/wiki/clock.md", 6)
POST = Post("p-1", "Nightly failed", "signing", "tide", 1795500000.0, 3, 1, "/ws/.masc/board_posts.jsonl", 4)
UNIT = ContractMatch(
    wp_id="WP-ST-1",
    wp_title="Rotate keys",
    wp_state="SUCCESS",
    source="archive",
    unit_index=2,
    unit_title="Sign",
    unit_state="SUCCESS",
    contract=Contract("a key", "{\n  new: key\n}", ""),
    result_summary=None,
    relevance="exact",
    tags=("signing-key", "rotating-key"),
    path="/ws/.gem-squared/archive/WP-ST-1.md",
    line=7,
)


def problems(count: int) -> tuple[Problem, ...]:
    return tuple(Problem(f"/ws/docs/wiki/{number}.md", "permission denied") for number in range(count))


def prior_art(
    memory: SourceAnswer[Fact] | None = None,
    wiki: SourceAnswer[Page] | None = None,
    board: SourceAnswer[Post] | None = None,
) -> PriorArt:
    return PriorArt(
        "E1",
        memory or SourceAnswer("absent"),
        wiki or SourceAnswer("absent"),
        board or SourceAnswer("absent"),
    )


def graph(
    results: Sequence[ContractMatch] = (),
    total: int | None = None,
    searched: tuple[str, ...] = ("/ws/.gem-squared/archive",),
    status: Status = "complete",
    found: tuple[Problem, ...] = (),
) -> KnowledgeGraphAnswer:
    total = len(results) if total is None else total
    return KnowledgeGraphAnswer("s", "now", "E1", tuple(results), total, searched, status, found)


# --- search -----------------------------------------------------------------------------------------------


def test_each_source_with_its_matches_in_one_line_and_a_place() -> None:
    answer = prior_art(
        SourceAnswer("complete", (FACT,), 1),
        SourceAnswer("complete", (PAGE, PAGE), 2),
        SourceAnswer("complete", (POST,), 12),
    )
    assert prior_art_report(answer, ALL, BASE).split("\n") == [
        "memory · 1 fact",
        "  The clock is off. (tide, lesson, 2026-05-09)",
        "      .masc/tide.json",
        "wiki · 2 pages",
        "  Clock errors",
        "      docs/wiki/clock.md:6",
        "  Clock errors",
        "      docs/wiki/clock.md:6",
        "board · 12 posts, 1 shown",
        "  p-1 · Nightly failed [signing] (by tide, 2026-11-24, +3, 1 reply)",
        "      .masc/board_posts.jsonl:4",
    ]


def test_paths_elsewhere_are_shown_whole() -> None:
    answer = prior_art(SourceAnswer("complete", (FACT,), 1))
    assert "      /ws/.masc/tide.json" in prior_art_report(answer, ("memory",), Path("/else")).replace(
        "\\", "/"
    )


def test_what_a_match_does_not_have_leaves_no_gap() -> None:
    fact = replace(FACT, first_seen=None, category="")
    assert "(tide)" in prior_art_report(prior_art(SourceAnswer("complete", (fact,), 1)), ALL, BASE)
    post = replace(POST, author="", hearth=None, created_at=0.0, score=0, reply_count=0)
    report = prior_art_report(prior_art(board=SourceAnswer("complete", (post,), 1)), ALL, BASE)
    assert "  p-1 · Nightly failed (+0, 0 replies)" in report
    report = prior_art_report(
        prior_art(board=SourceAnswer("complete", (replace(post, score=-2),), 1)), ALL, BASE
    )
    assert "(-2, 0 replies)" in report


@pytest.mark.parametrize("seconds", [1e300, -1e300, float("inf"), float("nan")])
def test_times_that_are_none_are_left_out(seconds: float) -> None:
    post = replace(POST, created_at=seconds)
    report = prior_art_report(prior_art(board=SourceAnswer("complete", (post,), 1)), ALL, BASE)
    assert "(by tide, +3, 1 reply)" in report


def test_nothing_known_is_only_said_of_what_was_searched() -> None:
    complete = prior_art(SourceAnswer("complete"), SourceAnswer("complete"))
    assert prior_art_report(complete, ("memory", "wiki"), BASE) == "nothing known about 'E1' in memory, wiki"
    assert prior_art_report(complete, ALL, BASE).split("\n") == [
        "nothing known about 'E1' in memory, wiki",
        "not searched, no such store here: board",
    ]


@pytest.mark.parametrize("status", ["incomplete", "failed"])
def test_nothing_known_is_never_said_while_something_is_missing(status: Status) -> None:
    answer = prior_art(SourceAnswer("complete"), SourceAnswer(status, problems=problems(1)))
    assert prior_art_report(answer, ALL, BASE).split("\n") == [
        "nothing found about 'E1', but not everything could be searched",
        "not searched, no such store here: board",
        f"⚠ wiki {status}: docs/wiki/0.md: permission denied",
    ]
    # Not even when nobody can say what is missing.
    answer = prior_art(SourceAnswer(status))
    assert "nothing known" not in prior_art_report(answer, ("memory",), BASE)


def test_matches_and_problems_stand_together() -> None:
    answer = prior_art(SourceAnswer("incomplete", (FACT,), 1, problems(1)))
    report = prior_art_report(answer, ("memory",), BASE)
    assert report.startswith("memory · 1 fact\n")
    assert report.endswith("\n⚠ memory incomplete: docs/wiki/0.md: permission denied")


def test_many_problems_are_counted() -> None:
    answer = prior_art(wiki=SourceAnswer("incomplete", problems=problems(MAX_PROBLEM_LINES + 40)))
    warnings = [line for line in prior_art_report(answer, ("wiki",), BASE).split("\n") if line[0] == "⚠"]
    assert len(warnings) == MAX_PROBLEM_LINES + 1
    assert warnings[-1] == "⚠ wiki incomplete: 40 more; see prior-art status"


def test_a_problem_without_a_place_and_of_several_lines() -> None:
    answer = prior_art(SourceAnswer("failed", problems=(Problem("", "the lookup\nfailed"),)))
    assert prior_art_report(answer, ("memory",), BASE).endswith("\n⚠ memory failed: the lookup failed")


# --- kg ---------------------------------------------------------------------------------------------------


def test_a_contract_is_shown_whole() -> None:
    assert knowledge_graph_report(graph([UNIT], 7), BASE).split("\n") == [
        "contracts · 7 unit-works, 1 shown",
        "  WP-ST-1 unit 2 · Sign (archive SUCCESS, exact)",
        "      .gem-squared/archive/WP-ST-1.md:7",
        "      Plan: Rotate keys",
        "      Tags: signing-key, rotating-key",
        "      A: a key",
        "      B: {",
        "           new: key",
        "         }",
        "      P: —",
        "      Result: —",
    ]


@pytest.mark.parametrize(
    ("plan", "unit", "words"),
    [
        ("SUCCESS", "SUCCESS", "(archive SUCCESS, exact)"),
        ("SUCCESS", "—", "(archive SUCCESS, unit without state, exact)"),
        ("SUCCESS", "FAILURE", "(archive SUCCESS, unit FAILURE, exact)"),
        ("FAILURE", "FAILURE", "(archive FAILURE, exact)"),
        ("—", "SUCCESS", "(archive, unit SUCCESS, exact)"),
        ("—", "—", "(archive, exact)"),
    ],
)
def test_a_units_own_state_is_not_hidden_behind_its_plans(plan: str, unit: str, words: str) -> None:
    match = replace(UNIT, wp_state=plan, unit_state=unit)  # type: ignore[arg-type]
    assert words in knowledge_graph_report(graph([match]), BASE)


def test_no_contract() -> None:
    searched = ("/ws/.gem-squared/archive", "/ws/.gem-squared/work-plan")
    assert knowledge_graph_report(graph(searched=searched), BASE) == (
        "nothing known about 'E1' in .gem-squared/archive, .gem-squared/work-plan"
    )
    assert knowledge_graph_report(graph(searched=()), BASE) == (
        "nothing found about 'E1': there is no folder of this scope here"
    )
    assert knowledge_graph_report(graph(status="failed", found=problems(1)), BASE).split("\n") == [
        "nothing found about 'E1', but not everything could be searched",
        "⚠ contracts failed: docs/wiki/0.md: permission denied",
    ]


# --- status -----------------------------------------------------------------------------------------------


def test_status_names_places_and_problems_below_their_root() -> None:
    folder = str(Path("/ws"))
    sources = (
        SourceStatus("memory", "absent", 0, 0, (), ()),
        SourceStatus("wiki", "incomplete", 1, 2, ("/ws/docs/wiki", "/notes"), problems(5)),
        SourceStatus("board", "failed", 0, 1, ("/ws/.masc/board_posts.jsonl",), problems(1)),
        SourceStatus("contracts", "complete", 3, 1, ("/ws/.gem-squared/archive",), ()),
    )
    report = status_report([CoreStatus(folder, sources), CoreStatus(folder, sources[:1])])
    assert report.replace("\\", "/").split("\n") == [
        "/ws",
        "  memory     absent",
        "  wiki       incomplete, 1 page in 2 files",
        "             docs/wiki",
        "             /notes",
        *(f"             ⚠ docs/wiki/{number}.md: permission denied" for number in range(5)),
        "  board      failed, 0 posts in 1 file",
        "             .masc/board_posts.jsonl",
        "             ⚠ docs/wiki/0.md: permission denied",
        "  contracts  complete, 3 unit-works in 1 file",
        "             .gem-squared/archive",
        "/ws",
        "  memory     absent",
    ]
