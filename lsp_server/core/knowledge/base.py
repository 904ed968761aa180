"""The knowledge of one root: who may see what, whether semantics take part, and what is read to the letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.snapshot import Snapshot
from lsp_server.core.knowledge.answer import KnowledgeAnswer, KnowledgeReading
from lsp_server.core.knowledge.errors import (
    ResourceUnavailableError,
    RuntimeDisabledError,
    SemanticUnavailableError,
)
from lsp_server.core.knowledge.index import (
    KnowledgeIndex,
    find_item,
    passage_at,
    text_to_embed,
)
from lsp_server.core.knowledge.item import KnowledgeItem
from lsp_server.core.knowledge.request import AddressedRead, KnowledgeQuery, read_request
from lsp_server.core.knowledge.vectors import Unavailable, Vectors
from lsp_server.core.model import KnowledgeMatch, Reading, SourceAnswer, StoreOptions
from lsp_server.core.search_knowledge import Similarities, items_about, search_knowledge
from lsp_server.core.source import ReadRevision

InBackground = Callable[[Callable[[], None]], None]


class KnowledgeBase:
    """Answers requests about a snapshot of the knowledge store. Safe to use from several threads.

    Parameters
    ----------
    vectors
        `None` without an embedder.
    in_background
        Does work later; `None` has a question wait for the vectors that it needs.
    """

    def __init__(
        self,
        options: StoreOptions,
        read_file: Callable[[Path], Reading[KnowledgeItem]],
        read_revision: ReadRevision,
        vectors: Vectors | None,
        in_background: InBackground | None,
        is_closed: Callable[[], bool],
    ) -> None:
        self._options = options
        self._read_file = read_file
        self._read_revision = read_revision
        self._vectors = vectors
        self._in_background = in_background
        self._is_closed = is_closed

    def ask(
        self, snapshot: Snapshot[KnowledgeIndex], parameters: Mapping[str, object]
    ) -> KnowledgeAnswer | KnowledgeReading:
        """Answer a request of either shape, with the seed's parameters.

        Raises
        ------
        KnowledgeError
            As the seed says, in the precedence of spec/knowledge.md §1.1.
        """
        if not self._options.knowledge_enabled:
            raise RuntimeDisabledError
        request = read_request(parameters)
        if isinstance(request, AddressedRead):
            return self._read(snapshot.index, request)
        return self._search(snapshot, request)

    def about(
        self, snapshot: Snapshot[KnowledgeIndex], phrase: str, limit: int | None
    ) -> SourceAnswer[KnowledgeMatch]:
        """Items that contain a phrase, for an editor; semantics take part only if nobody has to wait."""
        if not self._options.knowledge_enabled:
            return SourceAnswer("absent")
        similarities, _ = self._similarities(snapshot.index, phrase, may_wait=False)
        return items_about(snapshot, phrase, limit, similarities)

    def _search(self, snapshot: Snapshot[KnowledgeIndex], query: KnowledgeQuery) -> KnowledgeAnswer:
        similarities: Similarities | None = None
        degraded: Unavailable | None = None
        if query.mode != "lexical":
            similarities, degraded = self._similarities(snapshot.index, query.query, may_wait=True)
        if query.mode == "semantic" and degraded is not None:
            raise SemanticUnavailableError(degraded)
        return search_knowledge(snapshot, query, similarities, degraded)

    def _read(self, index: KnowledgeIndex, request: AddressedRead) -> KnowledgeReading:
        head = find_item(index, request.item_id, request.base_id)
        if head is None:
            raise ResourceUnavailableError
        # The current revision is the file on disk, whatever the index has seen of it.
        item = self._seen(self._read_file(Path(head.path)), head)
        if request.revision_id is not None and request.revision_id != item.revision_id:
            item = self._seen(self._read_revision(item, request.revision_id), head)
        content = item.text[request.offset : request.offset + request.limit_chars]
        return KnowledgeReading(item, content, request.offset, request.limit_chars)

    def _seen(self, reading: Reading[KnowledgeItem], head: KnowledgeItem) -> KnowledgeItem:
        """The item of a reading, if it is the one that was found and may be seen as it is there."""
        scopes = self._options.knowledge_scopes
        for item in reading.documents:
            is_same = (item.base_id, item.item_id) == (head.base_id, head.item_id)
            in_scope = not scopes or item.scope is None or item.scope in scopes
            if is_same and item.status == "published" and in_scope:
                return item
        raise ResourceUnavailableError

    def _similarities(
        self, index: KnowledgeIndex, query: str, *, may_wait: bool
    ) -> tuple[Similarities | None, Unavailable | None]:
        """How near each passage is to the query, or why that cannot be said."""
        vectors = self._vectors
        if vectors is None:
            return None, "semantic_unavailable"
        table = vectors.ready_for(index.passage_keys)
        if table is None and self._in_background is not None:
            self._in_background(lambda: self._make(vectors, index))
        elif table is None and may_wait:
            self._make(vectors, index)
            table = vectors.ready_for(index.passage_keys)
        if table is None:
            return None, "semantic_loading"
        ready = table
        return lambda keys: vectors.similarities(query, ready, keys), None

    def _make(self, vectors: Vectors, index: KnowledgeIndex) -> None:
        order = np.argsort(index.passage_keys, kind="stable")
        in_order = index.passage_keys[order]

        def texts(keys: Numbers) -> list[str]:
            positions = index.passages[order[np.searchsorted(in_order, keys)]]
            return [text_to_embed(*passage_at(index, position)) for position in positions.tolist()]

        vectors.make(np.unique(index.passage_keys), texts, lambda: not self._is_closed())
