"""Typed settings: defaults < user file < workspace file < what the client sends.

One schema serves every layer. A wrong value is reported and the layer below it stands; an unknown key is
reported; neither ever stops the server.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import platformdirs

from lsp_server.core.composition import ALL_SOURCES
from lsp_server.core.model import DEFAULT_MAX_FILE_BYTES, SourceName, StoreOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WORKSPACE_FILE = ".prior-art.toml"
SECTION = "priorArt"
"""The name of our section in a client's settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in effect. Field names are the keys' names in snake case; `SCHEMA` describes them."""

    hover_enable: bool = True
    hover_sources: tuple[SourceName, ...] = ALL_SOURCES
    hover_ignore: tuple[str, ...] = ()
    hover_min_token_length: int = 2
    hover_common_word_documents: int = 2
    memory_keeper: str | None = None
    wiki_folders: tuple[str, ...] = ()
    knowledge_enable: bool = True
    knowledge_folders: tuple[str, ...] = ()
    knowledge_scopes: tuple[str, ...] = ()
    knowledge_semantic: bool = True
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES
    extra_roots: tuple[str, ...] = ()

    @property
    def store_options(self) -> StoreOptions:
        """The part that the search core needs."""
        return StoreOptions(
            keeper=self.memory_keeper,
            wiki_folders=self.wiki_folders,
            knowledge_enabled=self.knowledge_enable,
            knowledge_folders=self.knowledge_folders,
            knowledge_scopes=self.knowledge_scopes,
            knowledge_semantic=self.knowledge_semantic,
            max_file_bytes=self.max_file_bytes,
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its key in every layer, its type, and what it does."""

    key: str
    field: str
    kind: str
    """`boolean`, `natural` (a whole number from 0), `text` (or null) or `texts`."""
    description: str
    choices: tuple[str, ...] = ()

    def accept(self, value: object) -> Any:
        """The value as `Settings` holds it.

        Raises
        ------
        ValueError
            The value is not of this option's type; the message says what is expected.
        """
        if self.kind == "boolean" and isinstance(value, bool):
            return value
        if self.kind == "natural" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if self.kind == "text" and (value is None or isinstance(value, str)):
            return value or None
        if self.kind == "texts" and isinstance(value, list) and all(isinstance(item, str) for item in value):
            if self.choices and not set(value) <= set(self.choices):
                raise ValueError(f"a list of {', '.join(self.choices)}")
            return tuple(value)
        raise ValueError(
            {
                "boolean": "true or false",
                "natural": "a whole number from 0",
                "text": "text or nothing",
                "texts": "a list of texts",
            }[self.kind]
        )


SCHEMA = (
    Option("hover.enable", "hover_enable", "boolean", "Show hovers."),
    Option(
        "hover.sources",
        "hover_sources",
        "texts",
        "Which sources a hover shows, of memory, wiki, board, contracts and knowledge.",
        ALL_SOURCES,
    ),
    Option(
        "hover.ignore",
        "hover_ignore",
        "texts",
        "Texts that never get a hover, as shell patterns (`*`, `?`, `[a-z]`); case is ignored.",
    ),
    Option("hover.minTokenLength", "hover_min_token_length", "natural", "Shorter texts never get a hover."),
    Option(
        "hover.commonWordDocuments",
        "hover_common_word_documents",
        "natural",
        "A plain word that is in no page title, tag or hearth gets a hover only when at most this many "
        "documents contain it, or set it apart in a heading, a title or a code span.",
    ),
    Option("memory.keeper", "memory_keeper", "text", "Search only this keeper's memory."),
    Option(
        "wiki.folders",
        "wiki_folders",
        "texts",
        "Wiki folders and globs besides docs/wiki, docs/library and .masc/wiki.",
    ),
    Option(
        "knowledge.enable",
        "knowledge_enable",
        "boolean",
        "Answer requests for published knowledge; without it they get `knowledge_runtime_disabled`.",
    ),
    Option(
        "knowledge.folders",
        "knowledge_folders",
        "texts",
        "Knowledge bases besides the folders in .knowledge: folders and globs of Markdown files.",
    ),
    Option(
        "knowledge.scopes",
        "knowledge_scopes",
        "texts",
        "Only items of these scopes, and items without one, can be found and read; empty means every scope.",
    ),
    Option(
        "knowledge.semantic",
        "knowledge_semantic",
        "boolean",
        "Rank knowledge by meaning too, where the extra prior-art-lsp[semantic] is installed.",
    ),
    Option(
        "maxFileBytes",
        "max_file_bytes",
        "natural",
        "Larger wiki pages, work plans and knowledge items are not read.",
    ),
    Option(
        "extraRoots",
        "extra_roots",
        "texts",
        "Further folders whose stores answer too; absolute, from `~`, or with `${workspaceFolder}`.",
    ),
)
_BY_KEY = {option.key: option for option in SCHEMA}
FOLDER_KEYS = frozenset({"wiki.folders", "knowledge.folders", "extraRoots"})
"""The settings whose texts name folders."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Raw settings from one place, by dotted key."""

    origin: str
    values: Mapping[str, object] = field(default_factory=dict)
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings in effect, what is wrong with what was given, and which keys nobody knows."""

    settings: Settings
    wrong: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    """Which layer gave a setting, by its key; the others are as by default."""


def combine(layers: Iterable[Layer]) -> Effective:
    """Lay the layers over the defaults, lowest first."""
    settings = Settings()
    wrong: list[str] = []
    unknown: list[str] = []
    origins: dict[str, str] = {}
    for layer in layers:
        wrong += layer.complaints
        for key, value in layer.values.items():
            option = _BY_KEY.get(key)
            if option is None:
                unknown.append(f"{layer.origin}: unknown setting {key}; it is ignored")
                continue
            try:
                settings = replace(settings, **{option.field: option.accept(value)})
                origins[key] = layer.origin
            except ValueError as expected:
                wrong.append(f"{layer.origin}: {key} has to be {expected}; it is ignored")
    return Effective(settings, tuple(wrong), tuple(unknown), origins)


def read_layers(root: Path | None) -> Iterator[Layer]:
    """The layers that are files: the user's, then the workspace's."""
    return map(read_file, files_for(root))


def files_for(root: Path | None) -> tuple[Path, ...]:
    """The files of settings below a root, whether they are there or not."""
    own = root / WORKSPACE_FILE if root is not None else None
    return tuple(file for file in (user_file(), own) if file is not None)


def user_file() -> Path | None:
    """Where a person's own settings are, on every workspace; `None` where there is no home folder."""
    try:
        folder = platformdirs.user_config_path("prior-art", appauthor=False)
    except RuntimeError:
        return None
    # Earlier platformdirs leave a home that they do not know as "~", which is no folder.
    return folder / "config.toml" if folder.is_absolute() else None


def read_file(path: Path) -> Layer:
    """The layer that a TOML file holds; empty when there is no such file."""
    try:
        return Layer(str(path), dict(_flatten(tomllib.loads(path.read_text(encoding="utf-8-sig")))))
    except (FileNotFoundError, NotADirectoryError):
        return Layer(str(path))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except (ValueError, RecursionError) as error:
        # ValueError: no TOML, no UTF-8, or a number of thousands of digits.
        reason = str(error)
    return Layer(str(path), complaints=(f"{path}: cannot be read and is ignored: {reason}",))


def from_client(value: object, origin: str) -> Layer:
    """The layer that a client sends: our section, with or without its name around or before it.

    Null is none, both for the section and for a setting.
    """
    if value is None:
        return Layer(origin)
    if not isinstance(value, Mapping):
        return Layer(origin, complaints=(f"{origin}: the settings have to be an object; they are ignored",))
    inner = value.get(SECTION, value)
    if inner is None:
        return Layer(origin)
    if not isinstance(inner, Mapping):
        return Layer(origin, complaints=(f"{origin}: {SECTION} has to be an object; it is ignored",))
    # Clients that mirror their whole schema send null for what nobody set.
    given = {key.removeprefix(f"{SECTION}."): setting for key, setting in _flatten(inner)}
    return Layer(origin, {key: setting for key, setting in given.items() if setting is not None})


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
