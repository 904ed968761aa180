"""Where MASC keeps its files below a root (spec/masc.md §0)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MASC_FOLDER = ".masc"
DEFAULT_CLUSTER = "default"


@dataclass(frozen=True, slots=True)
class MascLayout:
    """The folders of one MASC installation; none of them has to exist."""

    base: Path
    """What source paths of facts are relative to."""
    keepers: tuple[Path, ...]
    """Where snapshots of memory may be; for one keeper the first folder that has it counts."""
    board: Path
    """The folder of the board's files."""


def masc_layout(root: Path, environment: Mapping[str, str] = os.environ) -> MascLayout:
    """`$MASC_BASE_PATH`, `$MASC_CONFIG_DIR` and `$MASC_CLUSTER_NAME` decide where they are set.

    Memory does not know clusters, the board does. A relative path is one below `root`.
    """
    base = _absolute(root, environment.get("MASC_BASE_PATH", "").strip())
    if base.name == MASC_FOLDER:
        base = base.parent
    masc = base / MASC_FOLDER
    config = _absolute(root, environment.get("MASC_CONFIG_DIR", "").strip() or str(masc / "config"))
    return MascLayout(
        base=base,
        keepers=tuple(dict.fromkeys((config / "keepers", masc / "keepers"))),
        board=masc / _cluster_folder(environment.get("MASC_CLUSTER_NAME", "").strip()),
    )


def _cluster_folder(name: str) -> str:
    if not name or name == DEFAULT_CLUSTER:
        return ""
    # MASC replaces byte by byte, so that a letter of two bytes becomes two dashes.
    return f"clusters/{re.sub(rb'[^A-Za-z0-9_-]', b'-', os.fsencode(name)).decode('ascii')}"


def _absolute(root: Path, path: str) -> Path:
    return Path(os.path.abspath(root / path))  # noqa: PTH100 - links stay as they were given
