"""What is looked at, check by check.

Nothing of a person's own is in what they say (`privacy.py`): no text of a store, no name of a file in it, no
value of a variable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from lsp_server.core.model import CoreStatus, Problem, Progress, SourceStatus
from lsp_server.core.on_disk import is_folder, is_there
from lsp_server.doctor.finding import Finding, checked, failure
from lsp_server.doctor.installation import check_packages, check_python, check_server
from lsp_server.doctor.privacy import Anchors, public_reason
from lsp_server.doctor.settings_in_effect import check_settings
from lsp_server.report import byte_size, source_summary
from lsp_server.roots import STORE_MARKERS, has_store, nearest_root, root_in_environment
from lsp_server.session import Session

MAX_PROBLEMS = 5
"""Per source; `prior-art status` has them all."""

FOLDER_VARIABLES = ("MASC_BASE_PATH", "MASC_CONFIG_DIR")
VARIABLES = (
    *FOLDER_VARIABLES,
    *("MASC_CLUSTER_NAME", "PRIOR_ART_CACHE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
    *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"),
)

EDITORS = (
    ("VS Code", "install the extension", "vscode"),
    ("Neovim", "vim.lsp.enable('prior_art')", "neovim"),
    ("Emacs", "name prior-art-lsp to eglot or lsp-mode", "emacs"),
    ("Vim", "name prior-art-lsp to vim-lsp or ALE", "vim"),
    ("Helix", "name prior-art-lsp in languages.toml", "helix"),
    ("Kate", "name prior-art-lsp to the plugin LSP Client", "kate"),
    ("Kakoune", "name prior-art-lsp to kakoune-lsp", "kakoune"),
)
"""How each comes to start the server, and its page in docs/editors."""

ADVICE = (
    ("not valid UTF", "save it as UTF-8"),
    ("maxFileBytes", "raise that setting, or split the file"),
    ("permission denied", "let this user read it"),
    ("configured keeper", "correct the setting memory.keeper"),
    ("configured", "correct the setting, or make the folder"),
    ("the glob", "correct the setting"),
    ("a link whose target", "correct the link, or remove it"),
    ("a link that leads out", "or remove the link"),
    ("are searched", "leave folders out with .gitignore"),
    ("another item's", "give every item an id of its own"),
    ("in no base", "move it into a folder there"),
    ("status", "correct the status in its header"),
)
"""What to do about a problem, by a part of its reason."""


def examine(
    named: Path | None,
    start: Path,
    on_progress: Callable[[Path, Progress], None] = lambda _root, _progress: None,
) -> tuple[Finding, ...]:
    """Everything that was looked at, in the order of the report.

    Parameters
    ----------
    named
        The root that somebody named; otherwise the nearest with a store at or above `start` counts.
    """
    root = named or nearest_root(start) or root_in_environment()
    statuses: list[CoreStatus] = []
    trouble: list[Finding] = []
    # First, since from then on the folders of extraRoots have names that can be shown.
    try:
        statuses += _read_stores(root, on_progress)
    except Exception as error:
        trouble.append(failure("stores", error))
    extra = [place for place in map(_root_of, statuses) if place != root]
    anchors = Anchors.of(root, extra)
    checks: tuple[tuple[str, Iterable[Finding]], ...] = (
        ("python", check_python()),
        ("packages", check_packages()),
        ("server", check_server(anchors, os.environ.get("PATH", os.defpath))),
        ("root", _root(root, named, start, anchors)),
        ("stores", trouble),
        ("stores", _stores(statuses, anchors)),
        ("settings", check_settings(root, extra, anchors)),
        ("cache", _cache(statuses, anchors)),
        ("variables", _variables(root or start)),
        ("editors", _editors()),
    )
    return tuple(finding for topic, check in checks for finding in checked(topic, check))


# --- root and stores --------------------------------------------------------------------------------------


def _root(root: Path | None, named: Path | None, start: Path, anchors: Anchors) -> Iterator[Finding]:
    if root is None:
        refused = [folder for folder in (start, *start.parents) if has_store(folder)]
        for folder in refused:
            yield Finding(
                "root",
                f"{anchors.shown(folder) or '/'} has {_markers_in(folder)}, but is not taken without being named",
                "name it with --root DIR if it is meant, or move its stores into a workspace",
            )
        yield Finding(
            "root",
            "no store at or above the current folder; the home folder and / do not count",
            "go into your workspace, or name it with --root DIR",
        )
        return
    if named is not None:
        how = "named with --root"
    elif nearest_root(start) is not None:
        how = "the nearest folder with a store"
    else:
        how = "named by $MASC_BASE_PATH or $MASC_CONFIG_DIR, no store being near"
    yield Finding(
        "root", f"<root>, {how}: {_markers_in(root) or 'no store in it'}; {_seen_from(start, root)}"
    )


def _markers_in(folder: Path) -> str:
    return ", ".join(marker for marker in STORE_MARKERS if is_there(folder / marker))


def _seen_from(start: Path, root: Path) -> str:
    # By their real names: the root may have been given by a link.
    here, top = Path(os.path.realpath(start)), Path(os.path.realpath(root))
    if not here.is_relative_to(top):
        return "the current folder is outside of it"
    depth = len(here.relative_to(top).parts)
    return f"the current folder is {f'{depth} below it' if depth else 'the same'}"


def _read_stores(root: Path | None, on_progress: Callable[[Path, Progress], None]) -> list[CoreStatus]:
    # What the session says of settings is found by a check of its own.
    session = Session(lambda _message, _important: None, on_progress)
    return [core.status() for core in session.cores_for(root)]


def _root_of(status: CoreStatus) -> Path:
    return Path(status.root)


def _stores(statuses: Sequence[CoreStatus], anchors: Anchors) -> Iterator[Finding]:
    for status in statuses:
        root = _root_of(status)
        name = anchors.shown(root)
        for source in status.sources:
            yield from _store(source, "" if name == "<root>" else f"{name}: ", root, anchors)
    if statuses and all(source.status == "absent" for status in statuses for source in status.sources):
        yield Finding("stores", "there is none here", f"name a folder with one of {', '.join(STORE_MARKERS)}")


def _store(source: SourceStatus, prefix: str, root: Path, anchors: Anchors) -> Iterator[Finding]:
    yield Finding("stores", f"{prefix}{source.name} {source_summary(source)}{_count(source.problems)}")
    for problem in source.problems[:MAX_PROBLEMS]:
        place = f"{anchors.shown(root / problem.path)}: " if problem.path else ""
        advice = next((advice for part, advice in ADVICE if part in problem.reason), "repair it")
        yield Finding("stores", f"{prefix}{source.name}: {place}{public_reason(problem.reason)}", advice)
    more = len(source.problems) - MAX_PROBLEMS
    if more > 0:
        yield Finding("stores", f"{prefix}{source.name}: {more} more", "see prior-art status")


def _count(problems: Sequence[Problem]) -> str:
    if not problems:
        return ""
    return f", {len(problems)} problem{'' if len(problems) == 1 else 's'}, in full in prior-art status"


# --- cache, variables, editors ----------------------------------------------------------------------------


def _cache(statuses: Sequence[CoreStatus], anchors: Anchors) -> Iterator[Finding]:
    # Imported here: it brings numpy, and the other checks work without.
    from lsp_server.core.index.cache import CACHE_VARIABLE, cache_folder

    folder = cache_folder()
    if folder is None:
        yield Finding(
            "cache",
            "there is no home folder to keep it in; the stores are read again at every start",
            f"set HOME, or name a folder in ${CACHE_VARIABLE}",
        )
        return
    shown = f"${CACHE_VARIABLE}" if os.environ.get(CACHE_VARIABLE) else anchors.shown(folder)
    kept = [status.cache for status in statuses if status.cache is not None]
    size = f"{byte_size(sum(cache.bytes for cache in kept))} of these stores"
    why_not = _why_not_writable(folder) or next((cache.problem for cache in kept if cache.problem), None)
    if why_not is None:
        yield Finding("cache", f"{shown}: {size}, writable")
    else:
        yield Finding(
            "cache",
            f"{shown}: {size}, not writable: {public_reason(why_not)}; the stores are read again at every start",
            f"make it writable, or name another folder in ${CACHE_VARIABLE}",
        )


def _why_not_writable(folder: Path) -> str | None:
    """Looks only: nothing is written for the sake of a report."""
    there = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not is_folder(there):
        return "a file is where a folder has to be"
    return None if os.access(there, os.W_OK | os.X_OK) else "permission denied"


def _variables(start: Path) -> Iterator[Finding]:
    given = [name for name in VARIABLES if os.environ.get(name, "").strip()]
    unset = [name for name in VARIABLES if name not in given]
    yield Finding("variables", f"set: {', '.join(given) or 'none'}; unset: {', '.join(unset) or 'none'}")
    for name in FOLDER_VARIABLES:
        if name in given and not is_folder(start / os.environ[name].strip()):
            yield Finding("variables", f"${name} names no folder", "correct it, or unset it")


def _editors() -> Iterator[Finding]:
    for name, how, page in EDITORS:
        yield Finding("editors", f"{name}: {how}; docs/editors/{page}.md")
