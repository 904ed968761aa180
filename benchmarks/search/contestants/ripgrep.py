"""ripgrep, a process for every query."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from contestants.contestant import ChangedFile, Contestant
from rules import Term, term_of, terms_of

if TYPE_CHECKING:
    from corpus import Corpus

FILES_PER_FOLDER = 1000

_RIPGREP = shutil.which("rg")
_FLAGS = ("--no-config", "--no-ignore", "--hidden", "--ignore-case", "--color=never")
_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~")


class Ripgrep(Contestant):
    """`rg --files-with-matches` over one file per document, the time including the start of the process.

    For several terms it lists the documents with any of them, unranked: the easiest question. It has no index;
    `build` writes the files, and what is timed needs no other state.
    """

    name = "ripgrep"
    ranked_question = "any term, unranked"
    is_subprocess = True
    slow_from = 10_000
    max_documents = 200_000

    def build(self, corpus: Corpus, folder: Path) -> None:
        require_ripgrep()
        for number, text in enumerate(corpus.documents):
            path = _document_path(folder, number)
            if number % FILES_PER_FOLDER == 0:
                path.parent.mkdir()
            path.write_text(text, encoding="utf-8", newline="\n")

    def open(self, folder: Path) -> None:
        require_ripgrep()
        self._folder = folder

    def first(self, query: str, limit: int = 10) -> list[int]:
        return self._numbers([term_of(query)])[:limit]

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        return self._numbers(terms_of(query))[:limit]

    def matching(self, query: str) -> list[int]:
        return self._numbers(terms_of(query))

    def update(self, changed: ChangedFile) -> None:
        for number, text in enumerate(changed.documents, changed.first):
            _document_path(self._folder, number).write_text(text, encoding="utf-8", newline="\n")

    def _numbers(self, terms: list[Term]) -> list[int]:
        output = _run("--files-with-matches", *_patterns(terms), str(self._folder))
        return sorted(int(line.rpartition(b"/")[2][:-4]) for line in output.replace(b"\\", b"/").splitlines())


class RipgrepJoined(Contestant):
    """`rg` over a single file with one document to a line; for a single term it stops at the limit."""

    name = "ripgrep_joined"
    ranked_question = "any term, unranked"
    is_subprocess = True

    def build(self, corpus: Corpus, folder: Path) -> None:
        require_ripgrep()
        with (folder / "joined.txt").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(text.replace("\n", "\t") + "\n" for text in corpus.documents)

    def open(self, folder: Path) -> None:
        require_ripgrep()
        self._file = str(folder / "joined.txt")

    def first(self, query: str, limit: int = 10) -> list[int]:
        return self._numbers([term_of(query)], f"--max-count={limit}")

    def ranked(self, query: str, limit: int = 10) -> list[int]:
        return self._numbers(terms_of(query), f"--max-count={limit}")

    def matching(self, query: str) -> list[int]:
        return self._numbers(terms_of(query))

    def _numbers(self, terms: list[Term], *flags: str) -> list[int]:
        # Of a line that is longer than one column only its number and a note are printed.
        output = _run("--line-number", "--max-columns=1", *flags, *_patterns(terms), self._file)
        return [int(line[: line.index(b":")]) - 1 for line in output.splitlines()]


def require_ripgrep() -> None:
    """Refuse to go on without the program."""
    if _RIPGREP is None:
        raise FileNotFoundError("rg is not installed; get ripgrep from the system's packages")


def _patterns(terms: list[Term]) -> list[str]:
    if any(term.bounded for term in terms):
        return [f"--regexp={_pattern(term)}" for term in terms]
    return ["--fixed-strings", *(f"--regexp={term.folded}" for term in terms)]


def _pattern(term: Term) -> str:
    # The expressions of ripgrep know no look-around; here it only matters whether a line matches at all.
    if term.bounded:
        return f"(?:^|[^A-Za-z0-9]){term.folded}(?:[^A-Za-z0-9]|$)"
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in term.folded)


def _run(*arguments: str) -> bytes:
    done = subprocess.run([str(_RIPGREP), *_FLAGS, *arguments], capture_output=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _document_path(folder: Path, number: int) -> Path:
    return folder / f"{number // FILES_PER_FOLDER:04}" / f"{number}.txt"
