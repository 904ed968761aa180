"""The handlers of code actions: thin, with all work on a snapshot in another thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from lsp_server.documents import Document
from lsp_server.features import code_action
from lsp_server.features.code_action import Desk, edit_for, is_wanted
from lsp_server.lookup import identity
from lsp_server.phrases import Phrase, first_with_matches
from lsp_server.session import Session
from lsp_server.snapshot import Snapshot

HARBOUR = Path(__file__).parents[1] / "stores" / "harbour"
URI = f"{HARBOUR.as_uri()}/x.py"
START = types.Position(0, 1)
CONTEXT = types.CodeActionContext([], only=["priorArt.cite"])


class WatchedSession(Session):
    """Remembers the threads that asked where a document lies, which looks at the disk."""

    threads: set[threading.Thread]

    def root_of(self, uri: str) -> Path | None:
        self.threads.add(threading.current_thread())
        return super().root_of(uri)


def server_with(document: Document) -> Any:
    """As much of a server as the handlers know."""
    handlers: dict[str, Callable[..., Any]] = {}

    def feature(method: str, _options: object = None) -> Callable[[Any], Any]:
        return lambda handler: handlers.setdefault(method, handler)

    async def with_settings(work: Callable[..., Any], *arguments: Any) -> Any:
        for argument in arguments:
            assert not isinstance(argument, Document)
        return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)

    session = WatchedSession(lambda _message, _important: None, folders=(HARBOUR,))
    session.threads = set()
    server = SimpleNamespace(
        session=session,
        encoding="utf-16",
        client_capabilities=types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                code_action=types.CodeActionClientCapabilities(
                    code_action_literal_support=types.ClientCodeActionLiteralOptions(
                        types.ClientCodeActionKindOptions([""])
                    )
                )
            )
        ),
        feature=feature,
        with_settings=with_settings,
        open_document=lambda uri: document if uri == document.uri else None,
        handlers=handlers,
    )
    code_action.register(server)
    return server


def ask(server: Any) -> Any:
    params = types.CodeActionParams(types.TextDocumentIdentifier(URI), types.Range(START, START), CONTEXT)
    return asyncio.run(server.handlers[types.TEXT_DOCUMENT_CODE_ACTION](params))


def test_nothing_looks_at_the_disk_on_the_event_loop() -> None:
    server = server_with(Document(URI, source="E4217\n", version=3, language_id="python"))
    first, _ = ask(server)
    assert first.edit.changes[URI][0].new_text.startswith("# Prior art: ")
    assert server.session.threads
    assert threading.current_thread() not in server.session.threads


@pytest.mark.parametrize("language", ["klingon", "json", None])
def test_a_language_without_a_known_comment_has_no_citation(language: str | None) -> None:
    assert ask(server_with(Document(URI, source="E4217\n", version=3, language_id=language))) is None


def test_an_edit_is_made_only_where_the_action_would_be_offered() -> None:
    desks = {language: desk_of(language) for language in ("python", "klingon")}
    lookup = first_with_matches(desks["python"].session, URI, [Phrase("E4217")])
    assert lookup is not None
    data = {"query": "E4217", "line": 0, "match": identity(lookup.matches[0])}
    assert edit_for(desks["python"], "priorArt.cite", data) is not None
    assert edit_for(desks["python"], "priorArt.cite", {**data, "line": -5}) is not None
    assert edit_for(desks["python"], "priorArt.cite", {**data, "match": "gone"}) is None
    assert edit_for(desks["python"], "priorArt.insert", data) is None
    assert edit_for(desks["klingon"], "priorArt.cite", data) is None


def desk_of(language: str) -> Desk:
    session = Session(lambda _message, _important: None, folders=(HARBOUR,))
    return Desk(session, Snapshot(URI, "E4217\n", 3, language), types.ClientCapabilities(), "utf-16")


@pytest.mark.parametrize(
    ("only", "wanted"),
    [(None, True), ([], True), ([""], True), (["priorArt"], True), (["prior"], False), (["quickfix"], False)],
)
def test_a_kind_includes_those_below_it(only: list[str] | None, wanted: bool) -> None:
    assert is_wanted("priorArt.cite", only) is wanted
