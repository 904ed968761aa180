"""The settings in effect, as `prior-art doctor` shows them: where each comes from, and nothing of its texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsp_server import settings
from lsp_server.core.on_disk import is_folder
from lsp_server.doctor.finding import Finding
from lsp_server.doctor.privacy import Anchors, public_key, public_reason
from lsp_server.settings import SCHEMA, Layer, Option


def check_settings(root: Path | None, extra: Sequence[Path], anchors: Anchors) -> Iterator[Finding]:
    """The settings of the files, where each comes from, and what is wrong with them.

    What an editor sends is not known here.
    """
    layers = [_shown_layer(layer, anchors) for layer in settings.read_layers(root)]
    for layer in layers:
        count = len(layer.values)
        yield Finding("settings", f"{layer.origin}: {f'{count} given' if count else 'nothing given'}")
    effective = settings.combine(layers)
    defaults: list[str] = []
    for option in SCHEMA:
        value = _shown_value(option, getattr(effective.settings, option.field), root, anchors)
        if option.key in effective.origins:
            yield Finding("settings", f"{option.key} = {value} ({effective.origins[option.key]})")
        else:
            defaults.append(f"{option.key} = {value}")
    yield Finding("settings", f"by default: {'; '.join(defaults)}")
    files = (settings.read_file(place / settings.WORKSPACE_FILE) for place in extra)
    others = settings.combine(_shown_layer(layer, anchors) for layer in files)
    for complaint in (*effective.wrong, *effective.unknown, *others.wrong, *others.unknown):
        yield Finding("settings", complaint, "correct it")
    for number, entry in enumerate(effective.settings.extra_roots, start=1):
        if not is_folder(_folder(entry, root)):
            yield Finding(
                "settings", f"entry {number} of extraRoots is no folder; it is ignored", "correct it"
            )


def _shown_layer(layer: Layer, anchors: Anchors) -> Layer:
    origin = anchors.shown(Path(layer.origin))
    reasons = (complaint.removeprefix(f"{layer.origin}: ") for complaint in layer.complaints)
    return Layer(
        origin,
        {public_key(key): value for key, value in layer.values.items()},
        tuple(f"{origin}: {public_reason(reason)}" for reason in reasons),
    )


def _shown_value(option: Option, value: object, root: Path | None, anchors: Anchors) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if not value or not isinstance(value, tuple):
        return "given" if value else "none"
    if option.choices:
        return ", ".join(value)
    if option.key in settings.FOLDER_KEYS:
        return ", ".join(anchors.shown(_folder(entry, root)) for entry in value)
    return f"{len(value)} text{'' if len(value) == 1 else 's'}"


def _folder(entry: str, root: Path | None) -> Path:
    place = os.path.expanduser(entry.replace("${workspaceFolder}", str(root or "")))  # noqa: PTH111 - never raises
    return Path(os.path.abspath(os.path.join(root or "", place)))  # noqa: PTH100, PTH118 - links stay
