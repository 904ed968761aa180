"""What goes wrong with a request for knowledge (seeds/search-knowledge.md, Errors).

Each error has the code that programs see. `ResourceUnavailableError` says the same of an item that does not
exist, is not published, or lies outside the allowed scopes: its message must not tell which.
"""

from __future__ import annotations

from typing import ClassVar


class KnowledgeError(Exception):
    """A request that gets no answer; the message is one line."""

    code: ClassVar[str]


class InvalidRequestError(KnowledgeError):
    """The shape, a type or a range is wrong, or a query is mixed with an address."""

    code = "knowledge_invalid_request"


class QueryRequiredError(KnowledgeError):
    """There is neither a query nor an item."""

    code = "knowledge_query_required"


class ItemRequiredError(KnowledgeError):
    """There is a revision without the item that it is one of."""

    code = "knowledge_item_required"


class ResourceUnavailableError(KnowledgeError):
    """The base, item or revision is not there for this caller, for whatever reason."""

    code = "knowledge_resource_unavailable"

    def __init__(self) -> None:
        super().__init__("no such published knowledge item or revision is available here")


class RuntimeDisabledError(KnowledgeError):
    """The runtime is switched off; this is a state, not a fault, and memory is no substitute."""

    code = "knowledge_runtime_disabled"

    def __init__(self) -> None:
        super().__init__("knowledge is switched off by the setting knowledge.enable")


class SemanticUnavailableError(KnowledgeError):
    """Semantic search was asked for by name and cannot be had (our own code; the seed has none)."""

    code = "knowledge_semantic_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(_NO_SEMANTICS[reason])
        self.reason = reason


_NO_SEMANTICS = {
    "semantic_unavailable": "semantic search needs the optional extra: pip install 'prior-art-lsp[semantic]'",
    "semantic_loading": "the passages are still being embedded; ask again, or ask in another mode meanwhile",
}
