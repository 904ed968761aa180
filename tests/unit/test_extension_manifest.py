"""The VS Code extension's manifest says what the server says: settings, versions, what marks a store."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from packaging.version import Version

from lsp_server import __version__
from lsp_server.action_kinds import CLIENT_COMMANDS
from lsp_server.features import commands, editor_commands
from lsp_server.roots import STORE_MARKERS
from lsp_server.settings import SCHEMA, Settings, from_client

CLIENT = Path(__file__).parents[2] / "vscode-client"
MANIFEST = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
SETTINGS = MANIFEST["contributes"]["configuration"]["properties"]
README = (CLIENT / "README.md").read_text(encoding="utf-8")


def test_the_settings_are_generated_from_the_servers_schema():
    script = runpy.run_path(str(CLIENT / "scripts" / "settings.py"))
    assert script["properties"]() == SETTINGS, "run: .venv/bin/python vscode-client/scripts/settings.py"


def test_every_setting_of_the_server_is_there_with_its_default():
    for option in SCHEMA:
        default = getattr(Settings(), option.field)
        shown = SETTINGS[f"priorArt.{option.key}"]["default"]
        assert shown == (list(default) if isinstance(default, tuple) else default)


def test_defaults_are_values_that_the_server_takes():
    values = {key: form["default"] for key, form in SETTINGS.items() if form.get("scope") == "resource"}
    assert from_client(values, "client").complaints == ()
    for option in SCHEMA:
        value = values[f"priorArt.{option.key}"]
        if value is not None:
            option.accept(value)


def test_the_readme_lists_every_setting_and_no_other():
    listed = [line for line in README.splitlines() if line.startswith("| `priorArt.")]
    assert listed == [
        f"| `{key}` | `{json.dumps(form['default'])}` | {form['markdownDescription']} |"
        for key, form in SETTINGS.items()
    ]


def test_it_starts_where_a_store_is():
    assert {f"workspaceContains:{marker}" for marker in STORE_MARKERS} == set(MANIFEST["activationEvents"])


def test_the_extension_and_its_server_have_one_version():
    assert MANIFEST["version"] == __version__
    assert Version(MANIFEST["priorArt"]["oldestServer"]) <= Version(__version__)


def test_no_command_of_the_extension_has_the_name_of_one_that_the_server_registers():
    # The language client registers the server's commands by these names (spec/field-notes.md §2 item 41).
    servers = {
        getattr(module, name)
        for module in (commands, editor_commands)
        for name in dir(module)
        if name.isupper() and str(getattr(module, name)).startswith("priorArt.")
    }
    ours = {command["command"] for command in MANIFEST["contributes"]["commands"]} | set(CLIENT_COMMANDS)
    assert len(servers) >= 10
    assert servers & ours == set()


def test_nothing_is_measured_about_people():
    source = "".join(path.read_text(encoding="utf-8") for path in (CLIENT / "src").rglob("*.ts"))
    assert "telemetry" not in source.lower()
    assert set(MANIFEST["dependencies"]) == {"vscode-languageclient"}
