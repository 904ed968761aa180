"""A corpus together with its queries and their right answers, kept beside it until one of the rules changes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import queries
import reference
import rules
from corpus import Corpus
from queries import Queries, queries_of
from reference import Expected, Reference, expected_answers

MEDIUM_BYTES = 10_000_000
LARGE_BYTES = 100_000_000
CHECKED_FIRST = {MEDIUM_BYTES: 40, LARGE_BYTES: 40}
CHECKED_RANKED = {MEDIUM_BYTES: 40, LARGE_BYTES: 10}
"""So many queries of a class have their answers computed for a text of up to so many bytes."""
CHECKED_BEYOND = 3

_FILE = "questions.json"


@dataclass(frozen=True)
class Questions:
    """Queries by operation and class, the right answers by operation and query, and what the text is like."""

    queries: Queries
    expected: dict[str, dict[str, Expected]]
    statistics: dict[str, int]

    @cached_property
    def by_operation(self) -> dict[str, dict[str, list[str]]]:
        """Queries by class, by operation: `first` and `ranked`."""
        return {"first": self.queries.first, "ranked": self.queries.ranked}


def prepare(corpus: Corpus) -> Questions:
    """The questions of a corpus, made unless they are there already."""
    path = corpus.folder / _FILE
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["made_by"] == _fingerprint(corpus):
            return _questions(stored)
    questions = _make(corpus)
    text = json.dumps({"made_by": _fingerprint(corpus), **asdict(questions)}, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return questions


def load(corpus: Corpus) -> Questions:
    """The questions that `prepare` has made before."""
    return _questions(json.loads((corpus.folder / _FILE).read_text(encoding="utf-8")))


def _make(corpus: Corpus) -> Questions:
    naive = Reference(corpus.documents)
    drawn = queries_of(corpus.documents, naive)
    text_bytes = sum(len(text.encode()) for text in corpus.documents)
    tokens = [token for folded in naive.folded for token in folded.split()]
    statistics = {
        "documents": len(corpus),
        "text_bytes": text_bytes,
        "tokens": len(tokens),
        "distinct_tokens": len(set(tokens)),
    }
    expected = expected_answers(
        naive,
        _some(drawn.first, _count(CHECKED_FIRST, text_bytes)),
        _some(drawn.ranked, _count(CHECKED_RANKED, text_bytes)),
    )
    return Questions(drawn, expected, statistics)


def _some(by_class: dict[str, list[str]], count: int) -> list[str]:
    return [query for queries_of_class in by_class.values() for query in queries_of_class[:count]]


def _count(by_size: dict[int, int], text_bytes: int) -> int:
    return next((count for size, count in by_size.items() if text_bytes <= size), CHECKED_BEYOND)


def _questions(stored: dict[str, Any]) -> Questions:
    expected = {
        operation: {query: Expected(**fields) for query, fields in answers.items()}
        for operation, answers in stored["expected"].items()
    }
    return Questions(Queries(**stored["queries"]), expected, stored["statistics"])


def _fingerprint(corpus: Corpus) -> str:
    digest = hashlib.sha256(corpus.made_by.encode())
    for module in (__file__, queries.__file__, reference.__file__, rules.__file__):
        digest.update(Path(module).read_bytes())
    return digest.hexdigest()
