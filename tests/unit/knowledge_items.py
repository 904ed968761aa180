"""Knowledge for tests: items without files, folders with files, and an embedder that is not worth its name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from files_on_disk import write
from indexed import corpus_of

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeReading
from lsp_server.core.knowledge.errors import KnowledgeError
from lsp_server.core.knowledge.index import (
    KnowledgeIndex,
    index_knowledge,
    knowledge_entries,
    passage_at,
    read_knowledge_record,
    text_to_embed,
)
from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.knowledge.tokens import tokens_of
from lsp_server.core.search_knowledge import Similarities

LEXICAL = StoreOptions(knowledge_semantic=False)


def item(item_id: str = "deploy", text: str = "", **known: Any) -> KnowledgeItem:
    """A published item; what is not given is not there."""
    nothing = dict.fromkeys(("owner", "team", "scope", "source", "citation", "locator"))
    of_file = {
        "base_id": "runbooks",
        "revision_id": "0" * 40,
        "title": item_id,
        "status": "published",
        "body_line": 1,
        "path": f"/w/.knowledge/runbooks/{item_id}.md",
    }
    return KnowledgeItem(item_id=item_id, text=text, **{**of_file, **nothing, **known})


def knowledge_index(items: Sequence[KnowledgeItem]) -> KnowledgeIndex:
    entries = [entry for each in items for entry in knowledge_entries([each])]
    return index_knowledge(corpus_of(entries, read_knowledge_record))


def snapshot_of(index: KnowledgeIndex) -> Snapshot[KnowledgeIndex]:
    return Snapshot(index, "complete", (), {}, ("/w/.knowledge",), 0, 0, is_complete=True)


class WordEmbedder:
    """Vectors that are as near as the words of two texts are common. Counts what it is asked for."""

    dimension = 64

    def __init__(self, name: str = "words 1") -> None:
        self.name = name
        self.asked: list[str] = []
        self.loads = 0
        self.before_each: Callable[[], None] = lambda: None
        """Called before a batch."""
        self._counting = threading.Lock()

    def load(self) -> None:
        with self._counting:
            self.loads += 1

    def embed(self, texts: Sequence[str]) -> Numbers:
        self.before_each()
        with self._counting:
            self.asked += texts
        assert all(text.strip() for text in texts)
        return np.array([self._vector(text) for text in texts], np.float32).reshape(-1, self.dimension)

    @property
    def passages(self) -> list[str]:
        """Those of the texts that were passages; only these stand below a title."""
        return [text for text in self.asked if "\n" in text]

    def _vector(self, text: str) -> Numbers:
        # One more than a text has, so that nothing is without a vector.
        vector = np.zeros(self.dimension)
        for token in [*tokens_of(text), "."]:
            digest = crc32(token.encode("utf-8", "surrogatepass"))
            # The sign lets a cosine be negative.
            vector[digest % self.dimension] += 1 if digest & 0x10000 else -1
        length = float(np.linalg.norm(vector))
        unit: Numbers = vector / length if length else np.eye(1, self.dimension)[0]
        return unit


def similarities_of(index: KnowledgeIndex, query: str, embedder: WordEmbedder) -> Similarities:
    """The cosines of a query and all passages, without the table that is kept in earnest."""
    positions = index.passages.tolist()
    texts = [text_to_embed(*passage_at(index, position)) for position in positions]
    cosines = embedder.embed(texts).astype(float) @ embedder.embed([query])[0].astype(float)
    by_key = dict(zip(index.passage_keys.tolist(), cosines.tolist(), strict=True))
    return lambda keys: np.array([by_key[key] for key in keys.tolist()])


# --- on the disk ---


def write_items(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below `.knowledge`, `runbooks/deploy.md` for one."""
    for name, content in files.items():
        write(root / ".knowledge" / name, content)


def open_with(
    root: Path,
    embedder: WordEmbedder | None,
    monkeypatch: pytest.MonkeyPatch,
    options: StoreOptions | None = None,
    **opening: Any,
) -> AbstractContextManager[SearchCore]:
    """Open a root as if this embedder were installed."""
    monkeypatch.setattr("lsp_server.core.search_core.installed_embedder", lambda: embedder)
    return SearchCore.open(root, options, **{"cached": False, **opening})


def ask(core: SearchCore, query: str, **parameters: object) -> KnowledgeAnswer:
    answer = core.knowledge({"query": query, **parameters})
    assert isinstance(answer, KnowledgeAnswer)
    return answer


def read(core: SearchCore, item_id: str, **parameters: object) -> KnowledgeReading:
    answer = core.knowledge({"knowledge_item_id": item_id, **parameters})
    assert isinstance(answer, KnowledgeReading)
    return answer


def error_of(core: SearchCore, parameters: Mapping[str, object]) -> KnowledgeError:
    """What a request is refused with."""
    with pytest.raises(KnowledgeError) as refused:
        core.knowledge(parameters)
    return refused.value


def ids(answer: KnowledgeAnswer) -> list[str]:
    """The found items in order."""
    return [result.item.item_id for result in answer.results]


def same(values: Iterable[object]) -> bool:
    """Whether all of some values are equal."""
    first, *rest = values
    return all(value == first for value in rest)
