"""Paths and URIs: the one place that turns one into the other and compares them.

URIs are never compared as text: `file:///c%3A/x` and `file:///C:/x` are one file
(spec/field-notes.md §2 item 23).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes

WINDOWS = os.name == "nt"

# RFC 3986, appendix B; unlike `urlsplit` it takes every text.
_URI = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)", re.DOTALL)
_DRIVE = re.compile(r"/?([A-Za-z]):")
_SHARE = re.compile(r"//([^/]+)(/.*)", re.DOTALL)


def path_of(uri: str) -> Path | None:
    """The file that a `file:` URI names, or `None` for every other scheme."""
    path = file_path(uri)
    return Path(path) if path else None


def location_of(uri: str) -> Path | None:
    """Where a document lies for the purpose of finding its stores.

    Notebook cells, git revisions and the like carry the file's path under a scheme of their own; an
    untitled document lies nowhere.
    """
    scheme, _, path = _split(uri)
    if scheme == "file":
        return path_of(uri)
    return None if scheme in ("", "untitled") else path_of(f"file://{path}")


def uri_of(path: str | Path, line: int | None = None) -> str:
    """The `file:` URI of a path, with a 1-based line as the fragment editors know (`#L12`)."""
    uri = file_uri(str(path))
    return uri if line is None else f"{uri}#L{line}"


def relative_uri(path: str | Path, folder: str | Path, line: int | None = None) -> str:
    """A path as a relative reference from a folder; its `file:` URI where no way leads there."""
    try:
        way = Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # it is on another drive
        return uri_of(path, line)
    reference = quote(way.encode("utf-8", "surrogateescape"))
    return reference if line is None else f"{reference}#L{line}"


def file_path(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """The path that a `file:` URI names, as this or the other family of systems writes it.

    A drive letter is a capital one, whatever the client made of it. `None` where the URI is of another
    scheme, or names nothing that a file can be called.
    """
    scheme, host, escaped = _split(uri)
    raw = unquote_to_bytes(escaped.encode("utf-8", "surrogatepass"))
    # Names on POSIX are bytes, and those that are no text stay what they are.
    path = raw.decode("utf-8", "replace" if windows else "surrogateescape")
    if scheme != "file" or not path.startswith("/") or "\0" in path:
        return None
    if host and host.lower() != "localhost":
        path = f"//{unquote(host)}{path}"
    elif windows and (drive := _DRIVE.match(path)):
        path = f"{drive[1].upper()}:{path[drive.end() :] or '/'}"
    return path.replace("/", "\\") if windows else path


def file_uri(path: str, *, windows: bool = WINDOWS) -> str:
    """The `file:` URI of an absolute path of this or the other family of systems."""
    host = drive = ""
    if windows:
        path = path.replace("\\", "/")
        if found := _DRIVE.match(path):
            drive, path = f"/{found[1].upper()}:", path[found.end() :]
    if not drive and (share := _SHARE.fullmatch(path)):
        host, path = share.groups()
    name = path.encode("utf-8", "surrogatepass" if windows else "surrogateescape")
    return f"file://{quote(host)}{drive}{quote(name if name.startswith(b'/') else b'/' + name)}"


def shown(path: str | Path, root: Path) -> str:
    """A path as people read it: relative to the root where it lies below it, with `/`."""
    path = Path(path)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _split(uri: str) -> tuple[str, str, str]:
    """Scheme in lower case, host and path, both still escaped; what is missing is empty."""
    parts = _URI.match(uri)
    scheme, host, path = parts.groups(default="") if parts else ("", "", "")
    return scheme.lower(), host, path
