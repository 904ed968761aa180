"""The search core: knows no LSP and no file format, prints nothing, writes to no store.

`SearchCore` is the one door for every caller. It is imported when it is first asked for, since it brings
numpy, which takes longer than everything else that a server needs to answer `initialize`.
"""

from typing import TYPE_CHECKING, Any

from lsp_server.core.model import QueryError, StoreOptions

if TYPE_CHECKING:
    from lsp_server.core.search_core import SearchCore

__all__ = ["QueryError", "SearchCore", "StoreOptions"]


def __getattr__(name: str) -> Any:
    if name == "SearchCore":
        from lsp_server.core.search_core import SearchCore

        return SearchCore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
