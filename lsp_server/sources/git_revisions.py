"""Older contents of a file, from the git repository that it lies in.

Packs are read with dulwich, since the git program would have to be held back from all that a repository's
settings make it do: run their programs (`core.fsmonitor`, `gpg.program`, filters), fetch what is missing from a
promisor, refuse the folder of another owner. Of dulwich only the pack reader is used, since `Repo` obeys settings
too, and opening one with `extensions.refStorage=reftable` (as of 1.2.21) deletes its `refs/heads`.

So no setting is read, nothing is written, run or fetched, and only the repository's own objects count: no
alternates, replacements or grafts. Each object is checked against its id.
"""

from __future__ import annotations

import hashlib
import heapq
import os
import re
import stat
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PureWindowsPath

from dulwich.errors import ObjectFormatException
from dulwich.object_format import SHA1
from dulwich.objects import RawObjectID, parse_tree
from dulwich.pack import Pack

from lsp_server.core.on_disk import is_folder
from lsp_server.sources.text_file import read_bytes

MAX_COMMITS = 20_000
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
"""Of commits and folders."""
MAX_TIPS = 2_000
MAX_LOOSE_BYTES = 64 * 1024 * 1024
MAX_PACKED_REFS_BYTES = 64 * 1024 * 1024
MAX_LINK_BYTES = 65_536
MAX_TAGS_OF_TAGS = 5

_OBJECT_ID = re.compile(rb"[0-9a-f]{40}")
_COMMIT = re.compile(rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)")
_COMMIT_TIME = re.compile(rb"^committer .*> (-?[0-9]{1,18}) ", re.MULTILINE)
_TAG = re.compile(rb"object ([0-9a-f]{40})\n")
_PACKED_REF = re.compile(rb"^([0-9a-f]{40}) (refs/(?:heads|tags)/[^\r\n]+)", re.MULTILINE)

_PACKED_KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}


def revision_bytes(path: Path, revision_id: str, max_bytes: int | None = None) -> bytes | None:
    """What the file at `path` held in the revision with that id, if it was committed there once.

    It was when a commit that HEAD, a local branch or a tag leads to has exactly this blob as a regular file at
    exactly this path; what the file was called before a renaming is another path. Any other blob of the
    repository, one of more than `max_bytes`, and whatever cannot be read give `None`.

    Commits are looked at from the newest on, until there are `MAX_COMMITS` or they and their folders have
    `MAX_UNPACKED_BYTES`; what lies behind that is not found.
    """
    wanted = revision_id.encode("utf-8", "replace")
    if not _OBJECT_ID.fullmatch(wanted):
        return None
    try:
        place = _Place.of(path)
        if place is None:
            return None
        with closing(_Objects(place.common / "objects")) as objects:
            content = objects.content(wanted, b"blob")
            if content is None or (max_bytes is not None and len(content) > max_bytes):
                return None
            return content if _was_committed(wanted, place, objects) else None
    except (OSError, ValueError, RuntimeError):
        # ValueError: a path with a null character; RuntimeError: a loop of links, before Python 3.13.
        return None


def _was_committed(blob: bytes, place: _Place, objects: _Objects) -> bool:
    file = _FileInTrees(place.names, objects)
    allowed = objects.unpacked_bytes + MAX_UNPACKED_BYTES
    for commit in _history(_tips(place), objects):
        if file.blob_in(commit.tree) == blob:
            return True
        if objects.unpacked_bytes > allowed:
            break
    return False


# The repository around a file


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file stands in a repository."""

    git: Path
    """`.git`, or what stands for it in a linked worktree or a submodule."""
    common: Path
    """The part of it that all worktrees share."""
    names: tuple[str, ...]
    """The path from the top of the worktree."""

    @staticmethod
    def of(path: Path) -> _Place | None:
        """The place of a file, links followed, in the innermost repository around it."""
        real = Path(os.path.realpath(path))
        for folder in real.parents:
            git = _git_folder(folder)
            common = git and _common_folder(git)
            if git and common and is_folder(common / "objects"):
                return _Place(git, common, real.relative_to(folder).parts)
        return None


def _git_folder(folder: Path) -> Path | None:
    git = folder / ".git"
    try:
        is_folder = stat.S_ISDIR(git.stat().st_mode)
    except OSError:
        return None
    if is_folder:
        return git if os.path.lexists(git / "HEAD") else None
    data, _ = read_bytes(git, MAX_LINK_BYTES)
    if data is None or not data.startswith(b"gitdir: "):
        return None
    return _named_folder(folder, data.removeprefix(b"gitdir: "))


def _common_folder(git: Path) -> Path | None:
    data, _ = read_bytes(git / "commondir", MAX_LINK_BYTES)
    return git if data is None else _named_folder(git, data)


def _named_folder(start: Path, name: bytes) -> Path | None:
    """The folder that a file of git's names, unless that is on another machine."""
    folder = os.fsdecode(name.rstrip(b"\r\n"))
    drive = PureWindowsPath(folder).drive
    if drive.startswith("\\\\") and drive != PureWindowsPath(start).drive:
        return None
    return start / folder


# Where history begins


def _tips(place: _Place) -> Iterator[bytes]:
    """What HEAD, the branches and the tags point at: HEAD first, then by name."""
    tips = {name: tip for name, tip in _named_tips(place.common) if _OBJECT_ID.fullmatch(tip)}
    head = _first_line(place.git / "HEAD")
    first = tips.pop(head.removeprefix(b"ref: "), head)
    if _OBJECT_ID.fullmatch(first):
        yield first
    yield from islice((tips[name] for name in sorted(tips)), MAX_TIPS)


def _named_tips(common: Path) -> Iterator[tuple[bytes, bytes]]:
    """Names and tips as they stand; those of files of their own come last, since they count."""
    packed, _ = read_bytes(common / "packed-refs", MAX_PACKED_REFS_BYTES)
    for line in _PACKED_REF.finditer(packed or b""):
        yield line[2], line[1]
    for kind in ("heads", "tags"):
        for folder, _, names in os.walk(common / "refs" / kind):
            for name in names:
                file = Path(folder, name)
                yield os.fsencode(file.relative_to(common).as_posix()), _first_line(file)


def _first_line(file: Path) -> bytes:
    data, _ = read_bytes(file, MAX_LINK_BYTES)
    return (data or b"").partition(b"\n")[0].rstrip()


# History


@dataclass(frozen=True, slots=True)
class _Commit:
    tree: bytes
    parents: tuple[bytes, ...]
    time: int

    @staticmethod
    def read(commit_id: bytes, objects: _Objects) -> _Commit | None:
        """A commit; what a tag names, for a tag; `None` for anything else, and where a shallow clone ends."""
        for _ in range(MAX_TAGS_OF_TAGS):
            kind, content = objects.read(commit_id)
            tag = _TAG.match(content) if kind == b"tag" else None
            if tag is None:
                break
            commit_id = tag[1]
        commit = _COMMIT.match(content) if kind == b"commit" else None
        if commit is None:
            return None
        time = _COMMIT_TIME.search(content.partition(b"\n\n")[0])
        return _Commit(commit[1], tuple(commit[2].split()[1::2]), int(time[1]) if time else 0)


def _history(tips: Iterable[bytes], objects: _Objects) -> Iterator[_Commit]:
    """The commits that the tips lead to, each once, the newest of those at hand first."""
    found: set[bytes] = set()
    waiting: list[tuple[int, int, _Commit]] = []

    def find(commit_ids: Iterable[bytes]) -> None:
        for commit_id in commit_ids:
            if commit_id not in found and len(found) < MAX_COMMITS:
                found.add(commit_id)
                commit = _Commit.read(commit_id, objects)
                if commit:
                    heapq.heappush(waiting, (-commit.time, len(found), commit))

    find(tips)
    while waiting:
        commit = heapq.heappop(waiting)[-1]
        yield commit
        find(commit.parents)


class _FileInTrees:
    """One path, looked up in the folders of many commits, of which most are the same."""

    def __init__(self, names: tuple[str, ...], objects: _Objects) -> None:
        # Git on macOS composes the names that it stores, while those on the disk may be decomposed.
        self._names = tuple(
            dict.fromkeys(os.fsencode(form) for form in (name, unicodedata.normalize("NFC", name)))
            for name in names
        )
        self._objects = objects
        self._known: dict[tuple[bytes, int], bytes | None] = {}

    def blob_in(self, tree: bytes) -> bytes | None:
        """The id of the file's content, or `None` where there is no such file."""
        found: bytes | None = tree
        for depth in range(len(self._names)):
            if found is None:
                break
            if (found, depth) not in self._known:
                self._known[found, depth] = self._entry(found, depth)
            found = self._known[found, depth]
        return found

    def _entry(self, tree: bytes, depth: int) -> bytes | None:
        names = self._names[depth]
        is_kind = stat.S_ISREG if depth == len(self._names) - 1 else stat.S_ISDIR
        content = self._objects.content(tree, b"tree") or b""
        try:
            entries = {
                name: entry_id
                for name, mode, entry_id in parse_tree(content, SHA1.oid_length)
                if name in names and is_kind(mode)
            }
        except ObjectFormatException:
            return None
        return next((entries[name] for name in names if name in entries), None)


# Objects


class _Objects:
    """The objects of a repository, loose and packed; one that is damaged is as good as missing.

    A loose object is unpacked up to a limit, a packed one up to the size that the pack says it has.
    """

    def __init__(self, folder: Path) -> None:
        self.unpacked_bytes = 0
        self._folder = folder
        self._packs: dict[str, Pack] = {}
        self._find_new_packs()

    def content(self, object_id: bytes, kind: bytes) -> bytes | None:
        """The content of an object, if it is of that kind."""
        found_kind, content = self.read(object_id)
        return content if found_kind == kind else None

    def read(self, object_id: bytes) -> tuple[bytes, bytes]:
        """Kind and content of an object; both are empty for one that is not there."""
        # Git may just have moved it into a pack that is not known here yet.
        while True:
            for kind, content in self._copies(object_id):
                if _digest(kind, content) == object_id:
                    self.unpacked_bytes += len(content)
                    return kind, content
            if not self._find_new_packs():
                return b"", b""

    def close(self) -> None:
        for pack in self._packs.values():
            pack.close()

    def _copies(self, object_id: bytes) -> Iterator[tuple[bytes, bytes]]:
        raw_id = RawObjectID(bytes.fromhex(object_id.decode("ascii")))
        for pack in self._packs.values():
            try:
                number, content = pack.get_raw(raw_id)
            except Exception:  # KeyError without such an object, and whatever damaged bytes lead to
                continue
            yield _PACKED_KINDS.get(number, b""), content
        name = object_id.decode("ascii")
        packed, _ = read_bytes(self._folder / name[:2] / name[2:], MAX_LOOSE_BYTES)
        if packed is not None:
            try:
                whole = zlib.decompressobj().decompress(packed, MAX_LOOSE_BYTES)
            except zlib.error:
                return
            header, _, content = whole.partition(b"\0")
            yield header.partition(b" ")[0], content

    def _find_new_packs(self) -> bool:
        folder = self._folder / "pack"
        try:
            with os.scandir(folder) as entries:
                files = {entry.name for entry in entries if entry.is_file()}
        except OSError:
            return False
        stems = (name.removesuffix(".pack") for name in sorted(files) if name.endswith(".pack"))
        new = {
            stem: Pack(str(folder / stem), object_format=SHA1)
            for stem in stems
            if stem + ".idx" in files and stem not in self._packs
        }
        self._packs |= new
        return bool(new)


def _digest(kind: bytes, content: bytes) -> bytes:
    hashed = hashlib.sha1(b"%s %d\0" % (kind, len(content)), usedforsecurity=False)
    hashed.update(content)
    return hashed.hexdigest().encode("ascii")
