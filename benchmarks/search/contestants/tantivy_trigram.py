"""tantivy with a trigram tokenizer, its candidates verified, in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from contestants.contestant import ChangedFile, Contestant, Unsupported
from contestants.folded_texts import FoldedTexts, write_folded_texts
from rules import fold, term_of, tokens_of

if TYPE_CHECKING:
    from corpus import Corpus

GRAM = 3
MAX_GRAMS = 24
"""So many trigrams of a long term, evenly spaced, narrow the candidates down enough."""
HEAP_BYTES = 128_000_000
UPDATE_HEAP_BYTES = 15_000_000

_GRAMS, _WORDS, _NUMBER = "grams", "words", "number"
_INDEX, _TEXTS, _CHANGES = "index", "texts", "changes.jsonl"


class TantivyTrigram(Contestant):
    """A single term of three characters or more: the documents with its trigrams in stored order, then verified.

    What they are verified against are the folded texts, mapped from a file of their own. A shorter term has no
    trigram and is not supported. Several terms: tantivy's own BM25 (k1 1.2, lengths rounded to a byte) over
    whole white-space tokens, which is the easier question: "cache" does not find "cache,".
    """

    name = "tantivy_trigram"
    ranked_question = "any token"

    def build(self, corpus: Corpus, folder: Path) -> None:
        for name in (_INDEX, _TEXTS):
            (folder / name).mkdir()
        write_folded_texts(corpus.documents, folder / _TEXTS)
        index = tantivy.Index(_schema(), path=str(folder / _INDEX))
        _register_tokenizer(index)
        writer = index.writer(HEAP_BYTES, 1)
        for number, text in enumerate(corpus.documents):
            writer.add_document(_document(number, fold(text)))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, path=str(folder / _INDEX))
        _register_tokenizer(self._index)
        self._searcher = self._index.searcher()
        self._texts = FoldedTexts(folder / _TEXTS)
        self._changes = folder / _CHANGES
        self._changed: dict[int, bytes] = {}
        if self._changes.exists():
            for line in self._changes.read_text(encoding="utf-8").splitlines():
                number, text = json.loads(line)
                self._changed[number] = text.encode()

    def first(self, query: str, limit: int = 10) -> list[int]:
        folded = term_of(query).folded
        if len(folded) < GRAM:
            raise Unsupported
        needle = folded.encode()
        candidates = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Must, tantivy.Query.term_query(self._schema, _GRAMS, gram, "basic"))
                for gram in _grams(folded)
            ]
        )
        found: list[int] = []
        seen, wanted = 0, 2 * limit
        while True:
            hits = self._searcher.search(
                candidates,
                limit=wanted,
                offset=seen,
                count=False,
                order_by_field=_NUMBER,
                order=tantivy.Order.Asc,
            ).hits
            for number, _ in hits:
                if needle in self._folded(number):
                    found.append(number)
                    if len(found) == limit:
                        return found
            if len(hits) < wanted:
                return found
            seen += wanted
            wanted *= 8

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        return self._best(query, limit)

    def matching(self, query: str) -> list[int]:
        return sorted(self._best(query, max(1, self._searcher.num_docs)))

    def update(self, changed: ChangedFile) -> None:
        documents = [(number, fold(text)) for number, text in enumerate(changed.documents, changed.first)]
        writer = self._index.writer(UPDATE_HEAP_BYTES, 1)
        for number, text in documents:
            # Deleting by the bare term finds nothing, since a Python integer is taken for a signed one.
            writer.delete_documents_by_query(tantivy.Query.term_query(self._schema, _NUMBER, number))
            writer.add_document(_document(number, text))
        with self._changes.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in documents)
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()
        self._changed.update((number, text.encode()) for number, text in documents)

    def close(self) -> None:
        self._texts.close()

    def _best(self, query: str, limit: int) -> list[int]:
        any_token = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, _WORDS, token, "freq"))
                for token in tokens_of(query)
            ]
        )
        hits = self._searcher.search(any_token, limit=limit, count=False).hits
        numbers: list[int] = self._searcher.fast_field_values(_NUMBER, [address for _, address in hits])
        return numbers

    def _folded(self, number: int) -> bytes:
        return self._changed.get(number) or self._texts.folded(number)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field(_NUMBER, indexed=True, fast=True)
    builder.add_text_field(_GRAMS, tokenizer_name="trigrams", index_option="basic")
    builder.add_text_field(_WORDS, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _register_tokenizer(index: tantivy.Index) -> None:
    trigrams = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(GRAM, GRAM, prefix_only=False))
    index.register_tokenizer("trigrams", trigrams.build())


def _document(number: int, folded: str) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned(_NUMBER, number)
    document.add_text(_GRAMS, folded)
    document.add_text(_WORDS, folded)
    return document


def _grams(folded: str) -> list[str]:
    last = len(folded) - GRAM
    count = min(last + 1, MAX_GRAMS)
    places = (round(last * n / (count - 1)) for n in range(count)) if count > 1 else (0,)
    return list(dict.fromkeys(folded[place : place + GRAM] for place in places))
