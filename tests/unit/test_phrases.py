"""What a diagnostic gives to look up."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_server.phrases import phrases_for

NOWHERE = types.Range(types.Position(0, 0), types.Position(0, 0))


def phrases(*diagnostics: types.Diagnostic) -> list[str]:
    context = types.CodeActionContext(list(diagnostics), trigger_kind=types.CodeActionTriggerKind.Automatic)
    return [phrase.text for phrase in phrases_for("", NOWHERE, context, "utf-16")]


@pytest.mark.parametrize(
    ("code", "source", "found"),
    [
        ("E4217", None, ["E4217"]),
        (" E4217 ", "harbour", ["E4217"]),
        (2345, "ts", ["TS2345"]),
        ("2345", "typescript", ["TS2345"]),
        (2345, "tsserver", ["TS2345"]),
        (2345, "deno-ts", ["TS2345"]),
        (4996, "C", ["C4996"]),
        (404, None, []),
        (404, "my linter", []),
        (None, "ts", []),
        ("", "ts", []),
        ({"value": 1}, "ts", []),
    ],
)
def test_the_code_of_a_diagnostic(code: Any, source: str | None, found: list[str]) -> None:
    assert phrases(types.Diagnostic(NOWHERE, "", code=code, source=source)) == found


def test_the_names_in_the_first_line_of_a_message_and_then_all_of_it() -> None:
    message = "cannot run deploy.sh: E4217 of rotate_key\nsee E9999"
    assert phrases(types.Diagnostic(NOWHERE, message)) == ["deploy.sh", "E4217", "rotate_key", message]
