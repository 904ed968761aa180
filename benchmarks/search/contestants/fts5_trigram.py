"""SQLite's full-text index over trigrams, in a file."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from contestants.contestant import ChangedFile, Contestant
from rules import Term, bounded_pattern, fold, term_of, terms_of

if TYPE_CHECKING:
    from corpus import Corpus

GRAM = 3
FTS5_K1 = 1.2
FTS5_B = 0.75
FTS5_LOWEST_IDF = 1e-6


class Fts5Trigram(Contestant):
    """An FTS5 table of the folded texts, `tokenize='trigram case_sensitive 1'`, rowid = document number + 1.

    A single term of three characters or more: `MATCH` of it as a phrase of trigrams, which is exact, in rowid
    order up to the limit. A shorter one: `instr` over all rows up to the limit, and for one or two ASCII letters
    or digits a look at the neighbours. (`LIKE` and `GLOB` go wrong for one or two characters of Korean.)

    Several terms, all of three characters or more: `MATCH '"a" OR "b" …' ORDER BY bm25() LIMIT`, FTS5's own
    BM25: a frequency counts occurrences, a length trigrams, k1 is 1.2. If some are shorter, the index cannot
    know them: then all matches of the longer ones are fetched with their scores, the rows are scanned for the
    shorter ones, whose score by the same formula is added, and the best are chosen.
    """

    name = "fts5_trigram"
    ranked_question = "any term"
    slow_from = 1_000_000

    def build(self, corpus: Corpus, folder: Path) -> None:
        connection = sqlite3.connect(folder / "fts5.sqlite")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(
            "CREATE VIRTUAL TABLE documents USING fts5(text, tokenize = 'trigram case_sensitive 1')"
        )
        rows = ((number, fold(text)) for number, text in enumerate(corpus.documents, 1))
        connection.executemany("INSERT INTO documents(rowid, text) VALUES (?, ?)", rows)
        connection.execute("INSERT INTO documents(documents) VALUES ('optimize')")
        connection.commit()
        connection.close()

    def open(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "fts5.sqlite")
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def first(self, query: str, limit: int = 10) -> list[int]:
        term = term_of(query)
        if len(term.folded) >= GRAM:
            return self._numbers(
                "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rowid LIMIT ?",
                _phrase(term),
                limit,
            )
        if not term.bounded:
            return self._numbers(
                "SELECT rowid FROM documents WHERE instr(text, ?) LIMIT ?", term.folded, limit
            )
        found: list[int] = []
        for number, _, _ in self._rows_with(term):
            found.append(number)
            if len(found) == limit:
                break
        return found

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        long_terms, short_terms = _by_length(terms_of(query))
        if not short_terms:
            return self._ranked_by_index(long_terms, limit)
        scores = self._index_scores(long_terms)
        for term in short_terms:
            self._add_scores(scores, term)
        return sorted(scores, key=lambda number: (-scores[number], number))[:limit]

    def matching(self, query: str) -> list[int]:
        long_terms, short_terms = _by_length(terms_of(query))
        found = set(self._index_scores(long_terms))
        for term in short_terms:
            found.update(number for number, _, _ in self._rows_with(term))
        return sorted(found)

    def update(self, changed: ChangedFile) -> None:
        with self._connection:
            self._connection.executemany(
                "UPDATE documents SET text = ? WHERE rowid = ?",
                [(fold(text), number) for number, text in enumerate(changed.documents, changed.first + 1)],
            )

    def close(self) -> None:
        self._connection.close()

    def _ranked_by_index(self, terms: list[Term], limit: int) -> list[int]:
        if not terms:
            return []
        # `rank` is bm25(documents), and sorting by it alone is what FTS5 can do best.
        return self._numbers(
            "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?",
            " OR ".join(map(_phrase, terms)),
            limit,
        )

    def _index_scores(self, terms: list[Term]) -> dict[int, float]:
        if not terms:
            return {}
        rows = self._connection.execute(
            "SELECT rowid, rank FROM documents WHERE documents MATCH ?", (" OR ".join(map(_phrase, terms)),)
        )
        return {rowid - 1: -rank for rowid, rank in rows}

    def _add_scores(self, scores: dict[int, float], term: Term) -> None:
        found = [(number, count, len(text)) for number, text, count in self._rows_with(term)]
        count, characters = self._connection.execute(
            "SELECT count(*), sum(length(text)) FROM documents"
        ).fetchone()
        average = characters / count
        idf = max(math.log((count - len(found) + 0.5) / (len(found) + 0.5)), FTS5_LOWEST_IDF)
        for number, frequency, length in found:
            norm = FTS5_K1 * (1 - FTS5_B + FTS5_B * length / average)
            gain = idf * frequency * (FTS5_K1 + 1) / (frequency + norm)
            scores[number] = scores.get(number, 0.0) + gain

    def _rows_with(self, term: Term) -> Iterator[tuple[int, str, int]]:
        """Number, text, and how often the term occurs in it, in stored order."""
        rows = self._connection.execute(
            "SELECT rowid, text FROM documents WHERE instr(text, ?)", (term.folded,)
        )
        find_all = bounded_pattern(term).findall if term.bounded else None
        for rowid, text in rows:
            occurrences = len(find_all(text)) if find_all else text.count(term.folded)
            if occurrences:
                yield rowid - 1, text, occurrences

    def _numbers(self, statement: str, *parameters: str | int) -> list[int]:
        return [rowid - 1 for (rowid,) in self._connection.execute(statement, parameters)]


class Fts5LongTerms(Fts5Trigram):
    """The same index asked an easier question: terms with less than three characters are left out.

    This is what an application gets that quotes the words and leaves the rest to FTS5.
    """

    name = "fts5_long_terms"
    ranked_question = "any long term"

    def first(self, query: str, limit: int = 10) -> list[int]:
        return Contestant.first(self, query, limit)

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        return self._ranked_by_index(_by_length(terms_of(query))[0], limit)

    def matching(self, query: str) -> list[int]:
        return sorted(self._index_scores(_by_length(terms_of(query))[0]))


def _by_length(terms: list[Term]) -> tuple[list[Term], list[Term]]:
    return (
        [term for term in terms if len(term.folded) >= GRAM],
        [term for term in terms if len(term.folded) < GRAM],
    )


def _phrase(term: Term) -> str:
    quoted = term.folded.replace('"', '""')
    return f'"{quoted}"'
