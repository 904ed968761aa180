"""How many matches each lookup gives, stated as data (seeds/prior-art.md, table of nodes).

A limit that was left to a tool's default would change the size of an answer without a word here.
"""

from __future__ import annotations

from lsp_server.core.model import SourceName

PRIOR_ART_SOURCES: tuple[SourceName, ...] = ("memory", "wiki", "board")

MEMORY_LIMIT = 5
WIKI_LIMIT: int | None = None
"""The wiki lookup has no count parameter: one title per matching page."""
BOARD_LIMIT = 10
CONTRACT_LIMIT = 5
"""seeds/search-kg.md, A.limit."""
