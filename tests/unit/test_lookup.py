"""One phrase, everything that is known: what is kept of it, and in which order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp_server.core import QueryError, SearchCore, StoreOptions
from lsp_server.core.composition import Limits
from lsp_server.core.model import Fact, Post
from lsp_server.lookup import identity, look_up, look_up_or_words, look_up_path, place_of

STORES = Path(__file__).parents[1] / "stores"


@pytest.fixture(scope="module")
def harbour() -> Iterator[SearchCore]:
    with SearchCore.open(STORES / "harbour") as core:
        yield core


@pytest.fixture(scope="module")
def broken() -> Iterator[SearchCore]:
    with SearchCore.open(STORES / "broken") as core:
        yield core


def kinds(core: SearchCore, query: str) -> list[str]:
    return [type(match).__name__ for match in look_up([core], query).matches]


def test_the_most_telling_source_stands_first(harbour: SearchCore) -> None:
    assert kinds(harbour, "E4217") == ["Fact", "Page", "Post", "ContractMatch"]
    assert kinds(harbour, "WP-ST-9") == ["Post"]
    assert kinds(harbour, "wp-st-15") == ["ContractMatch"]
    assert kinds(harbour, "checking-clock") == ["ContractMatch"]


def test_a_shared_verb_or_word_is_not_enough(harbour: SearchCore) -> None:
    assert harbour.search_kg("refuse everything").results
    assert kinds(harbour, "refuse everything") == []
    assert harbour.prior_art("the unheard-of worker").memory.matches
    assert kinds(harbour, "the unheard-of worker") == []


def test_words_are_asked_for_only_where_nothing_holds_the_phrase(harbour: SearchCore) -> None:
    assert {type(match) for match in look_up_or_words([harbour], "the unheard-of worker").matches} == {Fact}
    (post,) = look_up_or_words([harbour], "Dispatcher down").matches
    assert isinstance(post, Post)
    assert post.id == "p-00000000000000000000000000000002"


def test_a_phrase_counts_only_what_holds_it(harbour: SearchCore) -> None:
    lookup = look_up([harbour], "deploy.sh --all")
    assert [match.text[:15] for match in lookup.prior_art.memory.matches] == ["No command may "]
    assert lookup.total_count == 2


def test_only_the_sources_that_were_asked_for_answer(harbour: SearchCore) -> None:
    lookup = look_up([harbour], "E4217", ["wiki", "contracts"])
    assert [type(match).__name__ for match in lookup.matches] == ["Page", "ContractMatch"]
    lookup = look_up([harbour], "E4217", ["board"])
    assert [type(match).__name__ for match in lookup.matches] == ["Post"]
    assert lookup.status == "complete"


def test_several_roots_answer_together(harbour: SearchCore, broken: SearchCore) -> None:
    lookup = look_up([harbour, broken], "E4217")
    assert [Path(match.path).relative_to(STORES).parts[0] for match in lookup.matches] == [
        "harbour", "broken",
        "harbour", "broken",
        "harbour", "broken",
        "harbour",
    ]  # fmt: skip
    assert lookup.total_count == 7
    assert lookup.status == "incomplete"
    assert [(source, len(problems)) for source, problems in lookup.problems_by_source] == [
        ("memory", 1),
        ("board", 1),
    ]


@pytest.mark.parametrize("query", ["", "  ", "a" * 201])
def test_what_cannot_be_asked_is_refused(harbour: SearchCore, query: str) -> None:
    with pytest.raises(QueryError):
        look_up([harbour], query)


def test_every_match_is_found_again_by_its_identity(harbour: SearchCore) -> None:
    matches = look_up([harbour], "E4217").matches
    identities = [identity(match) for match in matches]
    assert len(set(identities)) == len(matches)
    assert [identity(match) for match in look_up([harbour], "E4217").matches] == identities


def test_a_fact_has_no_telling_line(harbour: SearchCore) -> None:
    places = [place_of(match) for match in look_up([harbour], "E4217").matches]
    assert [(Path(path).name, line) for path, line in places] == [
        ("tide.memory-current.json", None),
        ("signing-errors.md", 8),
        ("board_posts.jsonl", 1),
        ("WP-ST-12.md", 19),
    ]


# --- over real stores ------------------------------------------------------------------------------------


def write_facts(root: Path, *claims: str) -> None:
    snapshot = root / ".masc/config/keepers/tide.memory-current.json"
    snapshot.parent.mkdir(parents=True)
    snapshot.write_text(json.dumps({"facts": [{"claim": claim} for claim in claims]}), encoding="utf-8")


def write_posts(root: Path, *bodies: str) -> None:
    rows = (
        {"id": f"p-{number}", "title": f"Post {number}", "body": body, "created_at": number}
        for number, body in enumerate(bodies)
    )
    (root / ".masc").mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (root / ".masc/board_posts.jsonl").write_text(text, encoding="utf-8")


def write_plan(root: Path) -> None:
    (root / ".gem-squared/archive").mkdir(parents=True)
    text = "# WP-ST-69: A plan\n\n### 1. First | STATUS: COMPLETED\n- A: text\n"
    (root / ".gem-squared/archive/WP-ST-69.md").write_text(text, encoding="utf-8")


def test_a_path_through_a_plan_finds_its_contracts(tmp_path: Path) -> None:
    write_plan(tmp_path)
    with SearchCore.open(tmp_path) as core:
        found = look_up_path([core], "WP-ST-69/notes.md", few=2)
        assert (len(found.contracts), found.total_count) == (1, 1)


def test_one_fact_in_two_roots_is_one_by_its_id(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_facts(tmp_path / name, "the clock")
    with SearchCore.open(tmp_path / "one") as one, SearchCore.open(tmp_path / "two") as two:
        (fact,) = look_up([one, two], "the clock").prior_art.memory.matches
        assert look_up([one, two], fact.memory_id).prior_art.memory.matches == (fact,)


def test_a_post_that_its_id_names_leads_and_is_counted_once(tmp_path: Path) -> None:
    write_posts(tmp_path, "I am p-0", *["see p-0"] * 12)
    with SearchCore.open(tmp_path) as core:
        board = look_up([core], "p-0").prior_art.board
        assert (board.matches[0].id, board.total_count) == ("p-0", 13)
        assert len({post.id for post in board.matches}) == len(board.matches)


def test_posts_and_items_of_several_roots_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_posts(tmp_path / name, "E4217")
        item = tmp_path / name / ".knowledge/runbooks/deploy.md"
        item.parent.mkdir(parents=True)
        item.write_text("# E4217 in src/deploy.md\n", encoding="utf-8")
    options = StoreOptions(knowledge_semantic=False)
    with (
        SearchCore.open(tmp_path / "one", options) as one,
        SearchCore.open(tmp_path / "two", options) as two,
    ):
        for found in (look_up([one, two], "E4217"), look_up_path([one, two], "src/deploy.md", few=2)):
            assert (
                len({identity(match) for match in found.matches}) == len(found.matches) == found.total_count
            )
        assert len(look_up([one, two], "E4217").matches) == 4


def test_limits_hold_for_what_comes_to_stand_in_front(tmp_path: Path) -> None:
    write_posts(tmp_path, "p-2", "", "", *["p-2, see src/name.py"] * 3, *["other/name.py"] * 3)
    limits = Limits(1, 1, 1, 1, 1)
    with SearchCore.open(tmp_path) as core:
        named = look_up([core], "p-2", limits=limits)
        assert [match.id for match in named.matches if isinstance(match, Post)] == ["p-2"]
        by_path = look_up_path([core], "src/name.py", few=9, limits=limits)
        assert [match.title for match in by_path.matches if isinstance(match, Post)] == ["Post 5"]
        assert by_path.total_count == 6
