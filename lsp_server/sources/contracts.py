"""Work-plan files of `.gem-squared/archive/` and `work-plan/`, one at a time (spec/gem2.md §2)."""

from __future__ import annotations

from pathlib import Path

from lsp_server.core.model import Listing, Problem, Reading, Shelf, WorkPlan
from lsp_server.core.on_disk import is_folder
from lsp_server.sources.text_file import is_absent, is_by_product, read_text, reason_of
from lsp_server.sources.work_plan import parse_work_plan

SHELVES: dict[str, Shelf] = {"archive": "archive", "work-plan": "live"}
"""Folder below `.gem-squared/` → shelf. No other folder there holds plans (spec/gem2.md §5)."""


def list_plans(root: Path) -> Listing:
    """The Markdown files of both folders, not of folders inside them, archive first."""
    files: list[Path] = []
    locations: list[str] = []
    problems: list[Problem] = []
    for name in SHELVES:
        folder = root / ".gem-squared" / name
        try:
            names = sorted(path.name for path in folder.iterdir() if _is_plan_name(path.name))
        except OSError as error:
            if is_absent(folder):
                continue
            problems.append(Problem(str(folder), reason_of(error)))
            names = []
        paths = (folder / name for name in names)
        files += (path for path in paths if not is_folder(path))
        locations.append(str(folder))
    return Listing(tuple(files), tuple(locations), tuple(problems))


def _is_plan_name(name: str) -> bool:
    return name.lower().endswith(".md") and not is_by_product(name)


def read_plan(path: Path, max_bytes: int) -> Reading[WorkPlan]:
    """Read a file that `list_plans` found; its folder tells the shelf."""
    return read_file(path, SHELVES[path.parent.name], max_bytes)


def read_file(path: Path, shelf: Shelf, max_bytes: int) -> Reading[WorkPlan]:
    """Read the work plan in `path`; an empty reading where the file is none: a README, a log, notes.

    Never raises for content. A file that could not be read, or whose damage may hide a plan, is not
    searchable; a plan with replaced bytes is, and its problem stands beside it.
    """
    text, problem = read_text(path, max_bytes)
    problems = (problem,) if problem else ()
    plan = None if text is None else parse_work_plan(text, path.stem, shelf, str(path))
    return Reading(
        documents=(plan,) if plan else (),
        problems=problems,
        searchable=plan is not None or not problems,
    )
