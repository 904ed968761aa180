"""Corpora as a workspace has them on disk: facts in keepers' snapshots, or wiki pages.

`facts-10k` is 10,000 claims of 20 to 60 words, 100 to a snapshot; `pages-1k` is 1,000 Markdown pages of 3 to
10 KB. Everything follows from `SEED` and the prose of the running Python; a smaller corpus is the beginning of a
larger one. Corpora are kept, and made anew when a generator changes.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import identifiers
import korean
import prose
from identifiers import Names

Kind: TypeAlias = Literal["facts", "pages"]

SEED = 20_251
FACTS_PER_FILE = 100
PAGES_PER_FOLDER = 100
FACTS_PER_PAGE = 10
"""A corpus of pages has a tenth as many documents as the corpus of facts of the same size."""
KOREAN_SHARE = 0.12
CLAIM_WORDS = (20, 60)
PAGE_BYTES = (3_000, 9_000)
"""When the next block is the last one; a page then has 3 to 10 KB of UTF-8."""
CATEGORIES = "code_change fact preference blocker goal constraint validated_approach lesson".split()
FIRST_SEEN_SECONDS = 1_756_000_000.0

CHANGE_COUNT = 7
MARK = "zqmark"
"""Every document of change number 3 holds the word `zqmark3`, which no other document holds."""

_MANIFEST = "corpus.json"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the workspace and the documents it holds: `count` of them, numbered from `first`."""

    path: str
    """Relative to the root, with forward slashes."""
    first: int
    count: int


@dataclass(frozen=True)
class Corpus:
    """One generated workspace. Documents are numbered from 0 in stored order."""

    kind: Kind
    folder: Path

    @property
    def root(self) -> Path:
        """The workspace: what an editor would have opened."""
        return self.folder / "root"

    @property
    def name(self) -> str:
        """Such as `facts-10k`."""
        return self.folder.name

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """All files in stored order."""
        return tuple(SourceFile(*row) for row in self._manifest["files"])

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The text of every document, as it stands in its file."""
        return tuple(text for file in self.files for text in read_documents(self.kind, self.root / file.path))

    @cached_property
    def changes(self) -> tuple[tuple[str, ...], ...]:
        """What the changing file holds after each change."""
        return tuple(map(tuple, self._manifest["changes"]))

    @property
    def changing_file(self) -> SourceFile:
        """The file that is changed in order to time an update: the middle one."""
        return _middle(self.files)

    def change(self, documents: Sequence[str]) -> None:
        """Write other documents into the changing file."""
        write_documents(self.kind, self.root / self.changing_file.path, documents)

    def restore(self) -> None:
        """Undo every change, also those of a run that was broken off."""
        original = self._manifest["original"]
        if read_documents(self.kind, self.root / self.changing_file.path) != original:
            self.change(original)

    @property
    def made_by(self) -> str:
        """Fingerprint of the generator."""
        return str(self._manifest["made_by"])

    def __len__(self) -> int:
        return self.files[-1].first + self.files[-1].count

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = json.loads((self.folder / _MANIFEST).read_text(encoding="utf-8"))
        return manifest


def size_of(text: str) -> int:
    """The number that `1k`, `100k` or `1M` names."""
    factors = {"k": 1_000, "M": 1_000_000}
    return int(text[:-1]) * factors[text[-1]] if text[-1:] in factors else int(text)


def label_of(number: int) -> str:
    """The short form of a number of documents; the reverse of `size_of`."""
    for letter, factor in (("M", 1_000_000), ("k", 1_000)):
        if number >= factor and number % factor == 0:
            return f"{number // factor}{letter}"
    return str(number)


def corpus_of(kind: Kind, facts: int, corpora: Path) -> Corpus:
    """The corpus of a kind and a size, generated below the folder `corpora` unless it is there already."""
    count = facts if kind == "facts" else max(1, facts // FACTS_PER_PAGE)
    corpus = Corpus(kind, corpora / f"{kind}-{label_of(count)}")
    if corpus.folder.exists():
        if (corpus.folder / _MANIFEST).exists() and corpus.made_by == _fingerprint():
            return corpus
        shutil.rmtree(corpus.folder)
    files = list((_write_facts if kind == "facts" else _write_pages)(corpus.root, count))
    changing = _middle(files)
    manifest = {
        "made_by": _fingerprint(),
        "files": [astuple(file) for file in files],
        "original": read_documents(kind, corpus.root / changing.path),
        "changes": [_change(kind, changing, number) for number in range(CHANGE_COUNT)],
    }
    # Last of all, so that what was broken off is not taken for a corpus.
    (corpus.folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return Corpus(kind, corpus.folder)


def read_documents(kind: Kind, path: Path) -> list[str]:
    """The documents of one file in stored order."""
    text = path.read_text(encoding="utf-8")
    return [fact["claim"] for fact in json.loads(text)["facts"]] if kind == "facts" else [text]


def write_documents(kind: Kind, path: Path, documents: Sequence[str]) -> None:
    """Write one file of a workspace as a store does: to a neighbour, then renamed."""
    text = _snapshot(documents) if kind == "facts" else documents[0]
    neighbour = path.with_name(f"{path.name}.tmp")
    neighbour.write_text(text, encoding="utf-8", newline="\n")
    neighbour.replace(path)


def _middle(files: Sequence[SourceFile]) -> SourceFile:
    return files[len(files) // 2]


def _change(kind: Kind, file: SourceFile, number: int) -> list[str]:
    writer = _Writer(random.Random(f"{SEED}:change:{number}"))
    documents = _claims(writer, file.count) if kind == "facts" else [writer.page(file.first)]
    return [f"{text} {MARK}{number}" for text in documents]


# --- facts -----------------------------------------------------------------------------------------------


def _write_facts(root: Path, count: int) -> Iterator[SourceFile]:
    folder = root / ".masc" / "keepers"
    folder.mkdir(parents=True)
    writer = _Writer(random.Random(f"{SEED}:facts"))
    for first in range(0, count, FACTS_PER_FILE):
        claims = _claims(writer, min(FACTS_PER_FILE, count - first))
        path = folder / f"keeper-{first // FACTS_PER_FILE:05}.memory-current.json"
        path.write_text(_snapshot(claims), encoding="utf-8", newline="\n")
        yield SourceFile(path.relative_to(root).as_posix(), first, len(claims))


def _claims(writer: _Writer, count: int) -> list[str]:
    claims: dict[str, None] = {}
    while len(claims) < count:  # A snapshot must not hold the same claim twice.
        claims[" ".join(writer.claim())] = None
    return list(claims)


def _snapshot(claims: Sequence[str]) -> str:
    facts = [
        {
            "claim": claim,
            "category": CATEGORIES[len(claim) % len(CATEGORIES)],
            "first_seen": FIRST_SEEN_SECONDS + len(claim),
        }
        for claim in claims
    ]
    return json.dumps({"facts": facts}, ensure_ascii=False)


# --- pages -----------------------------------------------------------------------------------------------


def _write_pages(root: Path, count: int) -> Iterator[SourceFile]:
    writer = _Writer(random.Random(f"{SEED}:pages"))
    for number in range(count):
        folder = root / "docs" / "wiki" / f"{number // PAGES_PER_FOLDER:03}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"page-{number:06}.md"
        path.write_text(writer.page(number), encoding="utf-8", newline="\n")
        yield SourceFile(path.relative_to(root).as_posix(), number, 1)


# --- text ------------------------------------------------------------------------------------------------


class _Writer:
    """Composes claims and pages out of prose, names and Korean."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._prose = _prose()
        self._names = _names()

    def claim(self) -> list[str]:
        return self._words(self._rng.randint(*CLAIM_WORDS), self._rng.random() < KOREAN_SHARE)

    def page(self, number: int) -> str:
        rng = self._rng
        in_korean = rng.random() < KOREAN_SHARE
        wanted = rng.randint(*PAGE_BYTES)
        blocks = [f"# {number} {' '.join(self._words(5, in_korean))}"]
        length = 0
        while length < wanted:
            block = self._block(in_korean and rng.random() < 0.5)
            length += len(block.encode())
            blocks.append(block)
        return "\n\n".join(blocks) + "\n"

    def _block(self, in_korean: bool) -> str:
        rng = self._rng
        kind = rng.random()
        if kind < 0.15:
            return f"## {' '.join(self._words(rng.randint(2, 6), in_korean))}"
        if kind < 0.3:
            return "\n".join(f"- {' '.join(self._words(rng.randint(6, 14), in_korean))}" for _ in range(4))
        if kind < 0.4:
            lines = (f"{self._names.draw(rng)} = {self._names.draw(rng)}" for _ in range(5))
            return "\n".join(("```", *lines, "```"))
        return " ".join(self._words(rng.randint(*CLAIM_WORDS), in_korean))

    def _words(self, count: int, in_korean: bool) -> list[str]:
        rng = self._rng
        if in_korean:
            words: list[str] = []
            while len(words) < count:
                words += korean.sentence(rng, self._names.draw)
                if rng.random() < 0.2:
                    words += self._window(rng.randint(2, 8))
            return words[:count]
        names = rng.randint(1, 2 + count // 6)
        words = self._window(max(1, count - names))
        for _ in range(names):
            words.insert(rng.randrange(len(words) + 1), self._names.draw(rng))
        return words

    def _window(self, count: int) -> list[str]:
        start = self._rng.randrange(len(self._prose) - count)
        return self._prose[start : start + count]


@cache
def _prose() -> list[str]:
    return prose.prose_words()


@cache
def _names() -> Names:
    return Names(prose.plain_words(_prose()))


@cache
def _fingerprint() -> str:
    """Of what a corpus follows from: the generator's source and the Python version."""
    digest = hashlib.sha256(sys.version.encode())
    for module in (__file__, prose.__file__, identifiers.__file__, korean.__file__):
        digest.update(Path(module).read_bytes())
    return digest.hexdigest()
