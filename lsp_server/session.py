"""What the server knows of one client's workspace: folders, settings, and the opened stores.

Everything here is synchronous and safe to call from worker threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server import settings
from lsp_server.core import QueryError, StoreOptions
from lsp_server.core.fingerprint import fingerprint_of
from lsp_server.core.model import Progress
from lsp_server.core.on_disk import is_folder
from lsp_server.paths import location_of
from lsp_server.roots import folder_of, nearest_root, root_for
from lsp_server.settings import Effective, Layer, Settings

if TYPE_CHECKING:
    from lsp_server.core import SearchCore


@dataclass
class Session:
    """One client's workspace."""

    report: Callable[[str, bool], None]
    """Called with a message for the person, once for each, and whether it has to be seen."""
    on_progress: Callable[[Path, Progress], None] = field(default=lambda _root, _progress: None)
    """Called from any thread while a large store is read, with its root."""
    wait_for_index: bool = True
    """Whether a store is only used once all of it is read; otherwise what is ready answers meanwhile."""
    folders: tuple[Path, ...] = ()
    initial_options: Layer = field(default_factory=lambda: Layer("initializationOptions"))
    configuration: Layer = field(default_factory=lambda: Layer("configuration"))
    folder_configurations: Mapping[Path, Layer] = field(default_factory=dict)
    """For folders that have settings of their own; they take the place of `configuration`."""
    _cores: dict[Path, tuple[StoreOptions, SearchCore]] = field(default_factory=dict)
    _settings: dict[Path | None, tuple[object, Settings]] = field(default_factory=dict)
    _reported: set[str] = field(default_factory=set)
    _reporting: threading.Lock = field(default_factory=threading.Lock)
    _opening: dict[Path, threading.Lock] = field(default_factory=dict)

    def root_of(self, uri: str) -> Path | None:
        """The root whose stores and settings are a document's own."""
        # A folder inside a root, opened alone, is answered for by that root.
        return root_for(location_of(uri), [nearest_root(folder) or folder for folder in self.folders])

    def settings_for(self, root: Path | None) -> Settings:
        """The settings in effect below a root. A changed settings file counts from the next call on."""
        files = settings.files_for(root)
        configuration = self._configuration_for(root)
        key = ([fingerprint_of(path) for path in files], self.initial_options, configuration)
        known = self._settings.get(root)
        if known is not None and known[0] == key:
            return known[1]
        effective = settings.combine([*settings.read_layers(root), self.initial_options, configuration])
        self._report_once(effective)
        self._settings[root] = key, effective.settings
        return effective.settings

    def cores_for(self, root: Path | None) -> tuple[SearchCore, ...]:
        """The stores that answer below a root: its own, then those of `extraRoots`."""
        own = self.settings_for(root)
        extra = (self._extra_root(entry, root) for entry in own.extra_roots)
        roots = dict.fromkeys(place for place in (root, *extra) if place is not None)
        return tuple(self._core(place) for place in roots)

    def all_cores(self) -> tuple[SearchCore, ...]:
        """The stores of every workspace folder, for a question that comes from no document."""
        roots = [root_for(folder, self.folders) for folder in self.folders] or [root_for(None, ())]
        cores = [core for root in dict.fromkeys(roots) for core in self.cores_for(root)]
        return tuple(dict.fromkeys(cores))

    def open_cores(self) -> tuple[SearchCore, ...]:
        """The stores that have been opened so far."""
        return tuple(core for _, core in list(self._cores.values()))

    def cores_at(self, folder: Path) -> tuple[SearchCore, ...]:
        """The stores of a folder that somebody named.

        Raises
        ------
        QueryError
            There is no such folder.
        """
        root = folder_of(Path(_absolute(str(folder))))
        if not is_folder(root):
            raise QueryError(f"{folder} is no folder")
        return self.cores_for(root)

    def expect_changes(self) -> None:
        """Have the next lookups look at the disk, because the client saw a file change."""
        for core in self.open_cores():
            core.expect_changes()

    def close(self) -> None:
        """End the lookups. One that is opening a store is not waited for."""
        for core in self.open_cores():
            core.close()

    def _configuration_for(self, root: Path | None) -> Layer:
        """The client's settings of the folder that a root is or is in, else of one in it, else of the window."""
        if root is None:
            return self.configuration
        folders = sorted(self.folder_configurations, key=lambda folder: -len(folder.parts))
        around = (folder for folder in folders if root.is_relative_to(folder))
        inside = (folder for folder in folders if folder.is_relative_to(root))
        folder = next(around, None) or next(inside, None)
        return self.configuration if folder is None else self.folder_configurations[folder]

    def _core(self, root: Path) -> SearchCore:
        options = self.settings_for(root).store_options
        known = self._cores.get(root)
        if known is not None and known[0] == options:
            return known[1]
        # One root is read once, and no other root has to wait for it.
        with self._opening.setdefault(root, threading.Lock()):
            known = self._cores.get(root)
            if known is None or known[0] != options:
                known = self._cores[root] = options, self._open(root, options)
        return known[1]

    def _open(self, root: Path, options: StoreOptions) -> SearchCore:
        from lsp_server.core import SearchCore

        return SearchCore.open(
            root,
            options,
            wait=self.wait_for_index,
            on_progress=lambda progress: self.on_progress(root, progress),
        )

    def _extra_root(self, entry: str, root: Path | None) -> Path | None:
        place = Path(_absolute(entry.replace("${workspaceFolder}", str(root or "")), root))
        if not is_folder(place):
            self._say(f"extraRoots: {entry} is no folder; it is ignored", important=True)
            return None
        return place

    def _report_once(self, effective: Effective) -> None:
        for message in effective.wrong:
            self._say(message, important=True)
        for message in effective.unknown:
            self._say(message, important=False)

    def _say(self, message: str, *, important: bool) -> None:
        with self._reporting:
            if message in self._reported:
                return
            self._reported.add(message)
        self.report(message, important)


def _absolute(place: str, root: Path | None = None) -> str:
    """A place that a person named, from `~` or from a root; the user of a `~name` may not exist."""
    return os.path.abspath(os.path.join(root or "", os.path.expanduser(place)))  # noqa: PTH100, PTH111, PTH118
