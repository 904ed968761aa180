"""In which order items are found, and with which scores (spec/knowledge.md §3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from files_on_disk import write
from hypothesis import given, settings
from hypothesis import strategies as st
from indexed import Layout, laid_out, layouts
from knowledge_items import (
    LEXICAL,
    WordEmbedder,
    ask,
    error_of,
    ids,
    item,
    knowledge_index,
    open_with,
    same,
    similarities_of,
    snapshot_of,
    write_items,
)
from rank_bm25 import BM25Okapi

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeResult
from lsp_server.core.knowledge.fusion import convex_combination, reciprocal_rank_fusion
from lsp_server.core.knowledge.index import (
    index_knowledge,
    knowledge_entries,
    read_knowledge_record,
    repeated_ids,
)
from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.knowledge.passages import passages_of
from lsp_server.core.knowledge.request import KnowledgeQuery, Mode
from lsp_server.core.knowledge.tokens import tokens_of
from lsp_server.core.model import Problem
from lsp_server.core.search_knowledge import search_knowledge

K1, B = 1.2, 0.75
WORDS = "deploy rotate key E-217 rotateKey gateway_lease 배포를 배포 서명 키 restart the".split()
ALPHAS = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])

items_of_any_kind = st.lists(
    st.builds(
        lambda paragraphs, **known: item(text="\n\n# ".join(map(" ".join, paragraphs)), **known),
        st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), max_size=3),
        item_id=st.sampled_from("abcdefgh"),
        base_id=st.sampled_from(["runbooks", "guides"]),
        title=st.sampled_from(["deploy", "서명 키", "-"]),
        status=st.sampled_from(["published", "published", "draft", "archived"]),
        scope=st.sampled_from([None, None, "staging", "production"]),
    ),
    max_size=8,
)
queries = st.lists(st.sampled_from([*WORDS, "unknown", "KEY", "배"]), min_size=1, max_size=4).map(" ".join)


def search(
    items: Sequence[KnowledgeItem],
    query: str,
    mode: Mode = "lexical",
    *,
    scopes: Sequence[str] = (),
    embedder: WordEmbedder | None = None,
    layout: Layout | None = None,
    **parameters: object,
) -> KnowledgeAnswer:
    """The answer about items without files; with an embedder it is not only lexical."""
    asked = KnowledgeQuery(query, mode=mode, **{"max_results": 50, **parameters})  # type: ignore[arg-type]
    entries = [entry for each in items for entry in knowledge_entries([each])]
    with laid_out(entries, layout or Layout(), read_knowledge_record) as corpus:
        index = index_knowledge(corpus, scopes)
        similarities = similarities_of(index, query, embedder) if embedder is not None else None
        return search_knowledge(snapshot_of(index), asked, similarities)


def visible(items: Sequence[KnowledgeItem], scopes: Sequence[str] = ()) -> list[KnowledgeItem]:
    """The items that may be seen: published, in an allowed scope, and the first of these with their id."""
    published = [item for item in items if item.status == "published"]
    allowed = [item for item in published if not scopes or item.scope is None or item.scope in scopes]
    firsts: dict[tuple[str, str], KnowledgeItem] = {}
    for each in allowed:
        firsts.setdefault((each.base_id, each.item_id), each)
    return list(firsts.values())


# BM25


class WholeCorpus(BM25Okapi):  # type: ignore[misc]
    """rank-bm25 over all passages, with the inverse document frequency of spec/knowledge.md §3."""

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {token: self.idf_of(found) for token, found in nd.items()}

    def idf_of(self, found: int) -> float:
        return math.log(1 + (self.corpus_size - found + 0.5) / (found + 0.5))


def naive_scores(
    items: Sequence[KnowledgeItem], query: str, scopes: Sequence[str] = ()
) -> dict[tuple[str, str], tuple[float, float]]:
    """The raw and the bounded score of each item that has one, by its best passage."""
    passages = [(each, passage.text) for each in visible(items, scopes) for passage in passages_of(each.text)]
    if not any(tokens_of(f"{each.title}\n{text}") for each, text in passages):
        return {}
    corpus = WholeCorpus([tokens_of(f"{each.title}\n{text}") for each, text in passages], k1=K1, b=B)
    tokens = list(dict.fromkeys(tokens_of(query)))
    most = sum((corpus.idf.get(token) or corpus.idf_of(0)) * (K1 + 1) for token in tokens)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for (each, _), score in zip(passages, corpus.get_scores(tokens).tolist(), strict=True):
        key = each.base_id, each.item_id
        if score > 0:
            found[key] = max(found.get(key, (0.0, 0.0)), (score, score / most))
    return found


def key_of(result: KnowledgeResult) -> tuple[str, str]:
    return result.item.base_id, result.item.item_id


@settings(deadline=None)
@given(items_of_any_kind, queries, st.sampled_from([(), ("staging",), ("none",)]), layouts)
def test_lexical_is_bm25_over_all_passages(
    items: list[KnowledgeItem], query: str, scopes: tuple[str, ...], layout: Layout
) -> None:
    expected = naive_scores(items, query, scopes)
    answer = search(items, query, scopes=scopes, layout=layout)
    assert {key_of(result) for result in answer.results} == expected.keys()
    for result in answer.results:
        raw, bounded = expected[key_of(result)]
        scores = result.scores
        assert scores.lexical_raw == pytest.approx(raw, abs=1e-6)
        assert scores.lexical == scores.combined == pytest.approx(bounded, abs=1e-6)
        assert 0 < scores.lexical < 1
    order = [(-result.scores.combined, result.item.item_id, result.item.base_id) for result in answer.results]
    assert order == sorted(order)


@settings(deadline=None)
@given(items_of_any_kind, queries)
def test_of_a_base_nothing_else_is_found_and_scores_are_the_same(
    items: list[KnowledgeItem], query: str
) -> None:
    everything = search(items, query)
    of_base = search(items, query, base_id="guides")
    expected = [result for result in everything.results if result.item.base_id == "guides"]
    assert [(key_of(result), result.scores.combined) for result in of_base.results] == [
        (key_of(result), result.scores.combined) for result in expected
    ]
    assert search(items, query, base_id="missing").results == ()
    assert search(items, query, base_id="guide").results == ()


@settings(deadline=None)
@given(items_of_any_kind, queries, st.sampled_from(["lexical", "semantic", "hybrid", "rrf"]))
def test_what_may_not_be_seen_leaves_no_trace(items: list[KnowledgeItem], query: str, mode: Mode) -> None:
    """Neither drafts, nor items of other scopes, nor those whose id is taken are found or counted."""
    for scopes in ((), ("production",)):
        answers = [
            search(known, query, mode, scopes=scopes, embedder=WordEmbedder())
            for known in (items, visible(items, scopes))
        ]
        assert answers[0].results == answers[1].results


def test_an_item_counts_as_much_as_its_best_passage() -> None:
    weak, strong = "key " + "other " * 30, "rotate key"
    items = [item("both", f"{weak}\n\n# {strong}"), item("weak", weak), item("strong", f"# {strong}")]
    answer = search(items, "rotate key")
    assert [(result.item.item_id, result.line, result.excerpt) for result in answer.results] == [
        ("both", 3, "# rotate key"),
        ("strong", 1, "# rotate key"),
        ("weak", 1, weak.strip()),
    ]


def test_a_title_counts_in_every_passage() -> None:
    answer = search([item("a", "one\n\n# two", title="Gateway"), item("b", "three")], "gateway")
    assert [(result.item.item_id, result.excerpt) for result in answer.results] == [("a", "one")]


def test_a_word_counts_where_its_letters_do_not() -> None:
    items = [item("monkey", "monkey"), item("key", "key"), item("keys", "keys")]
    assert ids(search(items, "key")) == ["key"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("서명 키가 만료되었습니다", "만료"),
        ("서명 키가 만료되었습니다", "키가"),
        ("배포를 되돌린다", "배포"),
        ("run `rotateSigningKey`", "signing key"),
        ("ROTATE_KEY fails", "rotate"),
        ("E-217 means drift", "e-217"),
        ("ｅ-２１７", "E-217"),
        ("서버error", "error"),
        ("do _not_ stop the _gateway_", "gateway"),
    ],
)
def test_what_is_found(text: str, query: str) -> None:
    assert ids(search([item("a", text), item("other", "nothing of it")], query)) == ["a"]


@pytest.mark.parametrize("query", ["the", "what is it", "😀", "—", "missing"])
def test_a_query_without_a_word_of_any_item_finds_nothing_lexically(query: str) -> None:
    assert search([item("a", "the what is it 😀 —")], query).results == ()


def test_equal_scores_go_by_id() -> None:
    items = [item(name, "rotate key", title="Keys", path=f"/w/{name}") for name in ("c", "a", "b")]
    for mode in ("lexical", "semantic", "hybrid", "rrf"):
        answer = search(items, "rotate key", mode, embedder=WordEmbedder())  # type: ignore[arg-type]
        assert ids(answer) == ["a", "b", "c"]
        assert same(result.scores.combined for result in answer.results)
        # Those that are cut off do not depend on where they are stored either.
        assert ids(search(items, "rotate key", mode, embedder=WordEmbedder(), max_results=2)) == ["a", "b"]  # type: ignore[arg-type]


def test_equal_scores_of_two_bases_go_by_id_too() -> None:
    items = [
        item(name, "key", base_id=base, title="Keys") for base, name in (("guides", "b"), ("runbooks", "a"))
    ]
    assert ids(search(items, "key")) == ["a", "b"]


@pytest.mark.parametrize("text", ["🚢 — 🚢", "what it is", "…"])
@pytest.mark.parametrize("mode", ["semantic", "hybrid", "rrf"])
def test_passages_without_a_word_have_scores_that_are_numbers(text: str, mode: Mode) -> None:
    """Their average length is 0; what is not a number is not JSON either."""
    answer = search([item("a", text, title="🚢")], "key 🚢", mode, embedder=WordEmbedder())
    (result,) = answer.results
    scores = asdict(result.scores)
    assert all(math.isfinite(value) for value in scores.values() if isinstance(value, float))
    assert scores["lexical_raw"] in (0.0, None)


def test_equal_ids_of_two_bases_are_two_results() -> None:
    items = [item("a", "rotate key", base_id=base) for base in ("runbooks", "guides")]
    assert [key_of(result) for result in search(items, "key").results] == [("guides", "a"), ("runbooks", "a")]


@pytest.mark.parametrize("count", [1, 2, 49, 50])
def test_at_most_so_many_results_are_given(count: int) -> None:
    items = [item(f"{number:03}", "key " * (number + 1)) for number in range(60)]
    everything = search(items, "key")
    assert len(everything.results) == 50
    assert search(items, "key", max_results=count).results == everything.results[:count]


def test_scores_of_a_word_in_every_passage_are_small_but_there() -> None:
    items = [item(f"{number:02}", f"key w{number}") for number in range(40)]
    answer = search(items, "key")
    assert len(answer.results) == 40
    assert all(0 < result.scores.combined < 1 for result in answer.results)


def test_a_score_does_not_depend_on_the_other_hits() -> None:
    """A weak best hit stays weak: what a query could reach at most is what counts."""
    items = [item("a", "key and much more about gates"), item("b", "nothing")]
    whole, part = (search(items, query).results[0].scores for query in ("key", "key rotate E-217 restart"))
    assert whole.lexical is not None and part.lexical is not None
    assert whole.lexical > 0.4 > 0.2 > part.lexical > 0
    assert whole.lexical_raw == part.lexical_raw


# Lexical and semantic together


def semantic_by_hand(
    items: Sequence[KnowledgeItem], query: str, embedder: WordEmbedder
) -> dict[tuple[str, str], float]:
    """The best cosine of each item that has a positive one."""
    found: dict[tuple[str, str], float] = {}
    (vector,) = embedder.embed([query]).astype(float)
    for each in visible(items):
        for passage in passages_of(each.text):
            cosine = float(embedder.embed([f"{each.title}\n{passage.text}"])[0].astype(float) @ vector)
            if round(cosine, 6) > 0:
                key = each.base_id, each.item_id
                found[key] = max(found.get(key, 0.0), cosine)
    return found


@given(items_of_any_kind, queries, layouts)
@settings(max_examples=50, deadline=None)
def test_semantic_is_the_best_cosine(items: list[KnowledgeItem], query: str, layout: Layout) -> None:
    embedder = WordEmbedder()
    expected = semantic_by_hand(items, query, embedder)
    answer = search(items, query, "semantic", embedder=embedder, layout=layout)
    assert {key_of(result) for result in answer.results} == expected.keys()
    for result in answer.results:
        scores = result.scores
        assert scores.combined == scores.semantic == scores.semantic_raw
        assert scores.combined == pytest.approx(expected[key_of(result)], abs=1e-6)


@settings(deadline=None)
@given(items_of_any_kind, queries)
def test_alpha_1_orders_as_lexical_and_alpha_0_as_semantic(items: list[KnowledgeItem], query: str) -> None:
    for alpha, mode in ((1.0, "lexical"), (0.0, "semantic")):
        alone = search(items, query, mode, embedder=WordEmbedder() if alpha == 0 else None)  # type: ignore[arg-type]
        hybrid = search(items, query, "hybrid", embedder=WordEmbedder(), alpha=alpha)
        assert [(key_of(result), result.scores.combined, result.line) for result in hybrid.results] == [
            (key_of(result), result.scores.combined, result.line) for result in alone.results
        ]


@settings(deadline=None)
@given(items_of_any_kind, queries, ALPHAS)
def test_hybrid_is_the_best_convex_combination(items: list[KnowledgeItem], query: str, alpha: float) -> None:
    answer = search(items, query, "hybrid", embedder=WordEmbedder(), alpha=alpha)
    for result in answer.results:
        scores = result.scores
        assert scores.lexical is not None and scores.semantic is not None
        assert scores.combined == pytest.approx(
            alpha * scores.lexical + (1 - alpha) * scores.semantic, abs=2e-6
        )
        assert scores.semantic_raw is not None and scores.semantic == max(0.0, scores.semantic_raw)
        assert 0 < scores.combined <= 1
        assert scores.alpha == alpha
    # What has neither is not there, what has one may be there.
    lexical, semantic = (
        {key_of(result) for result in search(items, query, mode, embedder=WordEmbedder()).results}  # type: ignore[arg-type]
        for mode in ("lexical", "semantic")
    )
    found = {key_of(result) for result in answer.results}
    assert found <= lexical | semantic
    if alpha not in (0.0, 1.0):
        assert found == lexical | semantic


def ranks_by_hand(scores: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], int]:
    rounded = {key: round(score, 6) for key, score in scores.items()}
    return {key: 1 + sum(other > mine for other in rounded.values()) for key, mine in rounded.items()}


@settings(deadline=None)
@given(items_of_any_kind, queries, ALPHAS)
def test_rrf_is_the_sum_of_reciprocal_ranks(items: list[KnowledgeItem], query: str, alpha: float) -> None:
    results = {
        mode: search(items, query, mode, embedder=WordEmbedder()).results  # type: ignore[arg-type]
        for mode in ("lexical", "semantic")
    }
    ranks = [
        ranks_by_hand({key_of(result): result.scores.combined for result in of_mode})
        for of_mode in results.values()
    ]
    answer = search(items, query, "rrf", embedder=WordEmbedder(), alpha=alpha)
    assert {key_of(result) for result in answer.results} == ranks[0].keys() | ranks[1].keys()
    for result in answer.results:
        key, scores = key_of(result), result.scores
        assert (scores.lexical_rank, scores.semantic_rank) == (ranks[0].get(key), ranks[1].get(key))
        by_hand = sum(1 / (60 + of_mode[key]) for of_mode in ranks if key in of_mode)
        assert scores.combined == round(by_hand, 6) <= round(2 / 61, 6)
        assert (scores.alpha, scores.rrf_k) == (None, 60)
    assert answer.results == search(items, query, "rrf", embedder=WordEmbedder()).results


def test_the_most_that_rrf_gives() -> None:
    answer = search([item("a", "rotate key")], "rotate key", "rrf", embedder=WordEmbedder())
    assert answer.results[0].scores.combined == 0.032787 == round(2 / 61, 6)


def test_rrf_looks_at_no_more_of_each_order_than_its_depth() -> None:
    items = [item(f"{number:03}", "key " + "x " * (number + 1)) for number in range(90)]
    ten = search(items, "key", "rrf", embedder=WordEmbedder(), max_results=10)
    assert {result.scores.lexical_rank for result in ten.results} <= set(range(1, 51))
    fifty = search(items, "key", "rrf", embedder=WordEmbedder(), max_results=50)
    assert fifty.results[:10] == ten.results  # All 90 are within 4 * 50, and the best of them within 50.


@pytest.mark.parametrize(("max_results", "depth"), [(1, 50), (12, 50), (13, 52), (20, 80), (50, 200)])
def test_what_an_order_has_behind_its_depth_does_not_count_in_rrf(max_results: int, depth: int) -> None:
    """The best in words is the last in meaning, and the other way round."""
    count = 120
    items = [item(f"{number:03}", "key " + "x " * number, title="-") for number in range(count)]
    index = knowledge_index(items)
    cosines = {key: (number + 1) / count for number, key in enumerate(index.passage_keys.tolist())}
    answer = search_knowledge(
        snapshot_of(index),
        KnowledgeQuery("key", mode="rrf", max_results=max_results),
        similarities=lambda keys: np.array([cosines[key] for key in keys.tolist()]),
    )
    by_hand = {}
    for number, each in enumerate(items):
        ranks = number + 1, count - number
        by_hand[each.item_id] = round(sum(1 / (60 + rank) for rank in ranks if rank <= depth), 6)
    expected = sorted(by_hand, key=lambda item_id: (-by_hand[item_id], item_id))[:max_results]
    assert [(result.item.item_id, result.scores.combined) for result in answer.results] == [
        (item_id, by_hand[item_id]) for item_id in expected
    ]


def test_what_means_the_opposite_counts_no_less_than_what_means_nothing() -> None:
    items = [item("a", "rotate key"), item("b", "gateway")]
    answer = search_knowledge(
        snapshot_of(knowledge_index(items)),
        KnowledgeQuery("key", mode="hybrid"),
        similarities=lambda keys: np.full(len(keys), -0.75),
    )
    (result,) = answer.results
    scores = result.scores
    assert scores.lexical is not None
    assert (scores.semantic, scores.semantic_raw, scores.semantic_rank) == (0.0, -0.75, None)
    assert scores.combined == pytest.approx(0.5 * scores.lexical, abs=1e-6)


def test_the_formulas_by_hand() -> None:
    lexical, semantic = np.array([0.5, 0.0, 0.25]), np.array([0.0, 0.8, 0.25])
    assert convex_combination(lexical, semantic, 0.25).tolist() == [0.125, 0.75 * 0.8, 0.25]
    ranks = np.array([1, 0, 2]), np.array([0, 0, 1])
    assert reciprocal_rank_fusion(*ranks).tolist() == [1 / 61, 0.0, 1 / 62 + 1 / 61]


def test_the_scores_of_each_mode() -> None:
    items = [item("a", "rotate key"), item("b", "gateway")]
    said = {
        mode: {
            name: value is not None
            for name, value in asdict(
                search(items, "rotate key", mode, embedder=WordEmbedder()).results[0].scores  # type: ignore[arg-type]
            ).items()
        }
        for mode in ("lexical", "semantic", "hybrid", "rrf")
    }
    legs = {"lexical", "lexical_raw", "lexical_rank"}, {"semantic", "semantic_raw", "semantic_rank"}
    always = {"mode", "combined"}
    assert {mode: {name for name, is_said in names.items() if is_said} for mode, names in said.items()} == {
        "lexical": always | legs[0],
        "semantic": always | legs[1],
        "hybrid": always | legs[0] | legs[1] | {"alpha"},
        "rrf": always | legs[0] | legs[1] | {"rrf_k"},
    }


def test_a_result_says_which_mode_was_in_effect() -> None:
    (result,) = search([item("a", "rotate key")], "key", "hybrid").results
    assert (result.scores.mode, result.scores.alpha) == ("lexical", None)


# Ids that are taken


def test_of_items_with_one_id_the_first_is_found() -> None:
    first, second = item("a", "rotate key", path="/w/1.md"), item("a", "rotate key twice", path="/w/2.md")
    other = replace(second, base_id="guides", path="/w/3.md")
    index = knowledge_index([first, second, other])
    assert len(index) == 2
    assert repeated_ids(index) == (Problem("/w/2.md", "the id 'a' is another item's of the base 'runbooks'"),)
    answer = search_knowledge(snapshot_of(index), KnowledgeQuery("key", mode="lexical"))
    assert [result.item.path for result in answer.results] == ["/w/1.md", "/w/3.md"]
    assert search([first, second, other], "twice").results[0].item.path == "/w/3.md"


def test_a_draft_takes_no_id() -> None:
    index = knowledge_index([item("a", "key", status="draft"), item("a", "key", path="/w/2.md")])
    assert (len(index), repeated_ids(index)) == (1, ())


# On the disk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_items(
        tmp_path,
        {
            "runbooks/deploy.md": "# Deploy\n\nRoll back with `deploy.sh`.\n",
            "runbooks/keys.md": "---\nid: rotate-keys\nscope: production\n---\n# Keys\n\nRotate the key.\n",
            "guides/배포.md": "# 배포 절차\n\n배포를 되돌린다.\n",
        },
    )
    return tmp_path


def test_a_query_is_answered_from_the_disk(root: Path) -> None:
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        (result,) = ask(core, "rotate key", mode="lexical").results
        assert (result.item.item_id, result.item.base_id) == ("rotate-keys", "runbooks")
        assert (result.line, result.excerpt, result.item.text) == (5, "# Keys\n\nRotate the key.", "")
        assert ids(ask(core, "배포")) == ["배포"]


@pytest.mark.parametrize("query", ["deploy", "rotate", "배포", "missing"])
def test_drafts_are_never_counted(root: Path, query: str) -> None:
    answers = []
    for status in (None, "draft", "archived", "in review"):
        if status is not None:
            for name in ("new", "deploy-2"):
                write_items(
                    root, {f"runbooks/{name}.md": f"---\nstatus: {status}\n---\nrotate deploy 배포 rotate\n"}
                )
        with SearchCore.open(root, LEXICAL, cached=False) as core:
            answers.append(ask(core, query).results)
    assert same(answers)


def test_the_same_answer_for_whatever_is_not_there(root: Path) -> None:
    write_items(
        root,
        {
            "runbooks/draft.md": "---\nstatus: draft\n---\ntext\n",
            "runbooks/archived.md": "---\nstatus: archived\n---\ntext\n",
            "runbooks/odd.md": "---\nstatus: [published]\n---\ntext\n",
            "runbooks/staging.md": "---\nscope: staging\n---\ntext\n",
        },
    )
    item_id, base_id, revision_id = "knowledge_item_id", "knowledge_base_id", "knowledge_revision_id"
    options = replace(LEXICAL, knowledge_scopes=("production",))
    with SearchCore.open(root, options, cached=False) as core:
        revision = ask(core, "deploy").results[0].item.revision_id
        errors = [
            error_of(core, parameters)
            for parameters in (
                {item_id: "missing"},
                {item_id: "draft"},
                {item_id: "archived"},
                {item_id: "odd"},
                {item_id: "staging"},
                {item_id: "staging", base_id: "runbooks"},
                {item_id: "deploy", base_id: "guides"},
                {item_id: "deploy", base_id: "missing"},
                {item_id: "deploy", base_id: "Runbooks"},
                {item_id: "Deploy"},
                {item_id: "deploy "},
                {item_id: "runbooks/deploy"},
                {item_id: "deploy", revision_id: "0" * 40},
                {item_id: "deploy", revision_id: revision[:-1]},
                {item_id: "deploy", revision_id: revision.upper() + "x"},
                {item_id: "deploy", revision_id: "HEAD"},
                {item_id: "../runbooks/deploy"},
                {item_id: "keys"},
            )
        ]
    assert same((type(error), error.code, str(error), error.args) for error in errors)
    assert errors[0].code == "knowledge_resource_unavailable"


def test_only_allowed_scopes_are_searched(root: Path) -> None:
    for scopes, found in (
        ((), ["rotate-keys"]),
        (("production",), ["rotate-keys"]),
        (("staging", "production"), ["rotate-keys"]),
        (("staging",), []),
        (("prod",), []),
    ):
        options = replace(LEXICAL, knowledge_scopes=scopes)
        with SearchCore.open(root, options, cached=False) as core:
            assert ids(ask(core, "rotate")) == found
            assert ids(ask(core, "deploy")) == ["deploy"]


def test_duplicate_ids_on_the_disk(root: Path) -> None:
    write_items(root, {"runbooks/z.md": "---\nid: deploy\n---\nzebra\n"})
    path = str(root / ".knowledge/runbooks/z.md")
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        answer = ask(core, "zebra deploy")
        assert ids(answer) == ["deploy"]
        assert answer.results[0].item.path == str(root / ".knowledge/runbooks/deploy.md")
        assert (answer.status, [problem.path for problem in answer.problems]) == ("incomplete", [path])
        status = next(source for source in core.status().sources if source.name == "knowledge")
        assert (status.status, status.document_count) == ("incomplete", 3)
        assert [problem.path for problem in status.problems] == [path]
        # With the first one gone, the other one has the id.
        (root / ".knowledge/runbooks/deploy.md").unlink()
        core.refresh()
        answer = ask(core, "zebra deploy")
        assert [result.item.path for result in answer.results] == [path]
        assert (answer.status, answer.problems) == ("complete", ())


def test_changes_on_the_disk_are_seen(root: Path) -> None:
    deploy = root / ".knowledge/runbooks/deploy.md"
    with SearchCore.open(root, LEXICAL, cached=False) as core:

        def found(query: str) -> list[str]:
            core.refresh()
            return ids(ask(core, query))

        assert found("zebra") == []
        write(deploy, "# Deploy\n\nzebra\n")
        assert (found("zebra"), found("roll")) == (["deploy"], [])
        write(deploy, "---\nstatus: draft\n---\nzebra\n")
        assert found("zebra") == []
        write(deploy, "---\nstatus: published\n---\nzebra\n")
        assert found("zebra") == ["deploy"]
        write(deploy, "---\nstatus: archived\n---\nzebra\n")
        assert found("zebra") == []
        write(deploy, "---\nid: other\n---\nzebra\n")
        assert found("zebra") == ["other"]
        write(deploy, "zebra\n")
        deploy.replace(deploy.with_name("renamed.md"))
        assert found("zebra") == ["renamed"]
        write(root / ".knowledge/new/base.md", "zebra\n")
        assert found("zebra") == ["base", "renamed"]
        (root / ".knowledge/new/base.md").unlink()
        (root / ".knowledge/runbooks/renamed.md").unlink()
        assert found("zebra") == []


def test_an_item_that_was_found_is_shown_as_it_is_now(root: Path) -> None:
    """Within the throttle too: what is cited is looked at again."""
    deploy = root / ".knowledge/runbooks/deploy.md"
    with SearchCore.open(root, LEXICAL, cached=False) as core:
        ask(core, "roll")
        write(deploy, "---\nstatus: draft\n---\nRoll back.\n")
        assert ids(ask(core, "roll")) == []


def test_without_a_base_nothing_was_searched(tmp_path: Path) -> None:
    with SearchCore.open(tmp_path, LEXICAL, cached=False) as core:
        answer = ask(core, "deploy")
        assert (answer.results, answer.status) == ((), "absent")


# What cannot be had


@pytest.mark.parametrize("mode", ["hybrid", "rrf"])
def test_without_the_extra_the_answer_is_lexical_and_says_so(
    root: Path, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_with(root, None, monkeypatch) as core:
        answer, lexical = ask(core, "rotate key", mode=mode), ask(core, "rotate key", mode="lexical")
    assert (answer.mode, answer.mode_effective, answer.degraded) == (mode, "lexical", "semantic_unavailable")
    assert (lexical.mode, lexical.mode_effective, lexical.degraded) == ("lexical", "lexical", None)
    assert answer.results == lexical.results != ()


@pytest.mark.parametrize("options", [StoreOptions(), LEXICAL])
def test_semantic_by_name_is_refused_without_the_extra(
    root: Path, options: StoreOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_with(root, None, monkeypatch, options) as core:
        error = error_of(core, {"query": "key", "mode": "semantic"})
    assert error.code == "knowledge_semantic_unavailable"
    assert error.reason == "semantic_unavailable"  # type: ignore[attr-defined]


def test_the_setting_takes_the_embedder_away(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch, LEXICAL) as core:
        assert ask(core, "key").degraded == "semantic_unavailable"
    assert (embedder.asked, embedder.loads) == ([], 0)


def test_lexical_asks_no_embedder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch) as core:
        (result,) = ask(core, "rotate key", mode="lexical").results
        core.knowledge({"knowledge_item_id": "deploy"})
    assert (embedder.asked, embedder.loads) == ([], 0)
    assert (result.scores.semantic, result.scores.semantic_raw, result.scores.semantic_rank) == (None,) * 3


@pytest.mark.parametrize("mode", ["hybrid", "rrf", "semantic"])
def test_with_an_embedder_each_mode_is_in_effect(
    root: Path, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_with(root, WordEmbedder(), monkeypatch) as core:
        answer = ask(core, "rotate key", mode=mode)
    assert (answer.mode, answer.mode_effective, answer.degraded) == (mode, mode, None)
    assert ids(answer)[0] == "rotate-keys"


def test_a_root_without_an_item_has_every_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_with(tmp_path, WordEmbedder(), monkeypatch) as core:
        for mode in ("hybrid", "rrf", "semantic"):
            answer = ask(core, "key", mode=mode)
            assert (answer.results, answer.mode_effective) == ((), mode)
