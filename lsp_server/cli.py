"""The command line: the lookups for a terminal and for other programs, and `serve` for editors.

Exit status: 0 something found, 1 nothing found and every source complete, 2 usage or bad input, 3 nothing
found but some source failed or is incomplete. What goes wrong is one line on stderr.
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lsp_server import __version__
from lsp_server.core import QueryError
from lsp_server.core.composition import LIMITS, PRIOR_ART_SOURCES
from lsp_server.core.model import Progress, Status
from lsp_server.json_form import Json, knowledge_graph_json, prior_art_json, status_json
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

if TYPE_CHECKING:
    from lsp_server.core import SearchCore

SWITCH_SECONDS = 0.0005
"""After so long a thread lets another one run; Python's own default is ten times as much."""

FOUND, NOTHING_FOUND, BAD_INPUT, NOTHING_BUT_INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
SOMETHING_WRONG = 1
"""What `doctor` ends with when it has something to look at."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `prior-art` and return its exit status."""
    _write_utf8()
    # Nothing here multiplies matrices; without this numpy starts a thread for each processor.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
    except QueryError as error:
        _complain(str(error))
        return BAD_INPUT
    except OSError as error:
        # The disk is full, the current folder is gone, an address is taken.
        place = f"{error.filename}: " if error.filename else ""
        _complain(f"{place}{(error.strerror or str(error)).lower()}")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def serve_main() -> int:
    """Run `prior-art-lsp`, which is `prior-art serve`."""
    arguments = sys.argv[1:]
    return main(arguments if "--version" in arguments else ["serve", *arguments])


def _search(options: argparse.Namespace) -> int:
    question = prior_art_question({"query": options.query, "source": options.source})
    answer = ask_prior_art(_cores(options), question)
    if options.json:
        _print_json(prior_art_json(answer, question.sources))
    else:
        _print(prior_art_report(answer, question.sources, Path.cwd()))
    return _exit_status(answer.found, answer.status)


def _kg(options: argparse.Namespace) -> int:
    names = ("query", "project_slug", "scope", "state", "limit")
    question = knowledge_graph_question({name: getattr(options, name) for name in names})
    answer = ask_knowledge_graph(_cores(options), question)
    if options.json:
        _print_json(knowledge_graph_json(answer))
    else:
        _print(knowledge_graph_report(answer, Path.cwd()))
    return _exit_status(bool(answer.results), answer.status)


def _hover(options: argparse.Namespace) -> int:
    path, number, column = _place(options.place)
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
        _print(hover.text)
    elif status == NOTHING_BUT_INCOMPLETE:
        _complain("nothing found, but not everything could be searched; see prior-art status")
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
            _print_json(knowledge_error_json(error))
        else:
            _complain(str(error))
        return NOTHING_BUT_INCOMPLETE if is_unavailable(error) else BAD_INPUT
    if options.json:
        _print_json(knowledge_json(answer))
    elif isinstance(answer, KnowledgeReading):
        _print_as_it_is(answer.content)
    else:
        _print(knowledge_report(answer, options.query, Path.cwd()))
    if isinstance(answer, KnowledgeReading):
        return FOUND
    # A root without any knowledge base was not searched, which is not the same as nothing found.
    return _exit_status(bool(answer.results), "incomplete" if answer.status == "absent" else answer.status)


def _status(options: argparse.Namespace) -> int:
    statuses = [core.status() for core in _cores(options)]
    if options.json:
        _print_json(status_json(statuses))
    else:
        _print(status_report(statuses))
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
        _print_json(doctor_json(findings))
    else:
        _print(doctor_report(findings))
    return SOMETHING_WRONG if any(finding.advice for finding in findings) else FOUND


def _clear_cache(_options: argparse.Namespace) -> int:
    from lsp_server.core.index.cache import cache_folder, clear

    folder = cache_folder()
    _print(f"removed {byte_size(clear(folder))} from {folder}")
    return FOUND


def _serve(options: argparse.Namespace) -> int:
    address = None if options.tcp is None else _address(options.tcp)
    if address is None and (sys.stdin is None or sys.stdout is None):
        raise QueryError("stdin or stdout is closed; the server talks over both, or over --tcp HOST:PORT")

    # A lookup must not wait long for a thread that reads or merges beside it.
    sys.setswitchinterval(SWITCH_SECONDS)

    from lsp_server.process import run_stdio, run_tcp
    from lsp_server.server import create_server

    return run_stdio(create_server()) if address is None else run_tcp(create_server(), *address)


# --- what the commands share -----------------------------------------------------------------------------


def _session(options: argparse.Namespace, near: Path | None = None) -> tuple[Session, Path]:
    """A session and its root: the one that was named, else the nearest with a store.

    Raises
    ------
    QueryError
        The named folder does not exist, or there is no store at or above the place.
    """
    session = Session(lambda message, _important: _complain(message), on_progress=ProgressBar().show)
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
    if not os.path.isdir(given) and not os.path.isfile(given):  # noqa: PTH112, PTH113 - these never raise
        raise QueryError(f"{named!r} is no folder; name the workspace with --root DIR")
    return folder_of(Path(os.path.abspath(given)))  # noqa: PTH100 - links stay as they were given


class ProgressBar:
    """How far the reading of a large store is, on a terminal; nothing where stderr is none."""

    def __init__(self) -> None:
        self._bar: Any = None

    def show(self, root: Path, progress: Progress) -> None:
        """Draw it, and take it away at the end."""
        if self._bar is None:
            if sys.stderr is None or not sys.stderr.isatty():
                return
            from tqdm import tqdm

            self._bar = tqdm(
                desc=f"indexing {root.name}", unit="B", unit_scale=True, leave=False, file=sys.stderr
            )
        self._bar.total = progress.listed_bytes
        self._bar.update(progress.read_bytes - self._bar.n)
        if progress.is_complete:
            self._bar.close()
            self._bar = None


def _cores(options: argparse.Namespace) -> Sequence[SearchCore]:
    session, root = _session(options)
    return session.cores_for(root)


def _exit_status(found: bool, status: Status) -> int:
    if found:
        return FOUND
    return NOTHING_FOUND if status in ("complete", "absent") else NOTHING_BUT_INCOMPLETE


def _place(text: str) -> tuple[Path, int, int]:
    place = re.fullmatch(r"(.+):([0-9]{1,9}):([0-9]{1,9})", text, re.DOTALL)
    if place:
        path, line, column = Path(place[1]), int(place[2]), int(place[3])
        if line >= 1 and column >= 1:
            return path, line, column
    raise QueryError(f"{text!r} is no place; write FILE:LINE:COLUMN, counted from 1")


def _document(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise QueryError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error


def _address(text: str) -> tuple[str, int]:
    address = re.fullmatch(r"(.*):([0-9]{1,5})", text)
    if address and int(address[2]) < 65536:
        return address[1].strip("[]") or "127.0.0.1", int(address[2])
    raise QueryError(f"{text!r} is no address; write HOST:PORT")


def _print(text: str) -> None:
    with _output():
        print(_visible(text))


def _print_as_it_is(text: str) -> None:
    """A text with its own line ends and no other, so that chunks can be put together again."""
    with _output():
        if sys.stdout is None:
            return
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="")  # Windows would write another line end.
        sys.stdout.write(_visible(text) if sys.stdout.isatty() else text)


def _print_json(output: Json) -> None:
    # Escaped, JSON survives every terminal encoding and pipe.
    with _output():
        print(json.dumps(output, ensure_ascii=True))


def _complain(message: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"prior-art: {_visible(' '.join(message.split()))}", file=sys.stderr)


def _visible(text: str) -> str:
    """Text that cannot steer the terminal: what comes from stores is untrusted."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@contextmanager
def _output() -> Iterator[None]:
    """Write to stdout what is printed inside, at the latest at the end.

    Whoever reads it may have seen enough and gone (EINVAL on Windows); that is no failure.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        # What is left over must not be written once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise


def _write_utf8() -> None:
    # A Windows console or a C locale would raise on Hangul, dashes and warning signs.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


class _Parser(argparse.ArgumentParser):
    """argparse with errors of one line, and without options cut short, which a later option would break."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments:") and not message.split(":", 1)[1].strip().startswith(
            "-"
        ):
            message += "; put a query of several words in quotes"
        _complain(f"{message}; see {self.prog} --help")
        self.exit(BAD_INPUT)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        with _output():
            pass  # The help has been printed, and its reader may have gone.
        super().exit(status, message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="prior-art",
        description="What the team already knows about an error code, a symbol or a file name.",
        epilog="Exit status: 0 found, 1 nothing found, 2 bad input, 3 nothing found but not everything "
        "could be searched.",
    )
    parser.add_argument("--version", action="version", version=f"prior-art {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    search = commands.add_parser("search", help="look a phrase up in memory, wiki and board")
    search.add_argument(
        "query", metavar="QUERY", help="a short fragment exactly as observed; write -- before a leading dash"
    )
    search.add_argument("--source", help=f"only these, of {','.join(PRIOR_ART_SOURCES)}")
    _add_common(search, _search)

    kg = commands.add_parser("kg", help="find proven and planned unit-contracts")
    kg.add_argument("query", metavar="QUERY", help="what you are about to do, a tag, or a work-plan id")
    kg.add_argument("--scope", choices=("all", "archive", "live"), default="all")
    kg.add_argument(
        "--state",
        choices=("SUCCESS", "FAILURE", "—"),
        metavar="SUCCESS|FAILURE",
        help="only plans in this state; — for those that have none yet",
    )
    kg.add_argument("--limit", type=int, default=LIMITS.contracts, metavar="N")
    kg.add_argument("--project-slug", metavar="S", help="echoed in the answer")
    _add_common(kg, _kg)

    hover = commands.add_parser("hover", help="print what an editor would show at a place")
    hover.add_argument("place", metavar="FILE:LINE:COLUMN", help="counted from 1, in characters")
    hover.add_argument("--format", choices=("markdown", "plaintext"), default="markdown")
    _add_common(hover, _hover, with_json=False)

    knowledge = commands.add_parser("knowledge", help="search published knowledge, or read an item of it")
    actions = knowledge.add_subparsers(required=True, metavar="ACTION")
    ranked = actions.add_parser("search", help="rank published items for a question")
    ranked.add_argument("query", metavar="QUERY", help="a question or a few words")
    ranked.add_argument("--base", metavar="ID", help="only items of this knowledge base")
    ranked.add_argument(
        "--mode", metavar="M", help="hybrid (the default), lexical, semantic or rrf; other text means hybrid"
    )
    ranked.add_argument(
        "--alpha",
        type=_number_or_text,
        metavar="A",
        help="weight of words against meaning in hybrid, from 0 to 1",
    )
    ranked.add_argument(
        "--max-results", type=_number_or_text, metavar="N", help="from 1 to 50; 10 if not given"
    )
    _add_common(ranked, _knowledge_search)
    read = actions.add_parser("read", help="print the text of an item, or of one of its revisions")
    read.add_argument("item", metavar="ITEM", help="the item's id")
    read.add_argument("--revision", metavar="R", help="the revision's id; the current one if not given")
    read.add_argument("--base", metavar="ID", help="the knowledge base that the item has to be in")
    read.add_argument("--offset", type=_number_or_text, metavar="N", help="first character, counted from 0")
    read.add_argument(
        "--limit-chars",
        type=_number_or_text,
        metavar="N",
        help="from 1 to 10000 characters; 4000 if not given",
    )
    _add_common(read, _knowledge_read)

    status = commands.add_parser("status", help="show the stores that were found, and their problems")
    _add_common(status, _status)

    doctor = commands.add_parser(
        "doctor",
        help="check what goes wrong in practice, with nothing private in what it prints",
        epilog="Exit status: 0 nothing wrong, 1 something to look at, 2 bad input.",
    )
    _add_common(doctor, _doctor)

    cache = commands.add_parser("cache", help="the index that is kept between two runs")
    actions = cache.add_subparsers(required=True, metavar="ACTION")
    clear = actions.add_parser("clear", help="remove it for all workspaces; it is built again when needed")
    clear.set_defaults(run=_clear_cache)

    serve = commands.add_parser("serve", help="run the language server")
    transport = serve.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (the default)")
    transport.add_argument("--tcp", metavar="HOST:PORT", help="serve one client over TCP instead")
    serve.set_defaults(run=_serve)
    return parser


def _number_or_text(text: str) -> int | float | str:
    """A number, or what is none, so that the request is what complains, with an envelope for programs."""
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def _add_common(command: argparse.ArgumentParser, run: object, *, with_json: bool = True) -> None:
    command.add_argument("--root", metavar="DIR", help="the workspace; otherwise the nearest with a store")
    if with_json:
        command.add_argument("--json", action="store_true", help="print JSON for programs")
    command.set_defaults(run=run)
