"""Queries of every class, drawn from a corpus and sorted into classes by naive counting.

Single tokens and whole phrases are asked of `first`, several terms of `ranked`.
"""

from __future__ import annotations

import random
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from identifiers import CODE, FILE_NAME
from reference import Reference
from rules import MAX_QUERY_CHARACTERS, term_of

SEED = 7
QUERIES_PER_CLASS = 40
MAX_ATTEMPTS = 4000
RARE_DOCUMENTS = 3
MEDIUM_SHARE = (0.001, 0.01)
COMMON_SHARE = 0.03

SINGLE_TOKEN = "rare medium common midword miss ascii1 ascii2 ko1 ko2 code filename".split()
PHRASES = "phrase4 kophrase long200".split()
SEVERAL_TERMS = "multi3 phrase4 kophrase long200 common3".split()

_AROUND_WORDS = string.punctuation
_HANGUL = ("가", "힣")


@dataclass(frozen=True)
class Queries:
    """Queries by class, for each operation."""

    first: dict[str, list[str]]
    ranked: dict[str, list[str]]


def queries_of(documents: tuple[str, ...], reference: Reference) -> Queries:
    """Up to `QUERIES_PER_CLASS` distinct queries of every class; small corpora have fewer of some."""
    draw = _Draw(documents, reference)
    single = {name: list(getattr(draw, name)()) for name in SINGLE_TOKEN}
    phrases = {name: list(getattr(draw, name)()) for name in PHRASES}
    several = {
        "multi3": list(draw.multi3()),
        **phrases,
        "common3": list(draw.common3(single["common"])),
    }
    return Queries(single | phrases, {name: several[name] for name in SEVERAL_TERMS})


class _Draw:
    """One method per class."""

    def __init__(self, documents: tuple[str, ...], reference: Reference) -> None:
        self._documents = documents
        self._reference = reference
        self._rng = random.Random(f"{SEED}:{len(documents)}")
        # How many documents hold a token as a whole; its document frequency as a term is never lower.
        self._holders = Counter(
            word for folded in reference.folded for word in {w.strip(_AROUND_WORDS) for w in folded.split()}
        )
        self._words = [word for word in self._holders if len(word) >= 3 and word.isprintable()]

    def rare(self) -> Iterator[str]:
        return self._with_frequency(1, RARE_DOCUMENTS)

    def medium(self) -> Iterator[str]:
        lowest, highest = (max(1, round(share * len(self._documents))) for share in MEDIUM_SHARE)
        return self._with_frequency(lowest, highest)

    def common(self) -> Iterator[str]:
        lowest = int(COMMON_SHARE * len(self._documents)) + 1
        return self._with_frequency(lowest, len(self._documents))

    def midword(self) -> Iterator[str]:
        def slice_of_token() -> str:
            word = self._token().strip(_AROUND_WORDS)
            if len(word) < 6:
                return ""
            length = self._rng.randint(3, min(8, len(word) - 2))
            start = self._rng.randint(1, len(word) - 1 - length)
            return word[start : start + length]

        return self._distinct(slice_of_token)

    def miss(self) -> Iterator[str]:
        def misspelt() -> str:
            word = list(self._rng.choice(self._words))
            for _ in range(2):
                word[self._rng.randrange(len(word))] = self._rng.choice(string.ascii_lowercase)
            return "".join(word)

        return self._distinct(misspelt, lambda query: self._frequency(query) == 0)

    def ascii1(self) -> Iterator[str]:
        return self._distinct(lambda: self._rng.choice(string.ascii_letters + string.digits), key=str.lower)

    def ascii2(self) -> Iterator[str]:
        """Half of them words of their own somewhere, half only known to stand inside of words."""

        def pair() -> str:
            word = self._token().strip(_AROUND_WORDS)
            if self._rng.random() < 0.5:
                return word if len(word) == 2 else ""
            start = self._rng.randrange(max(1, len(word) - 1))
            return word[start : start + 2]

        return self._distinct(pair, lambda query: len(query) == 2 and term_of(query).bounded)

    def ko1(self) -> Iterator[str]:
        return self._distinct(lambda: self._hangul(1))

    def ko2(self) -> Iterator[str]:
        return self._distinct(lambda: self._hangul(2))

    def code(self) -> Iterator[str]:
        return self._distinct(lambda: self._pick(CODE.findall(self._document())))

    def filename(self) -> Iterator[str]:
        return self._distinct(lambda: self._pick(FILE_NAME.findall(self._document())))

    def multi3(self) -> Iterator[str]:
        """Three words from random places, so a frequent word is as frequent here as in prose."""
        return self._distinct(lambda: " ".join(filter(None, (self._bare_token() for _ in range(3)))))

    def phrase4(self) -> Iterator[str]:
        return self._distinct(lambda: " ".join(self._line_words(4)))

    def kophrase(self) -> Iterator[str]:
        def korean_words() -> str:
            words = self._line_words(self._rng.randint(2, 4))
            return " ".join(words) if sum(map(_is_korean, words)) >= 2 else ""

        return self._distinct(korean_words)

    def long200(self) -> Iterator[str]:
        def many_words() -> str:
            words = self._line_words(60, at_least=8)
            while len(" ".join(words)) > MAX_QUERY_CHARACTERS:
                words.pop()
            return " ".join(words)

        return self._distinct(many_words, lambda query: len(query) > MAX_QUERY_CHARACTERS * 0.8)

    def common3(self, common: list[str]) -> Iterator[str]:
        return self._distinct(lambda: " ".join(self._rng.sample(common, 3)) if len(common) >= 3 else "")

    # --- how they are drawn

    def _distinct(
        self,
        draw: Callable[[], str],
        is_wanted: Callable[[str], bool] = lambda _: True,
        key: Callable[[str], str] = str,
    ) -> Iterator[str]:
        seen: set[str] = set()
        found = 0
        for _ in range(MAX_ATTEMPTS):
            query = draw()
            if not query or key(query) in seen or len(query) > MAX_QUERY_CHARACTERS:
                continue
            seen.add(key(query))
            if is_wanted(query):
                yield query
                found += 1
                if found == QUERIES_PER_CLASS:
                    return

    def _with_frequency(self, lowest: int, highest: int) -> Iterator[str]:
        words = [word for word in self._words if lowest / 2 <= self._holders[word] <= highest]
        return self._distinct(
            lambda: self._pick(words), lambda query: lowest <= self._frequency(query) <= highest
        )

    def _frequency(self, query: str) -> int:
        return self._reference.document_frequency(term_of(query))

    def _document(self) -> str:
        return self._rng.choice(self._documents)

    def _token(self) -> str:
        return self._rng.choice(self._document().split())

    def _bare_token(self) -> str:
        return self._token().strip(_AROUND_WORDS)

    def _pick(self, choices: list[str]) -> str:
        return self._rng.choice(choices) if choices else ""

    def _line_words(self, count: int, at_least: int | None = None) -> list[str]:
        """Consecutive words of a random line; none where the line is too short."""
        words = self._rng.choice([line for line in self._document().split("\n") if line]).split(" ")
        if len(words) < (at_least or count):
            return []
        start = self._rng.randint(0, len(words) - (at_least or count))
        return words[start : start + count]

    def _hangul(self, count: int) -> str:
        word = self._token()
        places = [n for n in range(len(word) - count + 1) if _is_hangul(word[n : n + count])]
        start = self._rng.choice(places) if places else 0
        return word[start : start + count] if places else ""


def _is_hangul(text: str) -> bool:
    return all(_HANGUL[0] <= letter <= _HANGUL[1] for letter in text)


def _is_korean(word: str) -> bool:
    return any(map(_is_hangul, word))
