"""Matches that more than one test writes into documents."""

from lsp_server.core.model import Contract, ContractMatch

CONTRACT = ContractMatch(
    wp_id="WP-ST-1",
    wp_title="",
    wp_state="SUCCESS",
    source="archive",
    unit_index=2,
    unit_title="Refuse",
    unit_state="SUCCESS",
    contract=Contract("a", "b", "p"),
    result_summary=None,
    relevance="exact",
    tags=("refusing-rotation", "checking-clock"),
    path="/w/.gem-squared/archive/WP-ST-1.md",
    line=7,
)
