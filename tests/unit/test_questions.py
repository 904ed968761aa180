import json
from pathlib import Path

import pytest

from lsp_server.core import QueryError, SearchCore
from lsp_server.core.composition import LIMITS, Limits
from lsp_server.questions import (
    KnowledgeGraphQuestion,
    NoStoreError,
    PriorArtQuestion,
    ask_knowledge_graph,
    ask_prior_art,
    knowledge_graph_question,
    prior_art_question,
    require_store,
)

# --- options → question -----------------------------------------------------------------------------------


def test_the_options_of_a_search() -> None:
    assert prior_art_question({"query": "E1"}) == PriorArtQuestion("E1", ("memory", "wiki", "board"))
    given = {"query": "E1", "source": "board,memory", "root": "/ws"}
    assert prior_art_question(given) == PriorArtQuestion("E1", ("memory", "board"), root="/ws")
    # A missing query is an empty one, which the core refuses.
    assert prior_art_question({}).query == ""
    assert prior_art_question({"query": None, "source": None, "root": None}) == PriorArtQuestion("")


def test_a_limit_holds_for_every_source_of_a_search() -> None:
    question = prior_art_question({"query": "x", "limit": 2, "json": True})
    assert question.limits == Limits(memory=2, wiki=2, board=2, contracts=5)
    assert prior_art_question({"query": "x"}).limits == LIMITS


def test_a_query_is_taken_as_it_is() -> None:
    for query in ("  E1 ", "서명", "a,b", "\n"):
        assert prior_art_question({"query": query}).query == query
        assert knowledge_graph_question({"query": query}).query == query


@pytest.mark.parametrize(
    ("source", "sources"),
    [
        ("wiki", ("wiki",)),
        ("board,wiki", ("wiki", "board")),
        (" wiki , wiki ", ("wiki",)),
        (["board"], ("board",)),
        (["board", "memory", "board"], ("memory", "board")),
    ],
)
def test_sources_as_text_or_list(source: object, sources: tuple[str, ...]) -> None:
    assert prior_art_question({"query": "x", "source": source}).sources == sources


@pytest.mark.parametrize(
    "source", ["", " ", ",", "wiki,", [], [""], 3, True, {}, ["wiki", 3], ["wiki", None]]
)
def test_sources_that_are_none(source: object) -> None:
    with pytest.raises(QueryError, match=r"^source has to be some of memory,wiki,board$"):
        prior_art_question({"query": "x", "source": source})


@pytest.mark.parametrize("source", ["wikis", "wiki,contracts", "Wiki", ["wiki,board"], "wiki board"])
def test_sources_that_nobody_knows(source: object) -> None:
    with pytest.raises(QueryError, match=r"^unknown source '.*'; there are memory,wiki,board$"):
        prior_art_question({"query": "x", "source": source})


def test_the_options_of_a_contract_search() -> None:
    assert knowledge_graph_question({"query": "x"}) == KnowledgeGraphQuestion("x", None, "all", None, 5, None)
    given = {"query": "x", "project-slug": "s", "scope": "live", "state": "—", "limit": 2, "root": "/ws"}
    wanted = KnowledgeGraphQuestion("x", "s", "live", "—", 2, "/ws")
    assert knowledge_graph_question(given) == wanted
    assert knowledge_graph_question({**given, "limit": None}).limit == 5
    nulls = dict.fromkeys(("project_slug", "scope", "state", "limit", "root"))
    assert knowledge_graph_question({"query": "x", **nulls}) == KnowledgeGraphQuestion("x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query": 3}, "query has to be text"),
        ({"query": ["x"]}, "query has to be text"),
        ({"query": "x", "root": 3}, "root has to be text"),
        ({"query": "x", "project_slug": {}}, "project_slug has to be text"),
        ({"query": "x", "limit": "3"}, "limit has to be a whole number from 1"),
        ({"query": "x", "limit": 3.0}, "limit has to be a whole number from 1"),
        ({"query": "x", "limit": True}, "limit has to be a whole number from 1"),
        ({"query": "x", "scope": "proven"}, "scope has to be one of all, archive, live"),
        ({"query": "x", "scope": ["all"]}, "scope has to be one of all, archive, live"),
        ({"query": "x", "scope": ""}, "scope has to be one of all, archive, live"),
        ({"query": "x", "state": "success"}, "state has to be one of SUCCESS, FAILURE, —"),
        ({"query": "x", "state": 0}, "state has to be one of SUCCESS, FAILURE, —"),
        (
            {"query": "x", "source": "wiki"},
            "unknown option source; there are query, project_slug, scope, state, limit, root",
        ),
    ],
    ids=str,
)
def test_wrong_options_of_a_contract_search(options: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError) as error:
        knowledge_graph_question(options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query": b"x"}, "query has to be text"),
        ({"query": "x", "root": False}, "root has to be text"),
        ({"query": "x", "limit": 0}, "limit has to be a whole number from 1"),
        ({"query": "x", "zz": 1, "aa": 1}, "unknown option aa; there are query, source, limit, root"),
    ],
    ids=str,
)
def test_wrong_options_of_a_search(options: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError) as error:
        prior_art_question(options)
    assert str(error.value) == message


# --- question → answer ------------------------------------------------------------------------------------


def wiki(root: Path, *words: str) -> SearchCore:
    folder = root / "docs" / "wiki"
    folder.mkdir(parents=True)
    for word in words:
        (folder / f"{word}.md").write_text(f"# {word}\n")
    return SearchCore.open(root)


def plans(root: Path, *names: str) -> SearchCore:
    folder = root / ".gem-squared" / "archive"
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.md").write_text(
            f"# {name}: Plan\n**STATUS:** COMPLETED | **STATE:** SUCCESS\n\n## Unit-Works\n\n"
            "### 1. Sign | STATUS: COMPLETED\n- A: a\n- B: b\n- P: p\n- Tags: [signing-key]\n- State: SUCCESS\n"
        )
    return SearchCore.open(root)


def bare(root: Path) -> SearchCore:
    root.mkdir()
    return SearchCore.open(root)


def test_the_answers_of_several_roots_are_one(tmp_path: Path) -> None:
    cores = [wiki(tmp_path / "one", "alpha"), bare(tmp_path / "two"), wiki(tmp_path / "three", "alphabet")]
    answer = ask_prior_art(cores, PriorArtQuestion("alpha"))
    assert [page.title for page in answer.wiki.matches] == ["alpha", "alphabet"]
    assert answer.status == "complete"
    cores = [plans(tmp_path / "four", "WP-ST-2"), plans(tmp_path / "five", "WP-ST-1"), *cores]
    found = ask_knowledge_graph(cores, KnowledgeGraphQuestion("signing-key", limit=1))
    assert [match.wp_id for match in found.results] == ["WP-ST-1"]
    assert found.total_count == 2


def test_nothing_to_search_is_no_answer(tmp_path: Path) -> None:
    cores = [bare(tmp_path / "one"), bare(tmp_path / "two")]
    for ask in (
        lambda: ask_prior_art(cores, PriorArtQuestion("x1")),
        lambda: ask_knowledge_graph(cores, KnowledgeGraphQuestion("x1")),
        lambda: require_store(cores),
    ):
        with pytest.raises(NoStoreError) as error:
            ask()
        message = str(error.value)
        assert str(tmp_path / "one") in message and str(tmp_path / "two") in message
        assert "name their root" in message and "\n" not in message


def test_no_workspace_is_no_answer() -> None:
    for ask in (
        lambda: ask_prior_art([], PriorArtQuestion("x1")),
        lambda: ask_knowledge_graph([], KnowledgeGraphQuestion("x1")),
        lambda: require_store([]),
    ):
        with pytest.raises(NoStoreError, match="no workspace is open"):
            ask()


def test_only_stores_that_were_asked_for_count(tmp_path: Path) -> None:
    cores = [wiki(tmp_path / "one", "alpha")]
    with pytest.raises(NoStoreError, match=r"^no memory or board store below "):
        ask_prior_art(cores, PriorArtQuestion("alpha", ("memory", "board")))
    with pytest.raises(NoStoreError, match=r"^no .gem-squared/archive or .gem-squared/work-plan folder"):
        ask_knowledge_graph(cores, KnowledgeGraphQuestion("alpha"))
    require_store(cores)
    require_store([plans(tmp_path / "two")])
    require_store([bare(tmp_path / "three"), *cores])


@pytest.mark.parametrize("query", ["", " \t\n", "x" * 201])
def test_a_bad_query_is_refused_before_a_missing_store(tmp_path: Path, query: str) -> None:
    cores = [bare(tmp_path / "one")]
    for ask in (
        lambda: ask_prior_art(cores, PriorArtQuestion(query)),
        lambda: ask_knowledge_graph(cores, KnowledgeGraphQuestion(query)),
    ):
        with pytest.raises(QueryError, match=r"^the query "):
            ask()


def test_200_characters_are_code_points(tmp_path: Path) -> None:
    cores = [wiki(tmp_path / "one", "alpha")]
    assert not ask_prior_art(cores, PriorArtQuestion("서😀" * 100)).found
    with pytest.raises(QueryError, match="has 201 characters"):
        ask_prior_art(cores, PriorArtQuestion("서😀" * 100 + "x"))


@pytest.mark.parametrize("limit", [0, -1, -(10**30)])
def test_a_limit_below_one_is_refused(tmp_path: Path, limit: int) -> None:
    with pytest.raises(QueryError, match="at least 1"):
        ask_knowledge_graph([plans(tmp_path / "one", "WP-ST-1")], KnowledgeGraphQuestion("x", limit=limit))


def test_a_huge_limit_is_none(tmp_path: Path) -> None:
    cores = [plans(tmp_path / "one", "WP-ST-1", "WP-ST-2")]
    assert len(ask_knowledge_graph(cores, KnowledgeGraphQuestion("signing-key", limit=10**30)).results) == 2


def test_options_of_json_make_a_question() -> None:
    options = json.loads('{"query": "x", "project-slug": "s", "limit": 7, "state": null}')
    assert knowledge_graph_question(options) == KnowledgeGraphQuestion("x", "s", "all", None, 7)
