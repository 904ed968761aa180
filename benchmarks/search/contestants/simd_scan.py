"""The physical limit of reading everything: one SIMD pass over the folded text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import stringzilla

from contestants.contestant import Contestant
from contestants.folded_texts import FoldedTexts, write_folded_texts
from rules import term_of

if TYPE_CHECKING:
    from corpus import Corpus

ABSENT = b"zqxjkv\x00zqxjkv"
"""What no document holds, so that looking for it is one full pass."""


class SimdScan(Contestant):
    """stringzilla's bare search over the mapped text, up to the limit; it has no index and no ranking."""

    name = "simd_scan"
    ranked_question = "any term"

    def build(self, corpus: Corpus, folder: Path) -> None:
        write_folded_texts(corpus.documents, folder)

    def open(self, folder: Path) -> None:
        self._texts = FoldedTexts(folder)

    def first(self, query: str, limit: int = 10) -> list[int]:
        texts, blob = self._texts, self._texts.blob
        folded, bounded = term_of(query)
        needle = folded.encode()
        found: list[int] = []
        at = stringzilla.find(blob, needle)
        while at >= 0:
            end = at + len(needle)
            if bounded and (_is_word(blob[at - 1] if at else 0) or _is_word(blob[end])):
                at = stringzilla.find(blob, needle, at + 1)
                continue
            number = texts.number_at(at)
            found.append(number)
            if len(found) == limit:
                break
            at = stringzilla.find(blob, needle, texts.starts[number + 1])
        return found

    def full_pass(self) -> int:
        """Read all of the text once, to no avail: -1."""
        return int(stringzilla.find(self._texts.blob, ABSENT))

    def close(self) -> None:
        self._texts.close()


def _is_word(byte: int) -> bool:
    return byte < 128 and chr(byte).isalnum()
