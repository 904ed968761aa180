import os
import sys
from pathlib import Path

import pytest
from files_on_disk import link

from lsp_server.roots import (
    STORE_MARKERS,
    folder_of,
    has_store,
    may_be_implicit,
    nearest_root,
    root_for,
    root_in_environment,
)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


def with_store(folder: Path, marker: str = ".masc") -> Path:
    (folder / marker).mkdir(parents=True)
    return folder


def file_in(folder: Path, name: str = "a.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("")
    return folder / name


# --- the nearest store ------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", [marker for marker in STORE_MARKERS if not marker.endswith(".toml")])
def test_every_store_marks_a_root(tmp_path: Path, marker: str) -> None:
    root = with_store(tmp_path / "ws", marker)
    assert nearest_root(file_in(root / "src" / "deep")) == root


def test_a_settings_file_alone_marks_a_root(tmp_path: Path) -> None:
    outer = with_store(tmp_path / "ws")
    inner = file_in(outer / "pkg", ".prior-art.toml").parent
    assert nearest_root(file_in(inner / "src")) == inner
    assert nearest_root(file_in(outer / "src")) == outer


def test_a_gem_squared_folder_without_plans_marks_nothing(tmp_path: Path) -> None:
    with_store(tmp_path / "ws", ".gem-squared/alarms")
    assert nearest_root(file_in(tmp_path / "ws" / "src")) is None


def test_the_nearest_of_several_counts(tmp_path: Path) -> None:
    outer = with_store(tmp_path / "ws")
    inner = with_store(outer / "packages" / "quay", "docs/wiki")
    assert nearest_root(file_in(inner / "src")) == inner
    assert nearest_root(file_in(outer / "packages" / "berth")) == outer
    assert nearest_root(inner) == inner
    assert nearest_root(outer / "packages") == outer


def test_a_document_inside_the_store_belongs_to_its_root(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    assert nearest_root(file_in(root / ".masc" / "config" / "keepers", "tide.memory-current.json")) == root
    wiki = with_store(tmp_path / "other", "docs/wiki")
    assert nearest_root(file_in(wiki / "docs" / "wiki" / "deep", "a.md")) == wiki
    assert nearest_root(root / ".masc") == root


def test_a_document_need_not_exist(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    assert nearest_root(root / "not" / "yet" / "a.py") == root
    assert nearest_root(tmp_path / "nowhere" / "a.py") is None


def test_dots_are_resolved_before_looking_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = with_store(tmp_path / "ws" / "one")
    other = file_in(tmp_path / "ws" / "two")
    assert nearest_root(root / ".." / "two" / "a.py") is None
    monkeypatch.chdir(root)
    assert nearest_root(Path("../two/a.py")) is None
    assert nearest_root(Path("a.py")) == root
    assert other.exists()


@pytest.mark.parametrize("name", ["x" * 300, "\0", "x" * 5000])
def test_names_that_no_file_can_have_are_survived(tmp_path: Path, name: str) -> None:
    root = with_store(tmp_path / "ws")
    assert nearest_root(root / name / "a.py") == root
    assert root_for(root / name, [root / name]) == root
    assert not has_store(root / name)
    assert folder_of(root / name) == root / name


@pytest.mark.skipif(sys.platform == "win32", reason="needs links of POSIX")
def test_a_link_that_leads_to_itself_is_survived(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    loop = root / "loop"
    loop.symlink_to(loop)
    assert nearest_root(loop / "a.py") == root
    assert folder_of(loop) == loop


# --- links ------------------------------------------------------------------------------------------------


def test_a_root_keeps_the_name_it_was_reached_by(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    alias = link(tmp_path / "alias", root)
    assert nearest_root(file_in(root / "src")) == root
    assert nearest_root(alias / "src" / "a.py") == alias


def test_a_linked_store_counts_and_a_broken_link_does_not(tmp_path: Path) -> None:
    store = with_store(tmp_path / "shared") / ".masc"
    ws = tmp_path / "ws"
    ws.mkdir()
    link(ws / ".masc", store)
    assert nearest_root(ws / "a.py") == ws
    broken = tmp_path / "broken"
    broken.mkdir()
    link(broken / ".masc", tmp_path / "gone")
    assert nearest_root(broken / "a.py") is None


# --- what is never implicit -------------------------------------------------------------------------------


def test_home_is_never_implicit(home: Path) -> None:
    with_store(home)
    assert not may_be_implicit(home)
    assert nearest_root(home) is None
    assert nearest_root(home / "a.py") is None
    assert nearest_root(home / "code" / "a.py") is None
    assert root_for(home / "a.py", [home]) is None
    assert root_for(None, [home]) is None
    assert root_for(None, [file_in(home, ".bashrc")]) is None


def test_a_workspace_inside_home_is_an_ordinary_one(home: Path) -> None:
    with_store(home)
    root = with_store(home / "code" / "ws")
    assert nearest_root(root / "src" / "a.py") == root
    bare = home / "code" / "bare"
    bare.mkdir()
    assert root_for(bare / "a.py", [bare]) == bare


def test_home_under_another_name_is_still_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_store(home)
    alias = link(tmp_path / "alias", home)
    assert not may_be_implicit(alias)
    assert nearest_root(alias / "code" / "a.py") is None
    monkeypatch.setenv("HOME", str(alias))
    monkeypatch.setenv("USERPROFILE", str(alias))
    assert nearest_root(home / "code" / "a.py") is None
    monkeypatch.setenv("HOME", f"{home}{os.sep}")
    assert nearest_root(home / "code" / "a.py") is None


def test_a_home_that_does_not_exist_forbids_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = with_store(tmp_path / "ws")
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "gone"))
    assert nearest_root(root / "a.py") == root


def test_the_root_of_the_file_system_is_never_implicit(tmp_path: Path) -> None:
    top = Path(tmp_path.anchor)
    assert not may_be_implicit(top)
    assert root_for(None, [top]) is None
    assert root_for(tmp_path / "a.py", [top]) is None


# --- workspace folders ------------------------------------------------------------------------------------


def test_without_a_store_the_workspace_folder_counts(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    assert root_for(file_in(folder / "src"), [folder]) == folder


def test_of_nested_workspace_folders_the_inner_one_counts(tmp_path: Path) -> None:
    outer, inner = tmp_path / "ws", tmp_path / "ws" / "pkg"
    document = file_in(inner / "src")
    assert root_for(document, [outer, inner]) == inner
    assert root_for(document, [inner, outer]) == inner
    assert root_for(file_in(outer / "src"), [inner, outer]) == outer


def test_a_store_above_the_document_comes_before_its_workspace_folder(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    folder = root / "pkg"
    assert root_for(file_in(folder), [folder]) == root


def test_a_document_elsewhere_takes_the_first_folder_with_a_store(tmp_path: Path) -> None:
    bare, first, second = tmp_path / "bare", tmp_path / "first", tmp_path / "second"
    bare.mkdir()
    folders = [bare, with_store(first), with_store(second)]
    assert root_for(tmp_path / "elsewhere" / "a.py", folders) == first
    assert root_for(None, folders) == first
    assert root_for(None, [bare, second]) == second


def test_without_any_store_the_first_folder_counts(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    assert root_for(None, folders) == folders[0]
    assert root_for(tmp_path / "elsewhere" / "a.py", folders) == folders[0]


def test_without_folders_there_may_be_no_root(tmp_path: Path) -> None:
    assert root_for(None, []) is None
    assert root_for(tmp_path / "a.py", []) is None
    root = with_store(tmp_path / "ws")
    assert root_for(root / "src" / "a.py", []) == root


def test_a_file_as_a_workspace_stands_for_its_folder(tmp_path: Path) -> None:
    file = file_in(tmp_path / "ws")
    assert folder_of(file) == file.parent
    assert folder_of(file.parent) == file.parent
    assert folder_of(tmp_path / "gone") == tmp_path / "gone"
    assert root_for(None, [file]) == file.parent
    assert root_for(file, [file]) == file.parent


def test_folders_may_be_any_iterable(tmp_path: Path) -> None:
    root = with_store(tmp_path / "ws")
    assert root_for(None, iter([root])) == root


@pytest.mark.parametrize(
    ("environment", "root"),
    [
        ({}, None),
        ({"MASC_BASE_PATH": " "}, None),
        ({"MASC_BASE_PATH": "/ws"}, "/ws"),
        ({"MASC_BASE_PATH": "/ws/.masc"}, "/ws"),
        ({"MASC_CONFIG_DIR": "/etc/masc"}, "/etc/masc"),
        ({"MASC_BASE_PATH": "/ws", "MASC_CONFIG_DIR": "/etc/masc"}, "/ws"),
    ],
)
def test_the_environment_names_a_root_for_whoever_has_no_other(
    environment: dict[str, str], root: str | None
) -> None:
    assert root_in_environment(environment) == (None if root is None else Path(root).absolute())


def test_without_folders_the_root_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASC_BASE_PATH", str(tmp_path))
    assert root_for(None, ()) == tmp_path
    assert root_for(Path("/nowhere/else.py"), ()) == tmp_path
