"""README and ARCHITECTURE say what the code does now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lsp_server import cli
from lsp_server.settings import SCHEMA, Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", SCHEMA, ids=lambda option: option.key)
def test_the_readme_lists_every_setting_with_its_default(option):
    default = getattr(Settings(), option.field)
    shown = json.dumps(list(default) if isinstance(default, tuple) else default)
    assert f"| `{option.key}` | `{shown}` | {option.description} |" in README


def test_the_readme_lists_no_setting_that_does_not_exist():
    listed = re.findall(r"^\| `([A-Za-z.]+)` \| `", README, re.MULTILINE)
    assert sorted(listed) == sorted(option.key for option in SCHEMA)


@pytest.mark.parametrize(
    "command",
    [
        "search",
        "kg",
        "knowledge search",
        "knowledge read",
        "hover",
        "status",
        "doctor",
        "cache clear",
        "serve",
    ],
)
def test_the_readme_shows_every_option_of_a_command(command, capsys):
    with pytest.raises(SystemExit):
        cli.main([*command.split(), "--help"])
    options = set(re.findall(r"(?<!\w)--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    synopsis = next(line for line in README.splitlines() if f"{line} ".startswith(f"prior-art {command} "))
    assert options == set(re.findall(r"--[a-z-]+", synopsis))


@pytest.mark.parametrize("command", ["python3 dev.py demo", "python3 dev.py test"])
def test_the_readme_has_one_command_to_see_it_and_one_to_test_it(command):
    assert f"\n{command}\n" in README


def test_the_architecture_names_only_modules_that_exist():
    named = re.findall(r"`((?:core|sources|features|cursor)/[\w/]*(?:\.py)?|\w+\.py)`", ARCHITECTURE)
    package = ROOT / "lsp_server"
    missing = [name for name in named if not (package / name).exists() and not any(package.rglob(name))]
    assert named
    assert missing == []


def test_the_architecture_names_every_module_of_the_package():
    modules = {path.name for path in (ROOT / "lsp_server").glob("*.py")} - {"__init__.py", "__main__.py"}
    assert sorted(name for name in modules if f"`{name}`" not in ARCHITECTURE) == []


def test_the_readme_shows_the_hover_of_the_example_as_it_is(capsys):
    shown = re.search(r"```text\n(Prior art: E4217\n.*?)\n```", README, re.DOTALL)
    assert shown is not None
    source = ROOT / "examples/harbour/src/signing.py"
    line, text = next(
        (number, line)
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1)
        if "E4217" in line
    )
    assert f"\n{text.strip()}\n" in README
    assert cli.main(["hover", f"{source}:{line}:{text.index('E4217') + 1}", "--format", "plaintext"]) == 0
    assert capsys.readouterr().out.strip() == shown[1]
