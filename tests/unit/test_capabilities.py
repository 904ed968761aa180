"""What a client says of our own in its experimental capabilities, which may hold anything."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_server.capabilities import client_commands, follows_command_links

BOTH = frozenset({"priorArt.copy", "priorArt.showAll"})


@pytest.mark.parametrize(
    ("experimental", "commands", "links"),
    [
        (None, frozenset(), False),
        (7, frozenset(), False),
        ([], frozenset(), False),
        ("priorArt", frozenset(), False),
        ({}, frozenset(), False),
        ({"priorArt": None}, frozenset(), False),
        ({"priorArt": ["priorArt.copy"]}, frozenset(), False),
        ({"priorArt": {}}, frozenset(), False),
        ({"priorArt": {"commands": None, "commandLinks": None}}, frozenset(), False),
        ({"priorArt": {"commands": "priorArt.copy", "commandLinks": 1}}, frozenset(), False),
        ({"priorArt": {"commands": {"priorArt.copy": True}, "commandLinks": "true"}}, frozenset(), False),
        ({"priorArt": {"commands": [1, None, {}, [], True], "commandLinks": []}}, frozenset(), False),
        ({"priorArt": {"commands": [1, "priorArt.copy", "priorart.showall"]}}, {"priorArt.copy"}, False),
        ({"priorArt": {"commands": ["priorArt.open", "editor.action.rename"]}}, frozenset(), False),
        ({"priorArt": {"commands": [*BOTH, *BOTH], "commandLinks": True}, "other": 1}, BOTH, True),
    ],
    ids=str,
)
def test_only_what_is_well_said_counts(experimental: Any, commands: frozenset[str], links: bool) -> None:
    client = types.ClientCapabilities(experimental=experimental)
    assert client_commands(client) == commands
    assert follows_command_links(client) is links
