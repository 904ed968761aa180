"""What a match leaves in the clipboard: the claim, the contract as a unit-work, else where it stands."""

from __future__ import annotations

from pathlib import Path

from lsp_server.citation import citation
from lsp_server.core.model import ContractMatch, Fact
from lsp_server.lookup import AnyMatch
from lsp_server.plan_insertion import UNIT_LEVEL, unit_lines
from lsp_server.render import one_line


def copy_text(match: AnyMatch, root: Path) -> str:
    """The text to copy; paths below `root` are relative to it, a contract's A, B and P are verbatim."""
    if isinstance(match, Fact):
        return match.text
    if isinstance(match, ContractMatch):
        return "\n".join(unit_lines(match, match.unit_index, UNIT_LEVEL)) + "\n"
    return one_line(citation(match, root))
