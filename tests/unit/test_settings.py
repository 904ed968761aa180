from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_server import settings
from lsp_server.core.model import DEFAULT_MAX_FILE_BYTES
from lsp_server.settings import (
    ALL_SOURCES,
    SCHEMA,
    Effective,
    Layer,
    Settings,
    combine,
    from_client,
    read_file,
    read_layers,
)

GOOD: dict[str, tuple[Any, Any]] = {
    "hover.enable": (False, False),
    "hover.sources": (["wiki", "memory"], ("wiki", "memory")),
    "hover.ignore": (["berth", "x*"], ("berth", "x*")),
    "hover.minTokenLength": (4, 4),
    "hover.commonWordDocuments": (0, 0),
    "memory.keeper": ("tide", "tide"),
    "wiki.folders": (["notes", "~/wiki/**/*.md"], ("notes", "~/wiki/**/*.md")),
    "knowledge.enable": (False, False),
    "knowledge.folders": (["runbooks"], ("runbooks",)),
    "knowledge.scopes": (["harbour"], ("harbour",)),
    "knowledge.semantic": (False, False),
    "maxFileBytes": (1000, 1000),
    "extraRoots": (["${workspaceFolder}/../notes"], ("${workspaceFolder}/../notes",)),
}
"""Every option: a value as it is given, and as it is held."""

WRONG: dict[str, list[Any]] = {
    "boolean": ["true", "", 0, 1, 1.0, [], [True]],
    "natural": [-1, "3", 2.5, True, False, [], [3], float("nan")],
    "text": [3, True, [], ["tide"], 1.5],
    "texts": ["wiki", 3, True, [3], ["a", None], [["a"]], ["a", 3]],
}
EXPECTED = {
    "boolean": "true or false",
    "natural": "a whole number from 0",
    "text": "text or nothing",
    "texts": "a list of texts",
}
OPTIONS = pytest.mark.parametrize("option", SCHEMA, ids=lambda option: option.key)


def client(value: object) -> Layer:
    return from_client(value, "client")


# --- the schema -------------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert combine([]) == Effective(Settings())
    defaults = Settings()
    assert defaults.hover_enable
    assert defaults.hover_sources == ALL_SOURCES == ("memory", "wiki", "board", "contracts", "knowledge")
    assert defaults.max_file_bytes == DEFAULT_MAX_FILE_BYTES
    assert defaults.memory_keeper is None


def test_every_field_has_one_option_and_every_option_a_field() -> None:
    assert sorted(option.field for option in SCHEMA) == sorted(Settings.__dataclass_fields__)
    assert len({option.key for option in SCHEMA}) == len(SCHEMA)
    assert {option.key for option in SCHEMA} == set(GOOD)
    assert all(option.description.endswith(".") for option in SCHEMA)


@OPTIONS
def test_a_good_value_is_taken(option: settings.Option) -> None:
    given, held = GOOD[option.key]
    effective = combine([Layer("file", {option.key: given})])
    assert getattr(effective.settings, option.field) == held
    assert (effective.wrong, effective.unknown) == ((), ())


@OPTIONS
def test_a_wrong_value_is_reported_and_the_layer_below_stands(option: settings.Option) -> None:
    given, held = GOOD[option.key]
    for wrong in WRONG[option.kind]:
        effective = combine([Layer("user", {option.key: given}), Layer("folder", {option.key: wrong})])
        assert getattr(effective.settings, option.field) == held, wrong
        assert effective.wrong == (
            f"folder: {option.key} has to be {EXPECTED[option.kind]}; it is ignored",
        ), wrong
        assert effective.unknown == ()


def test_a_source_that_does_not_exist_is_named_by_those_that_do() -> None:
    effective = combine([Layer("file", {"hover.sources": ["wiki", "wikis"]})])
    assert effective.settings == Settings()
    assert effective.wrong == (
        "file: hover.sources has to be a list of memory, wiki, board, contracts, knowledge; it is ignored",
    )


def test_one_wrong_value_leaves_the_others() -> None:
    effective = combine([Layer("file", {"hover.enable": "no", "maxFileBytes": 7, "memory.keeper": ""})])
    assert effective.settings == Settings(max_file_bytes=7, memory_keeper=None)
    assert len(effective.wrong) == 1


def test_unknown_keys_are_reported_each_with_its_place() -> None:
    layers = [Layer("user", {"hovr.enable": False}), Layer("folder", {"Hover.Enable": False, "hover": 3})]
    effective = combine(layers)
    assert effective.settings == Settings()
    assert effective.unknown == (
        "user: unknown setting hovr.enable; it is ignored",
        "folder: unknown setting Hover.Enable; it is ignored",
        "folder: unknown setting hover; it is ignored",
    )


def test_later_layers_win_key_by_key() -> None:
    layers = [
        Layer("user", {"hover.enable": False, "hover.minTokenLength": 3, "memory.keeper": "tide"}),
        Layer("folder", {"hover.minTokenLength": 4}),
        Layer("initializationOptions", {"hover.minTokenLength": 5, "memory.keeper": "quay"}),
        Layer("configuration", {"hover.minTokenLength": 6}),
    ]
    assert combine(layers).settings == Settings(
        hover_enable=False, hover_min_token_length=6, memory_keeper="quay"
    )


def test_a_list_replaces_a_list() -> None:
    layers = [Layer("user", {"hover.ignore": ["a", "b"]}), Layer("folder", {"hover.ignore": []})]
    assert combine(layers).settings.hover_ignore == ()


def test_the_complaints_of_a_layer_come_along() -> None:
    assert combine([Layer("user", complaints=("cannot be read",))]).wrong == ("cannot be read",)


def test_the_part_for_the_stores() -> None:
    options = Settings(memory_keeper="tide", wiki_folders=("notes",), max_file_bytes=7).store_options
    assert (options.keeper, options.wiki_folders, options.max_file_bytes) == ("tide", ("notes",), 7)


# --- files ------------------------------------------------------------------------------------------------


def toml(tmp_path: Path, content: str | bytes) -> Layer:
    path = tmp_path / ".prior-art.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_file(path)


@pytest.mark.parametrize(
    "content",
    [
        "hover.enable = false\nwiki.folders = ['노트']\n",
        "[hover]\nenable = false\n[wiki]\nfolders = ['노트']\n",
        "hover = { enable = false }\n'wiki.folders' = ['노트']\n",
        "\ufeffhover.enable = false\r\nwiki.folders = ['노트']\r\n",
    ],
    ids=["dotted", "nested", "inline and quoted", "BOM and CRLF"],
)
def test_a_file_in_every_spelling(tmp_path: Path, content: str) -> None:
    layer = toml(tmp_path, content)
    assert layer.values == {"hover.enable": False, "wiki.folders": ["노트"]}
    assert (layer.origin, layer.complaints) == (str(tmp_path / ".prior-art.toml"), ())


@pytest.mark.parametrize("content", ["", "\n# nothing\n", "[hover]\n", "\ufeff"])
def test_a_file_that_sets_nothing(tmp_path: Path, content: str) -> None:
    layer = toml(tmp_path, content)
    assert (dict(layer.values), layer.complaints) == ({}, ())


@pytest.mark.parametrize(
    "content",
    [
        "hover.enable = ",
        "hover.enable = yes",
        "[hover\n",
        "a = 1\na = 2\n",
        b"a = 'caf\xe9'\n",
        b"\xff\xfea\x00",
        "a = " + "[" * 100_000,
        "maxFileBytes = " + "9" * 5000,
        "a = 1\0",
    ],
    ids=[
        "no value",
        "no TOML",
        "open table",
        "twice",
        "latin-1",
        "UTF-16",
        "too deep",
        "too many digits",
        "NUL",
    ],
)
def test_a_broken_file_is_reported_and_ignored(tmp_path: Path, content: str | bytes) -> None:
    layer = toml(tmp_path, content)
    assert dict(layer.values) == {}
    (complaint,) = layer.complaints
    assert complaint.startswith(f"{tmp_path / '.prior-art.toml'}: cannot be read and is ignored: ")
    assert combine([Layer("user", {"hover.enable": False}), layer]).settings == Settings(hover_enable=False)


def test_a_missing_file_says_nothing(tmp_path: Path) -> None:
    assert read_file(tmp_path / "gone.toml") == Layer(str(tmp_path / "gone.toml"))
    (tmp_path / "file").write_text("")
    assert read_file(tmp_path / "file" / "x.toml").complaints == ()


def test_a_folder_in_its_place_is_reported_without_its_name_twice(tmp_path: Path) -> None:
    folder = tmp_path / ".prior-art.toml"
    folder.mkdir()
    (complaint,) = read_file(folder).complaints
    assert complaint.count(str(folder)) == 1
    assert "Errno" not in complaint


def test_values_of_toml_that_no_option_has_are_wrong_not_fatal(tmp_path: Path) -> None:
    layer = toml(tmp_path, "hover.enable = 1979-05-27\nmaxFileBytes = inf\nmemory.keeper = 07:32:00\n")
    effective = combine([layer])
    assert effective.settings == Settings()
    assert len(effective.wrong) == 3


def test_the_users_file_lies_below_the_workspaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "config.toml"
    user.write_text("memory.keeper = 'tide'\nhover.minTokenLength = 3\n")
    monkeypatch.setattr(settings, "user_file", lambda: user)
    root = tmp_path / "ws"
    root.mkdir()
    (root / ".prior-art.toml").write_text("hover.minTokenLength = 4\n")
    assert combine(read_layers(root)).settings == Settings(memory_keeper="tide", hover_min_token_length=4)
    assert combine(read_layers(None)).settings == Settings(memory_keeper="tide", hover_min_token_length=3)
    assert [layer.origin for layer in read_layers(root)] == [str(user), str(root / ".prior-art.toml")]


def test_the_users_file_has_a_name_of_its_own() -> None:
    assert settings.user_file().parts[-2:] == ("prior-art", "config.toml")


def test_without_a_home_only_the_workspaces_file_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homeless: Callable[..., Path]
) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", homeless)
    assert settings.user_file() is None
    assert [layer.origin for layer in read_layers(tmp_path)] == [str(tmp_path / ".prior-art.toml")]


# --- clients ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"hover": {"enable": False}, "wiki": {"folders": ["a"]}},
        {"hover.enable": False, "wiki.folders": ["a"]},
        {"hover": {"enable": False}, "wiki.folders": ["a"]},
        {"priorArt": {"hover": {"enable": False}, "wiki.folders": ["a"]}},
        {"priorArt.hover.enable": False, "priorArt.wiki": {"folders": ["a"]}},
        {"priorArt": {"hover": {"enable": False}, "wiki": {"folders": ["a"]}}, "python": {"x": 1}},
    ],
    ids=["nested", "dotted", "mixed", "wrapped", "prefixed", "among others"],
)
def test_a_client_in_every_spelling(value: object) -> None:
    layer = client(value)
    assert layer == Layer("client", {"hover.enable": False, "wiki.folders": ["a"]})


@pytest.mark.parametrize("value", [None, {}, {"priorArt": None}, {"priorArt": {}}, {"hover": {}}])
def test_a_client_that_sets_nothing(value: object) -> None:
    assert client(value) == Layer("client")


def test_null_of_a_client_leaves_the_layer_below() -> None:
    nulls = client({"priorArt": dict.fromkeys(GOOD) | {"hover": {"enable": None}, "maxFileBytes": 9}})
    assert nulls.values == {"maxFileBytes": 9}
    below = Layer("file", {key: given for key, (given, _) in GOOD.items()})
    effective = combine([below, nulls])
    assert effective.wrong == effective.unknown == ()
    for option in SCHEMA:
        held = 9 if option.key == "maxFileBytes" else GOOD[option.key][1]
        assert getattr(effective.settings, option.field) == held


@pytest.mark.parametrize("value", ["x", 3, True, False, [], [{"hover.enable": False}], 0, ""])
def test_settings_that_are_no_object_are_reported(value: object) -> None:
    layer = client(value)
    assert dict(layer.values) == {}
    assert layer.complaints == ("client: the settings have to be an object; they are ignored",)


@pytest.mark.parametrize("value", ["x", 3, False, []])
def test_a_section_that_is_no_object_is_reported(value: object) -> None:
    layer = client({"priorArt": value})
    assert dict(layer.values) == {}
    assert layer.complaints == ("client: priorArt has to be an object; it is ignored",)


def test_wrong_and_unknown_keys_of_a_client_are_named_without_the_section() -> None:
    effective = combine([client({"priorArt": {"hover": {"enable": "yes", "colour": 1}}})])
    assert effective.wrong == ("client: hover.enable has to be true or false; it is ignored",)
    assert effective.unknown == ("client: unknown setting hover.colour; it is ignored",)
