"""Real English prose that every Python brings along: the words of its documentation.

Docstrings and comments of the standard library and the topics of `pydoc`, read as files, so that nothing is
imported that could have an effect. Another Python version has slightly other prose.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

SKIPPED_FOLDERS = frozenset(
    "__pycache__ dist-packages ensurepip idlelib lib2to3 pydoc_data site-packages test tests turtledemo".split()
)
MAX_WORD_CHARACTERS = 40

_WORD = re.compile(r"(?=.*[A-Za-z0-9])[\x21-\x7e]+")
_PLAIN_WORD = re.compile(r"[a-z]{3,10}")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def prose_words() -> list[str]:
    """All words in reading order: printable ASCII with a letter or digit, at most 40 characters long."""
    texts = [topics[name] for name in sorted(topics)]
    texts += [text for path in _library_files() for text in _prose_of(path)]
    return [
        word
        for text in texts
        for word in text.split()
        if len(word) <= MAX_WORD_CHARACTERS and _WORD.fullmatch(word)
    ]


def plain_words(words: list[str]) -> list[str]:
    """The distinct lower-case words that occur at least three times, sorted; identifiers are made of them."""
    return sorted(
        word for word, count in Counter(words).items() if count >= 3 and _PLAIN_WORD.fullmatch(word)
    )


def _library_files() -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    paths = (path for path in root.rglob("*.py") if SKIPPED_FOLDERS.isdisjoint(path.relative_to(root).parts))
    return sorted(paths)


def _prose_of(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8", errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            yield ast.get_docstring(node) or ""
    comments = (line.strip() for line in source.splitlines())
    yield "\n".join(line[2:] for line in comments if line.startswith("# "))
