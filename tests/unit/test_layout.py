"""Where MASC keeps its files: the environment decides, the root is the fallback."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_server.sources.layout import masc_layout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "project"


def test_without_an_environment_everything_is_below_the_root(root: Path) -> None:
    layout = masc_layout(root, {})
    assert layout.base == root
    assert layout.keepers == (root / ".masc" / "config" / "keepers", root / ".masc" / "keepers")
    assert layout.board == root / ".masc"


@pytest.mark.parametrize("ending", ["", "/", "/.masc", "/.masc/", "/x/..", "/x/../.masc"])
def test_the_base_path_loses_a_last_masc_folder(root: Path, tmp_path: Path, ending: str) -> None:
    layout = masc_layout(root, {"MASC_BASE_PATH": f"{tmp_path}/shared{ending}"})
    assert layout.base == tmp_path / "shared"
    assert layout.keepers[0] == tmp_path / "shared" / ".masc" / "config" / "keepers"
    assert layout.board == tmp_path / "shared" / ".masc"


def test_only_a_whole_component_is_the_masc_folder(root: Path, tmp_path: Path) -> None:
    assert masc_layout(root, {"MASC_BASE_PATH": str(tmp_path / "x.masc")}).base == tmp_path / "x.masc"


def test_a_workspace_that_is_the_masc_folder_itself_is_read(root: Path) -> None:
    assert masc_layout(root / ".masc", {}).base == root


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_blank_values_are_as_good_as_none(root: Path, blank: str) -> None:
    names = ("MASC_BASE_PATH", "MASC_CONFIG_DIR", "MASC_CLUSTER_NAME")
    assert masc_layout(root, dict.fromkeys(names, blank)) == masc_layout(root, {})


def test_relative_paths_are_below_the_root_and_not_where_the_editor_was_started(root: Path) -> None:
    layout = masc_layout(root, {"MASC_BASE_PATH": "../shared", "MASC_CONFIG_DIR": "settings"})
    assert layout.base == root.parent / "shared"
    assert layout.keepers[0] == root / "settings" / "keepers"


def test_the_config_folder_moves_memory_and_nothing_else(root: Path, tmp_path: Path) -> None:
    layout = masc_layout(root, {"MASC_CONFIG_DIR": str(tmp_path / "config")})
    assert layout.keepers == (tmp_path / "config" / "keepers", root / ".masc" / "keepers")
    assert layout.base == root
    assert layout.board == root / ".masc"


def test_a_config_folder_that_is_the_masc_folder_names_the_keepers_once(root: Path) -> None:
    assert masc_layout(root, {"MASC_CONFIG_DIR": str(root / ".masc")}).keepers == (
        root / ".masc" / "keepers",
    )


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("default", ""),
        ("north", "clusters/north"),
        ("Team_A-1", "clusters/Team_A-1"),
        ("a b/c", "clusters/a-b-c"),
        ("..", "clusters/--"),
        ("../../etc", "clusters/------etc"),
        ("é", "clusters/--"),
        ("북", "clusters/---"),
    ],
)
def test_a_cluster_moves_the_board_and_never_memory(root: Path, name: str, folder: str) -> None:
    layout = masc_layout(root, {"MASC_CLUSTER_NAME": name})
    assert layout.board == root / ".masc" / folder
    assert layout.keepers == masc_layout(root, {}).keepers


def test_the_process_environment_is_the_default(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASC_BASE_PATH", str(tmp_path / "other"))
    monkeypatch.delenv("MASC_CONFIG_DIR", raising=False)
    assert masc_layout(root).base == tmp_path / "other"
