"""The command line's grammar: commands, options, and places and addresses as people write them."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from lsp_server import __version__
from lsp_server.core import QueryError
from lsp_server.core.composition import LIMITS, PRIOR_ART_SOURCES
from lsp_server.terminal import complain, output

BAD_INPUT = 2
"""Exit status of a command line, or of a question in it, that cannot be understood."""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; `options.command` names the one that was given."""
    root = _Parser(
        prog="prior-art",
        description="What the team already knows about an error code, a symbol or a file name.",
        epilog="Exit status: 0 found, 1 nothing found, 2 bad input, 3 nothing found but not everything "
        "could be searched.",
    )
    root.add_argument("--version", action="version", version=f"prior-art {__version__}")
    commands = root.add_subparsers(required=True, metavar="COMMAND")

    search = commands.add_parser("search", help="look a phrase up in memory, wiki and board")
    search.add_argument(
        "query", metavar="QUERY", help="a short fragment exactly as observed; write -- before a leading dash"
    )
    search.add_argument("--source", help=f"only these, of {','.join(PRIOR_ART_SOURCES)}")
    _add_common(search, "search")

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
    _add_common(kg, "kg")

    hover = commands.add_parser("hover", help="print what an editor would show at a place")
    hover.add_argument("place", metavar="FILE:LINE:COLUMN", help="counted from 1, in characters")
    hover.add_argument("--format", choices=("markdown", "plaintext"), default="markdown")
    _add_common(hover, "hover", with_json=False)

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
    _add_common(ranked, "knowledge_search")
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
    _add_common(read, "knowledge_read")

    status = commands.add_parser("status", help="show the stores that were found, and their problems")
    _add_common(status, "status")

    doctor = commands.add_parser(
        "doctor",
        help="check what goes wrong in practice, with nothing private in what it prints",
        epilog="Exit status: 0 nothing wrong, 1 something to look at, 2 bad input.",
    )
    _add_common(doctor, "doctor")

    cache = commands.add_parser("cache", help="the index that is kept between two runs")
    actions = cache.add_subparsers(required=True, metavar="ACTION")
    clear = actions.add_parser("clear", help="remove it for all workspaces; it is built again when needed")
    clear.set_defaults(command="clear_cache")

    serve = commands.add_parser("serve", help="run the language server")
    transport = serve.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="talk over stdin and stdout (the default)")
    transport.add_argument("--tcp", metavar="HOST:PORT", help="serve one client over TCP instead")
    serve.set_defaults(command="serve")
    return root


def _number_or_text(text: str) -> int | float | str:
    """A number, or what is none, so that the request is what complains, with an envelope for programs."""
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def _add_common(command: argparse.ArgumentParser, name: str, *, with_json: bool = True) -> None:
    command.add_argument("--root", metavar="DIR", help="the workspace; otherwise the nearest with a store")
    if with_json:
        command.add_argument("--json", action="store_true", help="print JSON for programs")
    command.set_defaults(command=name)


def place(text: str) -> tuple[Path, int, int]:
    """A path, a line and a column of FILE:LINE:COLUMN.

    Raises
    ------
    QueryError
        It is no such place.
    """
    found = re.fullmatch(r"(.+):([0-9]{1,9}):([0-9]{1,9})", text, re.DOTALL)
    if found:
        path, line, column = Path(found[1]), int(found[2]), int(found[3])
        if line >= 1 and column >= 1:
            return path, line, column
    raise QueryError(f"{text!r} is no place; write FILE:LINE:COLUMN, counted from 1")


def address(text: str) -> tuple[str, int]:
    """A host and a port of HOST:PORT.

    Raises
    ------
    QueryError
        It is no such address.
    """
    found = re.fullmatch(r"(.*):([0-9]{1,5})", text)
    if found and int(found[2]) < 65536:
        return found[1].strip("[]") or "127.0.0.1", int(found[2])
    raise QueryError(f"{text!r} is no address; write HOST:PORT")


class _Parser(argparse.ArgumentParser):
    """argparse with errors of one line, and without options cut short, which a later option would break."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments:") and not message.split(":", 1)[1].strip().startswith(
            "-"
        ):
            message += "; put a query of several words in quotes"
        complain(f"{message}; see {self.prog} --help")
        self.exit(BAD_INPUT)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        with output():
            pass  # The help has been printed, and its reader may have gone.
        super().exit(status, message)
