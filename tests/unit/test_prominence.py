"""How a plain word stands in the stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from indexed import board_index, contract_index, memory_index, wiki_index

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.model import (
    BoundFact,
    Contract,
    Fact,
    Post,
    PostRow,
    UnitWork,
    WikiDocument,
    WorkPlan,
)
from lsp_server.core.prominence import Standing, standing
from lsp_server.sources.memory import memory_id

PLAIN = Standing(is_name=False, singled_out_in=0)
NAME = Standing(is_name=True, singled_out_in=0)


class Stores(tuple[Corpus[Any], ...]):
    """The corpora of some stores."""

    def standing(self, word: str) -> Standing:
        return standing(word, self)


def singled_out(times: int) -> Standing:
    return Standing(is_name=False, singled_out_in=times)


def prominence(
    *,
    claims: Sequence[str] = (),
    bound: Sequence[str] = (),
    pages: Sequence[WikiDocument] = (),
    posts: Sequence[PostRow] = (),
    plans: Sequence[WorkPlan] = (),
) -> Stores:
    facts = [Fact(claim, "fact", None, memory_id(claim), "k", "m") for claim in claims]
    bound_facts = [
        BoundFact(Fact(claim, "fact", None, memory_id(claim), "k", "m"), "f", "0" * 64) for claim in bound
    ]
    return Stores(
        (
            memory_index([*facts, *bound_facts]).corpus,
            wiki_index(pages),
            board_index(posts).corpus,
            contract_index(plans).corpus,
        )
    )


def page(text: str, title: str = "", tags: tuple[str, ...] = ()) -> WikiDocument:
    return WikiDocument(title, tags, "p.md", text)


def test_nothing_stands_out_in_empty_stores() -> None:
    assert prominence().standing("deploy") == PLAIN


def test_a_whole_code_span_singles_a_word_out_and_a_call_counts_as_its_name() -> None:
    found = prominence(claims=["run `Deploy` now", "then `deploy()` again"], bound=["see `deploy`"])
    assert found.standing("DEPLOY") == singled_out(3)


def test_a_word_inside_a_longer_code_span_is_merely_used() -> None:
    found = prominence(claims=["run `make deploy`", "a lone ` tick and\n` another"])
    assert found.standing("deploy") == PLAIN
    assert found.standing("tick") == PLAIN


def test_a_document_singles_a_word_out_once_however_often_it_does() -> None:
    assert prominence(claims=["`lease`, `lease` and `lease`"]).standing("lease") == singled_out(1)


def test_headings_of_pages_single_words_out() -> None:
    found = prominence(pages=[page("# Große Pläne #\nplain\n   ###### Deep\n#hash\n    # indented")])
    for word in ("grosse", "Pläne", "deep"):
        assert found.standing(word) == singled_out(1)
    for word in ("plain", "hash", "indented"):
        assert found.standing(word) == PLAIN


def test_a_comment_in_a_code_block_is_no_heading() -> None:
    closed = "# Real\n```sh\n# install\n~~~\n# still\n```\n## Second\n~~~~\n# no\n~~~\n# nor this\n~~~~\n"
    found = prominence(pages=[page(closed + "# Third\n````\n# open")])
    for word in ("real", "second", "third"):
        assert found.standing(word) == singled_out(1)
    for word in ("install", "still", "no", "nor", "open"):
        assert found.standing(word) == PLAIN


def test_titles_and_tags_of_pages_are_names() -> None:
    found = prominence(pages=[page("plain", title="Clock Drift", tags=("Ops", "on-call"))])
    for word in ("clock", "drift", "ops", "call"):
        assert found.standing(word) == NAME


def test_a_hearth_is_a_name_and_the_title_of_a_post_singles_out() -> None:
    post = PostRow(Post("p", "Rate limit", "infra", "author", 1.0, 0, 0, "posts", 1), "the `burst` text", 0.0)
    found = prominence(posts=[post])
    assert found.standing("infra") == NAME
    assert found.standing("rate") == singled_out(1)
    assert found.standing("burst") == singled_out(1)
    assert found.standing("text") == PLAIN


def test_tags_of_units_are_names_and_titles_and_code_spans_single_out() -> None:
    contract = Contract("plain `socket`", "plain `port`", "plain `lock`")
    unit = UnitWork(1, "First", "PENDING", "—", contract, ("killing-terminal",), None, "`notes`", 3)
    found = prominence(plans=[WorkPlan("WP-1", "The plan", "PENDING", "—", "live", None, "plan.md", (unit,))])
    for word in ("killing", "terminal"):
        assert found.standing(word) == NAME
    for word in ("plan", "first", "socket", "port", "lock"):
        assert found.standing(word) == singled_out(1)
    assert found.standing("notes") == PLAIN
