"""Write the settings of the extension's manifest from the server's own schema: `python scripts/settings.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsp_server.settings import SCHEMA, SECTION, Option, Settings

MANIFEST = Path(__file__).parents[1] / "package.json"

_TYPES: dict[str, dict[str, Any]] = {
    "boolean": {"type": "boolean"},
    "natural": {"type": "integer", "minimum": 0},
    "text": {"type": ["string", "null"]},
    "texts": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
}

CLIENT_SETTINGS: dict[str, dict[str, Any]] = {
    "priorArt.interpreter": {
        "type": "string",
        "default": "",
        "scope": "machine-overridable",
        "markdownDescription": "Path of a Python, 3.10 or newer, that the window's server is run with; "
        "`~` and `${workspaceFolder}` are understood. "
        "Empty: the Python extension's interpreter, then the one on the `PATH`.",
    },
    "priorArt.trace.server": {
        "type": "string",
        "enum": ["messages", "compact", "verbose"],
        "default": "messages",
        "scope": "window",
        "markdownDescription": "How much of the talk with the server is logged to the output *Prior Art* "
        "while that is at its level *Trace*.",
    },
}
"""Settings that only this client knows."""


def properties() -> dict[str, dict[str, Any]]:
    """`contributes.configuration.properties`: the server's settings, then the client's."""
    server = {f"{SECTION}.{option.key}": _property(option) for option in SCHEMA}
    return {**server, **CLIENT_SETTINGS}


def _property(option: Option) -> dict[str, Any]:
    default = getattr(Settings(), option.field)
    form = {**_TYPES[option.kind], "default": list(default) if isinstance(default, tuple) else default}
    if option.choices:
        form["items"] = {"type": "string", "enum": list(option.choices)}
    return {**form, "scope": "resource", "markdownDescription": option.description}


def main() -> None:
    """Write the manifest anew."""
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    manifest["contributes"]["configuration"] = {"title": "Prior Art", "properties": properties()}
    MANIFEST.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
