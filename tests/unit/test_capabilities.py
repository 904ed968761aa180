"""What a client says of our own in its experimental capabilities, which may hold anything."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_server.capabilities import client_commands, follows_command_links

BOTH = ["priorArt.copy", "priorArt.showAll"]


@pytest.mark.parametrize(
    ("experimental", "commands", "links"),
    [
        (None, [], False),
        (7, [], False),
        ([], [], False),
        ("priorArt", [], False),
        ({}, [], False),
        ({"priorArt": None}, [], False),
        ({"priorArt": ["priorArt.copy"]}, [], False),
        ({"priorArt": {}}, [], False),
        ({"priorArt": {"commands": None, "commandLinks": None}}, [], False),
        ({"priorArt": {"commands": "priorArt.copy", "commandLinks": 1}}, [], False),
        ({"priorArt": {"commands": {"priorArt.copy": True}, "commandLinks": "true"}}, [], False),
        ({"priorArt": {"commands": [1, None, {}, [], True], "commandLinks": []}}, [], False),
        ({"priorArt": {"commands": [1, "priorArt.copy", "priorart.showall"]}}, ["priorArt.copy"], False),
        ({"priorArt": {"commands": ["priorArt.open", "editor.action.rename"]}}, [], False),
        ({"priorArt": {"commands": [*BOTH, *BOTH], "commandLinks": True}, "other": 1}, BOTH, True),
    ],
    ids=str,
)
def test_only_what_is_well_said_counts(experimental: Any, commands: list[str], links: bool) -> None:
    client = types.ClientCapabilities(experimental=experimental)
    assert client_commands(client) == set(commands)
    assert follows_command_links(client) is links
