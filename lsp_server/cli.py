"""The command line: the lookups for a terminal and for other programs, and `serve` for editors.

Exit status: 0 something found, 1 nothing found and every source complete, 2 usage or bad input, 3 nothing
found but some source failed or is incomplete. What goes wrong is one line on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server import arguments
from lsp_server.arguments import BAD_INPUT
from lsp_server.core import QueryError
from lsp_server.core.model import Status
from lsp_server.core.on_disk import is_file, is_folder
from lsp_server.json_form import knowledge_graph_json, prior_art_json, status_json
from lsp_server.questions import (
    NoStoreError,
    ask_knowledge_graph,
    ask_prior_art,
    knowledge_graph_question,
    prior_art_question,
    require_store,
)
from lsp_server.report import (
    byte_size,
    knowledge_graph_report,
    knowledge_report,
    prior_art_report,
    status_report,
)
from lsp_server.roots import folder_of, nearest_root, root_in_environment
from lsp_server.session import Session
from lsp_server.terminal import (
    ProgressBar,
    complain,
    print_as_it_is,
    print_json,
    print_text,
    write_utf8,
)

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

SWITCH_SECONDS = 0.0005
"""After so long a thread lets another one run; Python's own default is ten times as much."""

FOUND, NOTHING_FOUND, NOTHING_BUT_INCOMPLETE, INTERRUPTED = 0, 1, 3, 130
SOMETHING_WRONG = 1
"""What `doctor` ends with when it has something to look at."""


def main(given: Sequence[str] | None = None) -> int:
    """Run `prior-art` and return its exit status."""
    write_utf8()
    # Nothing here multiplies matrices; without this numpy starts a thread for each processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        options = arguments.parser().parse_args(given)
        status = COMMANDS[options.command](options)
    except QueryError as error:
        complain(str(error))
        return BAD_INPUT
    except OSError as error:
        # The disk is full, the current folder is gone, an address is taken.
        place = f"{error.filename}: " if error.filename else ""
        complain(f"{place}{(error.strerror or str(error)).lower()}")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def serve_main() -> int:
    """Run `prior-art-lsp`, which is `prior-art serve`."""
    given = sys.argv[1:]
    return main(given if "--version" in given else ["serve", *given])


def _search(options: argparse.Namespace) -> int:
    question = prior_art_question({"query": options.query, "source": options.source})
    answer = ask_prior_art(_cores(options), question)
    if options.json:
        print_json(prior_art_json(answer, question.sources))
    else:
        print_text(prior_art_report(answer, question.sources, Path.cwd()))
    return _exit_status(answer.found, answer.status)


def _kg(options: argparse.Namespace) -> int:
    names = ("query", "project_slug", "scope", "state", "limit")
    question = knowledge_graph_question({name: getattr(options, name) for name in names})
    answer = ask_knowledge_graph(_cores(options), question)
    if options.json:
        print_json(knowledge_graph_json(answer))
    else:
        print_text(knowledge_graph_report(answer, Path.cwd()))
    return _exit_status(bool(answer.results), answer.status)


def _hover(options: argparse.Namespace) -> int:
    path, number, column = arguments.place(options.place)
    document = _document(path)

    # Imported here: text brings the protocol's types, and the cursor its patterns; no other lookup needs them.
    from lsp_server.cursor import find_target
    from lsp_server.hover import hover_from, wants
    from lsp_server.text import line_at

    line = line_at(document, number - 1)
    if line is None:
        raise QueryError(f"{path} has no line {number}")
    if column > len(line) + 1:
        raise QueryError(f"line {number} of {path} has {len(line)} characters, there is no column {column}")
    target = find_target(line, column - 1)
    session, root = _session(options, near=path)
    settings, cores = session.settings_for(root), session.cores_for(root)
    require_store(cores)
    if target is None or not wants(settings, target):
        return NOTHING_FOUND
    hover = hover_from(cores, settings, target, options.format)
    status = _exit_status(hover.found, hover.status)
    if hover.text is not None:
        print_text(hover.text)
    elif status == NOTHING_BUT_INCOMPLETE:
        complain("nothing found, but not everything could be searched; see prior-art status")
    return status


def _knowledge_search(options: argparse.Namespace) -> int:
    parameters = {
        "query": options.query,
        "knowledge_base_id": options.base,
        "mode": options.mode,
        "alpha": options.alpha,
        "max_results": options.max_results,
    }
    return _ask_knowledge(options, parameters)


def _knowledge_read(options: argparse.Namespace) -> int:
    parameters = {
        "knowledge_item_id": options.item,
        "knowledge_revision_id": options.revision,
        "knowledge_base_id": options.base,
        "offset": options.offset,
        "limit_chars": options.limit_chars,
    }
    return _ask_knowledge(options, parameters)


def _ask_knowledge(options: argparse.Namespace, parameters: dict[str, object]) -> int:
    cores = _cores(options)

    # Imported here: no other lookup needs them.
    from lsp_server.core.knowledge.answer import KnowledgeReading
    from lsp_server.core.knowledge.errors import KnowledgeError
    from lsp_server.knowledge import ask_knowledge, is_unavailable, knowledge_error_json, knowledge_json

    try:
        answer = ask_knowledge(cores, parameters)
    except KnowledgeError as error:
        if options.json:
            print_json(knowledge_error_json(error))
        else:
            complain(str(error))
        return NOTHING_BUT_INCOMPLETE if is_unavailable(error) else BAD_INPUT
    if options.json:
        print_json(knowledge_json(answer))
    elif isinstance(answer, KnowledgeReading):
        print_as_it_is(answer.content)
    else:
        print_text(knowledge_report(answer, options.query, Path.cwd()))
    if isinstance(answer, KnowledgeReading):
        return FOUND
    # A root without any knowledge base was not searched, which is not the same as nothing found.
    return _exit_status(bool(answer.results), "incomplete" if answer.status == "absent" else answer.status)


def _status(options: argparse.Namespace) -> int:
    statuses = [core.status() for core in _cores(options)]
    if options.json:
        print_json(status_json(statuses))
    else:
        print_text(status_report(statuses))
    sources = [source for status in statuses for source in status.sources]
    incomplete = any(source.problems for source in sources)
    return _exit_status(
        any(source.document_count for source in sources), "incomplete" if incomplete else "complete"
    )


def _doctor(options: argparse.Namespace) -> int:
    # Imported here: only this command asks for versions and starts a program.
    from lsp_server.doctor import doctor_json, doctor_report, examine

    named = None if options.root is None else _named_root(options.root)
    findings = examine(named, Path.cwd(), on_progress=ProgressBar().show)
    if options.json:
        print_json(doctor_json(findings))
    else:
        print_text(doctor_report(findings))
    return SOMETHING_WRONG if any(finding.advice for finding in findings) else FOUND


def _clear_cache(_options: argparse.Namespace) -> int:
    from lsp_server.core.index.cache import CACHE_VARIABLE, cache_folder, clear

    folder = cache_folder()
    if folder is None:
        raise QueryError(f"there is no home folder to keep a cache in; name one in ${CACHE_VARIABLE}")
    print_text(f"removed {byte_size(clear(folder))} from {folder}")
    return FOUND


def _serve(options: argparse.Namespace) -> int:
    address = None if options.tcp is None else arguments.address(options.tcp)
    if address is None and (sys.stdin is None or sys.stdout is None):
        raise QueryError("stdin or stdout is closed; the server talks over both, or over --tcp HOST:PORT")

    # A lookup must not wait long for a thread that reads or merges beside it.
    sys.setswitchinterval(SWITCH_SECONDS)

    from lsp_server.process import run_stdio, run_tcp
    from lsp_server.server import create_server

    return run_stdio(create_server()) if address is None else run_tcp(create_server(), *address)


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "search": _search,
    "kg": _kg,
    "hover": _hover,
    "knowledge_search": _knowledge_search,
    "knowledge_read": _knowledge_read,
    "status": _status,
    "doctor": _doctor,
    "clear_cache": _clear_cache,
    "serve": _serve,
}
"""What runs each command that `arguments.parser` names; it returns the exit status."""


# --- what the commands share -----------------------------------------------------------------------------


def _session(options: argparse.Namespace, near: Path | None = None) -> tuple[Session, Path]:
    """A session and its root: the one that was named, else the nearest with a store.

    Raises
    ------
    QueryError
        The named folder does not exist, or there is no store at or above the place.
    """
    session = Session(lambda message, _important: complain(message), on_progress=ProgressBar().show)
    if options.root is not None:
        return session, _named_root(options.root)
    start = Path.cwd() if near is None else near.absolute()
    nearest = nearest_root(start) or root_in_environment()
    if nearest is None:
        raise NoStoreError(
            f"no store at or above {start}, the home folder aside; name the workspace with --root DIR"
        )
    return session, nearest


def _named_root(named: str) -> Path:
    given = os.path.expanduser(named)  # noqa: PTH111 - and Path would take "" for "."
    if not is_folder(given) and not is_file(given):
        raise QueryError(f"{named!r} is no folder; name the workspace with --root DIR")
    return folder_of(Path(os.path.abspath(given)))  # noqa: PTH100 - links stay as they were given


def _cores(options: argparse.Namespace) -> Sequence[SearchCore]:
    session, root = _session(options)
    return session.cores_for(root)


def _exit_status(found: bool, status: Status) -> int:
    if found:
        return FOUND
    return NOTHING_FOUND if status in ("complete", "absent") else NOTHING_BUT_INCOMPLETE


def _document(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise QueryError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error
