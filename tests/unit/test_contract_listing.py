"""Which files are work plans by their place: the Markdown files of two folders, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from files_on_disk import link

from lsp_server.core.model import Listing
from lsp_server.sources.contracts import list_plans, read_plan

PLAN = "# WP-ST-1: Title\n\n## Unit-Works\n\n### 1. Unit | STATUS: PENDING\n- Tags: [a-b]\n"


def write(path: Path, text: str = PLAN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / ".gem-squared"


def names(listing: Listing) -> list[str]:
    return [f"{path.parent.name}/{path.name}" for path in listing.files]


def test_a_root_without_the_folders_has_no_store(tmp_path: Path) -> None:
    assert list_plans(tmp_path) == Listing()
    (tmp_path / ".gem-squared").write_text("a file", encoding="utf-8")
    assert list_plans(tmp_path) == Listing()


def test_one_folder_is_enough_and_an_empty_one_is_a_store(tmp_path: Path, store: Path) -> None:
    (store / "work-plan").mkdir(parents=True)
    assert list_plans(tmp_path) == Listing(locations=(str(store / "work-plan"),))


def test_archived_plans_stand_first_and_each_folder_is_sorted(tmp_path: Path, store: Path) -> None:
    for name in ("work-plan/WP-ST-2.md", "work-plan/WP-ST-1.md", "archive/WP-ST-9.md", "archive/WP-ST-1.md"):
        write(store / name)
    listing = list_plans(tmp_path)
    assert names(listing) == [
        "archive/WP-ST-1.md",
        "archive/WP-ST-9.md",
        "work-plan/WP-ST-1.md",
        "work-plan/WP-ST-2.md",
    ]
    assert listing.locations == (str(store / "archive"), str(store / "work-plan"))
    assert listing.problems == ()


def test_other_names_other_folders_and_folders_inside_are_not_read(tmp_path: Path, store: Path) -> None:
    write(store / "archive" / "WP-ST-1.MD")
    for name in (
        "archive/WP-ST-2.md.archive",
        "archive/WP-ST-3.txt",
        "archive/md",
        "archive/old/WP-ST-4.md",
        "archive/folder.md/WP-ST-5.md",
        "verify-work-logs/WP-ST-1.md",
        "truth-logs/WP-ST-1.md",
        "alarm.md",
    ):
        write(store / name)
    assert names(list_plans(tmp_path)) == ["archive/WP-ST-1.MD"]


def test_by_products_of_editors_and_copies_are_no_plans(tmp_path: Path, store: Path) -> None:
    write(store / "work-plan" / "WP-ST-1.md")
    write(store / "work-plan" / "._WP-ST-1.md")
    link(store / "work-plan" / ".#WP-ST-1.md", "somebody@somewhere.42")
    listing = list_plans(tmp_path)
    assert names(listing) == ["work-plan/WP-ST-1.md"]
    assert listing.problems == ()


def test_a_file_in_place_of_a_folder_is_named_and_the_other_folder_answers(
    tmp_path: Path, store: Path
) -> None:
    write(store / "archive", "a file")
    write(store / "work-plan" / "WP-ST-1.md")
    listing = list_plans(tmp_path)
    assert names(listing) == ["work-plan/WP-ST-1.md"]
    assert [problem.path for problem in listing.problems] == [str(store / "archive")]
    assert str(store / "archive") in listing.locations


def test_a_folder_that_is_a_broken_link_is_named_and_not_absent(tmp_path: Path, store: Path) -> None:
    link(store / "archive", "nowhere")
    listing = list_plans(tmp_path)
    assert listing.locations == (str(store / "archive"),)
    assert [problem.path for problem in listing.problems] == [str(store / "archive")]


@pytest.mark.parametrize("target", ["loop.md", "nowhere.md", "x" * 300])
def test_a_broken_link_among_the_plans_is_named_when_it_is_read(
    tmp_path: Path, store: Path, target: str
) -> None:
    broken = link(store / "archive" / "loop.md", target)
    write(store / "archive" / "WP-ST-1.md")
    listing = list_plans(tmp_path)
    readings = {path: read_plan(path, 10_000) for path in listing.files}
    assert [problem.path for problem in readings[broken].problems] == [str(broken)]
    assert [plan.wp_id for reading in readings.values() for plan in reading.documents] == ["WP-ST-1"]


def test_the_folder_tells_the_shelf(tmp_path: Path, store: Path) -> None:
    write(store / "archive" / "WP-ST-1.md")
    write(store / "work-plan" / "WP-ST-1.md")
    plans = [read_plan(path, 10_000).documents[0] for path in list_plans(tmp_path).files]
    assert [plan.shelf for plan in plans] == ["archive", "live"]
