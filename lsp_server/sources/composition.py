"""The sources of a root: which modules read which files. To add a source, add it here and to the core."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from lsp_server.core.model import StoreOptions
from lsp_server.core.source import Source, Sources
from lsp_server.sources import board, contracts, knowledge, memory, wiki
from lsp_server.sources.layout import masc_layout
from lsp_server.sources.verification import verify_all


def open_sources(root: Path, options: StoreOptions) -> Sources:
    """The sources below `root`; nothing is read yet."""
    layout = masc_layout(root)
    return Sources(
        memory=Source(
            "memory",
            list_files=partial(memory.list_snapshots, layout, options.keeper),
            read_file=memory.read_snapshot,
        ),
        wiki=Source(
            "wiki",
            list_files=partial(wiki.list_pages, root, layout.base, options.wiki_folders),
            read_file=partial(wiki.read_page, max_bytes=options.max_file_bytes),
        ),
        board=Source(
            "board",
            list_files=partial(board.list_board, layout),
            read_file=board.read_board_file,
        ),
        contracts=Source(
            "contracts",
            list_files=partial(contracts.list_plans, root),
            read_file=partial(contracts.read_plan, max_bytes=options.max_file_bytes),
        ),
        knowledge=Source(
            "knowledge",
            list_files=partial(knowledge.list_items, root, options.knowledge_folders),
            read_file=partial(
                knowledge.read_item,
                root=root,
                configured=options.knowledge_folders,
                max_bytes=options.max_file_bytes,
            ),
        ),
        verify=partial(verify_all, layout.base),
        read_revision=partial(knowledge.read_revision, max_bytes=options.max_file_bytes),
    )
