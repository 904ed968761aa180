"""The search core: knows no LSP and no file format, prints nothing, writes to no store.

`SearchCore` is the one door for every caller.
"""

from lsp_server.core.model import QueryError, StoreOptions
from lsp_server.core.search_core import SearchCore

__all__ = ["QueryError", "SearchCore", "StoreOptions"]
