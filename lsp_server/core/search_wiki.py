"""The wiki node of `prior_art`: pages that hold the query (seeds/prior-art.md, spec/masc.md §3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.matching import Term, fold
from lsp_server.core.model import Page, SourceAnswer, WikiDocument
from lsp_server.core.prominence import code_spans, headings, names, singled_out, words_of


def wiki_entries(documents: Sequence[WikiDocument]) -> list[Entry]:
    """What the page of one file is found by."""
    return [
        Entry(
            record=to_record(Page(page.title, page.path, line=0)),
            fields=(page.text,),
            keywords=(
                *names(words_of(page.title, *page.tags)),
                *singled_out(code_spans(page.text) | headings(page.text)),
            ),
        )
        for page in documents
    ]


def read_page(record: bytes) -> Page:
    """The page of an entry, without the line."""
    return from_record(Page, record)


def index_wiki(corpus: Corpus[Page]) -> Corpus[Page]:
    """Nothing but the corpus is needed."""
    return corpus


def search_wiki(snapshot: Snapshot[Corpus[Page]], query: str, limit: int | None) -> SourceAnswer[Page]:
    """Pages whose text contains the whole query, case-insensitively, in stored order (spec/masc.md §3)."""
    corpus, needle = snapshot.index, Term(fold(query))
    found = corpus.holding(needle)
    return SourceAnswer(
        status=snapshot.status,
        matches=tuple(
            replace(corpus.document(position), line=corpus.line_of(position, needle))
            for position in found[:limit].tolist()
        ),
        total_count=len(found),
        problems=snapshot.problems,
    )
