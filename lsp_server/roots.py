"""Which folder's stores answer for a document: the nearest one with a store above it.

`$HOME` and the root of the file system are never taken without being named, since indexing them is what
users of such servers complain of most (spec/field-notes.md §2 items 27, 35 and 37).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsp_server.core.on_disk import is_file, is_there
from lsp_server.settings import WORKSPACE_FILE

STORE_MARKERS = (
    ".masc",
    ".gem-squared/archive",
    ".gem-squared/work-plan",
    "docs/wiki",
    "docs/library",
    ".knowledge",
    WORKSPACE_FILE,
)


def root_for(location: Path | None, folders: Iterable[Path]) -> Path | None:
    """The root for a document: nearest folder with a store at or above it, else its workspace folder.

    Parameters
    ----------
    location
        The document's path; `None` for one that lies nowhere, such as an untitled one.
    folders
        The workspace folders. A document outside all of them, or lying nowhere, takes the first that has
        a store; without any folder the environment may name a root.
    """
    usable = [folder for folder in map(folder_of, folders) if may_be_implicit(folder)]
    if location is not None:
        nearest = nearest_root(location)
        if nearest is not None:
            return nearest
        enclosing = [folder for folder in usable if location.is_relative_to(folder)]
        if enclosing:
            return max(enclosing, key=lambda folder: len(folder.parts))
    first = next((folder for folder in usable if has_store(folder)), next(iter(usable), None))
    return first or root_in_environment()


def nearest_root(location: Path) -> Path | None:
    """The nearest folder at or above a path that has a store."""
    start = Path(os.path.abspath(location))  # noqa: PTH100 - links stay as they were given
    return next(
        (folder for folder in (start, *start.parents) if has_store(folder) and may_be_implicit(folder)),
        None,
    )


def root_in_environment(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The root that `$MASC_BASE_PATH`, else `$MASC_CONFIG_DIR` names, for whoever has no other."""
    named = environment.get("MASC_BASE_PATH", "").strip() or environment.get("MASC_CONFIG_DIR", "").strip()
    if not named:
        return None
    root = Path(os.path.abspath(named))  # noqa: PTH100 - links stay as they were given
    return root.parent if root.name == ".masc" else root


def has_store(folder: Path) -> bool:
    """Whether a store or a settings file of ours stands in the folder."""
    return any(is_there(folder / marker) for marker in STORE_MARKERS)


def may_be_implicit(folder: Path) -> bool:
    """False for `$HOME` and for the root of a file system."""
    return folder != folder.parent and not _is_home(folder)


def folder_of(path: Path) -> Path:
    """The folder of a workspace root that may have been given as a file."""
    return path.parent if is_file(path) else path


def _is_home(folder: Path) -> bool:
    """Whether a folder is `$HOME`, under that name or another one."""
    try:
        home = Path.home()
        return folder == home or folder.samefile(home)
    except (OSError, RuntimeError, ValueError):
        return False
