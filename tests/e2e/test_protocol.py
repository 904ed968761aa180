"""What a client may rely on, over real stdio and TCP. Each test names the rule that the server keeps."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from raw_client import RawClient, ServerProcess

PROBE = [sys.executable, str(Path(__file__).with_name("probe_server.py"))]
PROMPTLY_SECONDS = 5  # Far less than the slow hover takes, more than a busy machine needs.

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800


@pytest.fixture
def fresh() -> Iterator[ServerProcess]:
    """A server that has not been initialized."""
    with ServerProcess(PROBE) as client:
        yield client


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One initialized server for all tests that have to leave it running."""
    with ServerProcess(PROBE) as client:
        client.initialize()
        yield client


def hover(uri: str, line: int = 0, character: int = 0) -> dict:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def change(client: RawClient, uri: str, *changes: dict) -> None:
    document = {"uri": uri, "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict:
    places = ({"line": line, "character": character} for line, character in (start, end))
    return {"range": dict(zip(("start", "end"), places, strict=True)), "text": text}


def text_of(client: RawClient, uri: str) -> str:
    return client.request("probe/text", {"uri": uri})["text"]


# -- Requests that cannot be served are answered


@pytest.mark.parametrize(
    "params",
    [None, {}, [], 3, {"textDocument": {"uri": "file:///a"}, "position": {"line": "x", "character": 0}}],
)
def test_a_request_with_unreadable_params_is_answered_with_invalid_params(server, params):
    error = server.request_error("textDocument/hover", params)
    assert error["code"] == INVALID_PARAMS
    assert "params" in error["message"]


def test_a_notification_with_unreadable_params_is_only_logged(server):
    server.notify("textDocument/didChange", {"textDocument": 7})
    assert server.request("probe/echo", 1) == 1
    assert not server.notifications("window/showMessage")
    server.wait_stderr("ignored a notification textDocument/didChange")


@pytest.mark.parametrize(
    "params",
    [
        {"jsonrpc": "2.0"},
        {"a": [{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}]},
        {"jsonrpc": "1", "id": 5, "result": {"jsonrpc": True}},
    ],
)
def test_user_data_that_looks_like_a_message_is_left_alone(server, params):
    assert server.request("probe/echo", params) == params


def test_a_request_without_the_member_params_is_served(server):
    server.send({"jsonrpc": "2.0", "id": "no params", "method": "probe/echo"})
    assert server.wait_answer("no params")["result"] is None


@pytest.mark.parametrize("msg_id", ["7", "name", 10**9])
def test_an_answer_has_the_id_of_its_request(server, msg_id):
    server.send({"jsonrpc": "2.0", "id": msg_id, "method": "probe/echo", "params": {}})
    assert server.wait_answer(msg_id)["id"] == msg_id


def test_an_unknown_request_is_answered_with_method_not_found(server):
    assert server.request_error("textDocument/nonsense", {})["code"] == METHOD_NOT_FOUND
    assert server.request_error("$/nonsense", {})["code"] == METHOD_NOT_FOUND


def test_an_unknown_notification_is_dropped_without_a_word(server):
    server.notify("$/nonsense", {})
    server.notify("nonsense/happened", {})
    assert server.request("probe/echo", 1) == 1
    assert "nonsense/happened" not in server.stderr


def test_a_notification_that_is_sent_as_a_request_is_refused(server):
    error = server.request_error("textDocument/didClose", {"textDocument": {"uri": "file:///as-request"}})
    assert error["code"] == INVALID_REQUEST


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": 901, "method": "probe/echo"}, INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": 902, "method": "probe/echo"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 903, "method": 5}, INVALID_REQUEST),
        ([], INVALID_REQUEST),
    ],
)
def test_what_is_no_request_is_answered_with_invalid_request(fresh, message, code):
    fresh.initialize()
    fresh.send(message)
    answer = fresh.wait_answer(message["id"] if isinstance(message, dict) else None)
    assert answer["error"]["code"] == code


@pytest.mark.parametrize("body", [b"{nonsense", b'"\xff"', b"[" * 100_000])
def test_what_is_not_json_is_answered_with_a_parse_error(fresh, body):
    fresh.initialize()
    fresh.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    answer = fresh.wait_answer(None)
    assert answer["id"] is None and answer["error"]["code"] == PARSE_ERROR
    assert fresh.request("probe/echo", 1) == 1


# -- The lifecycle


def test_before_initialize_requests_are_refused_and_notifications_dropped(fresh):
    fresh.open("file:///early", "early")
    assert fresh.request_error("textDocument/hover", hover("file:///early"))["code"] == NOT_INITIALIZED
    assert fresh.request_error("shutdown")["code"] == NOT_INITIALIZED
    fresh.initialize()
    assert fresh.request("probe/text", {"uri": "file:///early"}) is None


def test_an_initialize_that_cannot_be_read_may_be_repeated(fresh):
    assert fresh.request_error("initialize", {"capabilities": 3})["code"] == INVALID_PARAMS
    assert fresh.initialize()["serverInfo"]["name"] == "probe"


def test_a_second_initialize_is_refused(server):
    server.open("file:///kept", "kept")
    assert server.request_error("initialize", {"capabilities": {}})["code"] == INVALID_REQUEST
    assert text_of(server, "file:///kept") == "kept"


def test_after_shutdown_requests_are_refused_and_exit_ends_with_0(fresh):
    fresh.initialize()
    fresh.request("shutdown")
    assert fresh.request_error("probe/echo", 1)["code"] == INVALID_REQUEST
    assert fresh.request_error("shutdown")["code"] == INVALID_REQUEST
    fresh.notify("exit")
    assert fresh.wait_exit() == 0


def test_exit_without_shutdown_ends_with_1(fresh):
    fresh.initialize()
    fresh.notify("exit")
    assert fresh.wait_exit() == 1


def test_exit_before_initialize_ends_with_1(fresh):
    fresh.send({"jsonrpc": "2.0", "method": "exit"})
    assert fresh.wait_exit() == 1


@pytest.mark.parametrize("polite", [True, False])
def test_the_end_of_stdin_ends_the_server(fresh, polite):
    fresh.initialize()
    if polite:
        fresh.request("shutdown")
    fresh.close_stdin()
    assert fresh.wait_exit() == (0 if polite else 1)


def test_the_end_of_stdin_within_a_message_ends_the_server(fresh):
    fresh.initialize()
    fresh.send_bytes(b'Content-Length: 100\r\n\r\n{"jsonrpc"')
    fresh.close_stdin()
    assert fresh.wait_exit() == 1


@pytest.mark.parametrize("leave", [ServerProcess.leave, ServerProcess.close_stdin])
def test_running_work_does_not_hold_up_the_exit(fresh, leave):
    fresh.initialize()
    fresh.open("file:///slow", "slow")
    slow = fresh.start("textDocument/hover", hover("file:///slow"))
    fresh.request("probe/echo", 1)
    begin = time.monotonic()
    leave(fresh)
    fresh.wait_exit()
    assert time.monotonic() - begin < PROMPTLY_SECONDS
    assert "Traceback" not in fresh.stderr
    assert len(fresh.answers(slow)) <= 1


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_the_server_ends_when_its_client_dies_though_stdin_stays_open(is_waited_for):
    client_process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with ServerProcess([*PROBE, "--poll-seconds", "0.05"]) as client:
        client.initialize(processId=client_process.pid)
        assert client.request("probe/echo", 1) == 1
        client_process.kill()
        if is_waited_for:
            client_process.communicate()
        assert client.wait_exit() == 1
    client_process.communicate()


def test_a_client_in_another_process_namespace_is_not_taken_for_dead():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with ServerProcess([*PROBE, "--poll-seconds", "0.05"]) as client:
        client.initialize(processId=gone.pid)
        with pytest.raises(subprocess.TimeoutExpired):
            client.process.wait(0.5)
        assert client.request("probe/echo", 1) == 1


def test_a_client_that_no_longer_reads_ends_the_server():
    pipe = subprocess.PIPE
    with subprocess.Popen(PROBE, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        body = b'{"jsonrpc":"2.0","id":1,"method":"probe/echo"}'
        end = time.monotonic() + 2 * PROMPTLY_SECONDS
        while process.poll() is None and time.monotonic() < end:
            with suppress(BrokenPipeError):
                process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                process.stdin.flush()
            time.sleep(0.01)
        process.kill()
        assert process.returncode == 1
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is a POSIX signal")
def test_ctrl_c_ends_the_server_without_a_traceback(fresh):
    fresh.initialize()
    fresh.process.send_signal(signal.SIGINT)
    assert fresh.wait_exit() == 1
    assert fresh.stderr == ""


# -- Cancelling


def test_a_cancelled_hover_is_answered_promptly_and_once(server):
    server.open("file:///cancel", "slow")
    slow = server.start("textDocument/hover", hover("file:///cancel"))
    server.request("probe/echo", 1)
    server.notify("$/cancelRequest", {"id": slow})
    assert server.wait_answer(slow, PROMPTLY_SECONDS)["error"]["code"] == CANCELLED
    server.notify("$/cancelRequest", {"id": slow})
    assert server.request("probe/echo", 1) == 1
    assert len(server.answers(slow)) == 1


@pytest.mark.parametrize("msg_id", [424242, "never sent"])
def test_cancelling_an_unknown_request_is_silent(server, msg_id):
    server.notify("$/cancelRequest", {"id": msg_id})
    assert server.request("probe/echo", 1) == 1
    assert str(msg_id) not in server.stderr


def test_slow_hovers_do_not_stop_the_server_from_reading(server):
    server.open("file:///many", "slow")
    slow = [server.start("textDocument/hover", hover("file:///many")) for _ in range(20)]
    assert server.request("probe/echo", 1, PROMPTLY_SECONDS) == 1
    for msg_id in slow:
        server.notify("$/cancelRequest", {"id": msg_id})
    for msg_id in slow:
        assert server.wait_answer(msg_id, PROMPTLY_SECONDS)["error"]["code"] == CANCELLED


# -- What a client must never see


def test_a_crash_is_answered_without_traceback_or_paths(server):
    server.open("file:///crash", "crash")
    error = server.request_error("textDocument/hover", hover("file:///crash"))
    assert error["code"] == INTERNAL_ERROR
    assert "data" not in error
    assert "probe_server" not in error["message"] and "\n" not in error["message"]
    assert "in hover" in server.wait_stderr("RuntimeError: cannot read")


def test_a_result_that_is_no_json_is_answered_with_an_error(server):
    server.open("file:///not-json", "not json")
    error = server.request_error("textDocument/hover", hover("file:///not-json"))
    assert error["code"] == INTERNAL_ERROR
    assert "probe_server" not in json.dumps(error)


def test_a_crash_in_a_notification_is_logged_and_never_pops_up(fresh):
    fresh.initialize()
    fresh.notify("textDocument/didSave", {"textDocument": {"uri": "file:///secret"}})
    logged = fresh.wait_notification("window/logMessage")["params"]
    assert logged["type"] == 1
    assert "secret" not in logged["message"]
    assert "in did_save" in fresh.wait_stderr("RuntimeError: cannot read")
    assert not fresh.notifications("window/showMessage")


def test_a_stray_print_goes_to_stderr(server):
    server.open("file:///print", "print")
    assert server.request("textDocument/hover", hover("file:///print")) == {"contents": "print"}
    server.wait_stderr("a stray print")


def test_texts_are_not_logged(fresh):
    fresh.initialize()
    fresh.open("file:///private", "my secret\ncrash")
    change(fresh, "file:///private", edit((0, 0), (0, 2), "the"))
    assert fresh.request("textDocument/hover", hover("file:///private"))["contents"] == "the secret"
    fresh.request_error("textDocument/hover", hover("file:///private", line=1))
    item = {"uri": "file:///private", "languageId": "x", "version": "one", "text": "my secret"}
    fresh.notify("textDocument/didOpen", {"textDocument": item})
    fresh.leave()
    assert "RuntimeError" in fresh.stderr and "secret" not in fresh.stderr


# -- Positions and edits


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16", "utf-32"], "utf-16"),
        (["utf-32", "utf-8", "utf-16"], "utf-16"),
        (["utf-7", "utf-32", "utf-8"], "utf-32"),
        (["utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
        ([], "utf-16"),
        (None, "utf-16"),
    ],
)
def test_utf_16_is_chosen_whenever_it_is_offered(fresh, offered, chosen):
    general = {} if offered is None else {"positionEncodings": offered}
    result = fresh.initialize({"general": general})
    assert result["capabilities"]["positionEncoding"] == chosen
    fresh.open("file:///emoji", "한😀x")
    units = {"utf-8": 7, "utf-16": 3, "utf-32": 2}[chosen]
    change(fresh, "file:///emoji", edit((0, units), (0, units + 1), "y"))
    assert text_of(fresh, "file:///emoji") == "한😀y"


@pytest.mark.parametrize(
    ("before", "start", "end", "text", "after"),
    [
        pytest.param("a\fb\nc", (1, 0), (1, 1), "X", "a\fb\nX", id="a form feed ends no line"),
        pytest.param(
            "a\u2028b\u2029c\x0b\x1c\x85\nd",
            (1, 0),
            (1, 1),
            "X",
            "a\u2028b\u2029c\x0b\x1c\x85\nX",
            id="U+2028",
        ),
        pytest.param("a\rb\r\nc\n\rd", (4, 0), (4, 1), "X", "a\rb\r\nc\n\rX", id="lone CR ends a line"),
        pytest.param("a\r\nb", (0, 9), (0, 9), "X", "aX\r\nb", id="past the end of a CR LF line"),
        pytest.param("a\nb", (0, 2), (0, 2), "X", "aX\nb", id="one past the end of a line"),
        pytest.param("ab", (0, 9), (0, 9), "X", "abX", id="past the end of the last line"),
        pytest.param("ab\n", (1, 0), (1, 0), "X", "ab\nX", id="the empty last line"),
        pytest.param("ab\n", (7, 3), (9, 0), "X", "ab\nX", id="past the end of the text"),
        pytest.param("", (0, 0), (0, 0), "X", "X", id="an empty text"),
        pytest.param("", (5, 5), (6, 6), "X", "X", id="past the end of an empty text"),
        pytest.param("a\nb\nc", (0, 0), (999, 999), "X", "X", id="the whole text"),
        pytest.param("a\nb", (0, 99), (1, 0), "", "ab", id="a line end is removed from past it"),
        pytest.param("abc", (0, 2), (0, 1), "X", "aXc", id="a range that ends before its start"),
        pytest.param("😀b", (0, 2), (0, 3), "X", "😀X", id="after a surrogate pair"),
        pytest.param("e\u0301x", (0, 2), (0, 3), "X", "e\u0301X", id="after a combining mark"),
    ],
)
def test_an_edit_changes_what_the_client_meant(server, before, start, end, text, after):
    server.open("file:///edit", before)
    change(server, "file:///edit", edit(start, end, text))
    assert text_of(server, "file:///edit") == after


def test_many_random_edits_leave_the_text_that_the_client_has(server):
    chance = random.Random(4217)
    letters = ["a", "한", "😀", "\n", "\r", "\r\n", "\f", "\u2028"]
    mine = ""
    server.open("file:///random", mine)
    for _ in range(200):
        start, end = sorted(_sound_offset(chance, mine) for _ in range(2))
        text = "".join(chance.choices(letters, k=chance.randrange(4)))
        change(server, "file:///random", edit(_position(mine, start), _position(mine, end), text))
        mine = mine[:start] + text + mine[end:]
    assert text_of(server, "file:///random") == mine


def _sound_offset(chance: random.Random, text: str) -> int:
    """An offset that a position can name: not between CR and LF."""
    offset = chance.randrange(len(text) + 1)
    return offset - (text[offset - 1 : offset + 1] == "\r\n")


def _position(text: str, offset: int) -> tuple[int, int]:
    *lines, last = re.split("\r\n|\r|\n", text[:offset])
    return len(lines), len(last.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("asked", "found"),
    [((0, 1), [0, 1]), ((0, 2), [0, 1]), ((0, 3), [0, 2]), ((0, 9), [0, 2]), ((1, 9), [1, 1])],
)
def test_a_position_past_the_end_of_its_line_means_the_end_and_is_not_written_to(server, asked, found):
    server.open("file:///positions", "a😀\nb")
    position = dict(zip(("line", "character"), asked, strict=True))
    answer = server.request("probe/position", {"uri": "file:///positions", "position": position})
    assert answer == {"found": found, "asked": list(asked)}


def test_changes_of_one_notification_apply_in_their_order_and_set_the_version(server):
    server.open("file:///order", "abc")
    change(server, "file:///order", edit((0, 0), (0, 1), "X\n"), edit((1, 0), (1, 1), "Y"), {"text": "Z"})
    change(server, "file:///order", edit((0, 1), (0, 1), "!"))
    answer = server.request("probe/text", {"uri": "file:///order"})
    assert (answer["text"], answer["version"]) == ("Z!", 2)


# -- Documents and folders


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "git:/a.py?ref", "vscode-notebook-cell:/a.ipynb#W0", "file:///x"]
)
def test_changing_or_closing_an_unknown_document_is_only_logged(fresh, uri):
    fresh.initialize()
    change(fresh, uri, edit((0, 0), (0, 0), "x"))
    fresh.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert fresh.request("probe/text", {"uri": uri}) is None
    assert [m for m in fresh.received if "method" in m] == []
    fresh.leave()
    assert "Traceback" not in fresh.stderr and uri in fresh.stderr


def test_only_open_documents_answer(server, tmp_path):
    file = tmp_path / "on disk.txt"
    file.write_bytes(b"\xff")
    uri = file.as_uri()
    assert server.request("textDocument/hover", hover(uri)) is None
    server.open(uri, "in the editor")
    assert server.request("textDocument/hover", hover(uri))["contents"] == "in the editor"
    server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert server.request("textDocument/hover", hover(uri)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/drive/a.py", "file:///C:/drive/a.py"),
        ("file:///D:/drive/a.py", "file:///d:/drive/a.py"),
        ("file:///quoted/%5Ba%5D%20b.py", "file:///quoted/[a] b.py"),
    ],
)
def test_two_spellings_of_a_uri_are_one_document(server, one, other):
    server.open(one, "a")
    assert text_of(server, other) == "a"
    change(server, other, edit((0, 0), (0, 0), "b"))
    assert text_of(server, one) == "ba"
    server.notify("textDocument/didClose", {"textDocument": {"uri": other}})
    assert server.request("probe/text", {"uri": one}) is None


def test_the_case_of_a_path_counts(server):
    server.open("file:///Case/A", "upper")
    assert server.request("probe/text", {"uri": "file:///case/a"}) is None


@pytest.mark.parametrize("folders", [{}, {"workspaceFolders": None}, {"workspaceFolders": []}])
def test_a_client_without_folders_is_served(fresh, folders):
    fresh.initialize(**folders)
    assert fresh.request("probe/folders") == []


def test_folders_are_added_removed_and_renamed(fresh):
    a, b = {"uri": "file:///a", "name": "a"}, {"uri": "file:///b%20b", "name": "b"}
    fresh.initialize(workspaceFolders=[a])
    for added, removed, left in [
        ([b], [], ["a", "b"]),
        ([], [b], ["a"]),
        ([], [b], ["a"]),
        ([{"uri": "file:///a", "name": "renamed"}], [a], ["renamed"]),
    ]:
        event = {"added": added, "removed": removed}
        fresh.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert fresh.request("probe/folders") == left
    assert [m for m in fresh.received if "method" in m] == []


def test_notebook_cells_are_open_documents_however_they_are_synced(fresh):
    capabilities = {"notebookDocument": {"synchronization": {"dynamicRegistration": True}}}
    assert "notebookDocumentSync" not in fresh.initialize(capabilities)["capabilities"]
    by_text, by_notebook = "vscode-notebook-cell:/n.ipynb#W0", "vscode-notebook-cell:/n.ipynb#W1"
    fresh.open(by_text, "by text")
    cell = {"kind": 2, "document": by_notebook}
    notebook = {"uri": "file:///n.ipynb", "notebookType": "jupyter-notebook", "version": 1, "cells": [cell]}
    item = {"uri": by_notebook, "languageId": "python", "version": 1, "text": "by notebook"}
    fresh.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": [item]})
    assert fresh.request("textDocument/hover", hover(by_text))["contents"] == "by text"
    assert fresh.request("textDocument/hover", hover(by_notebook))["contents"] == "by notebook"

    text = {"document": {"uri": by_notebook, "version": 2}, "changes": [edit((0, 0), (0, 2), "in")]}
    for uri in ("file:///n.ipynb", "file:///unknown.ipynb"):
        cells = {"cells": {"textContent": [text]}}
        fresh.notify(
            "notebookDocument/didChange", {"notebookDocument": {"uri": uri, "version": 2}, "change": cells}
        )
    assert text_of(fresh, by_notebook) == "in notebook"
    assert [m for m in fresh.received if "method" in m] == []


# -- The server's own requests


def test_an_answer_to_the_server_arrives(fresh):
    fresh.initialize()
    asked = fresh.start("probe/configuration", {"timeout": 10})
    answer = {"id": fresh.wait_request("workspace/configuration")["id"], "result": [{"a": 1}], "error": None}
    fresh.send({"jsonrpc": "2.0", **answer})
    assert fresh.wait_answer(asked)["result"] == [{"a": 1}]


@pytest.mark.parametrize("answer", [{"error": {"code": -1, "message": "no"}}, {"result": 3}, {"error": "no"}])
def test_an_error_or_an_unreadable_answer_to_the_server_ends_its_wait(fresh, answer):
    fresh.initialize()
    asked = fresh.start("probe/configuration", {"timeout": 60})
    request = fresh.wait_request("workspace/configuration")
    fresh.send({"jsonrpc": "2.0", "id": request["id"], **answer})
    assert fresh.wait_answer(asked)["result"].startswith("JsonRpc")


def test_an_answer_that_comes_too_late_is_ignored(fresh):
    fresh.initialize()
    assert fresh.request("probe/configuration", {"timeout": 0.01}) == "TimeoutError"
    fresh.answer(fresh.wait_request("workspace/configuration"), [None])
    fresh.send({"jsonrpc": "2.0", "id": "never asked", "result": None})
    assert fresh.request("probe/echo", 1) == 1
    fresh.leave()
    assert fresh.stderr == ""


# -- The transports


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length:   %d  \r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\n\n",
    ],
)
def test_a_header_is_read_however_it_is_written(server, header):
    body = json.dumps(
        {"jsonrpc": "2.0", "id": header.decode(), "method": "probe/echo", "params": "한"}
    ).encode()
    server.send_bytes(header % len(body) + body)
    assert server.wait_answer(header.decode())["result"] == "한"


def test_a_message_that_comes_in_pieces_is_read(server):
    body = b'{"jsonrpc":"2.0","id":"pieces","method":"probe/echo","params":1}'
    for piece in (b"Content-Le", b"ngth: %d\r" % len(body), b"\n\r", b"\n" + body[:9], body[9:]):
        server.send_bytes(piece)
        time.sleep(0.01)
    assert server.wait_answer("pieces")["result"] == 1


def connect(server: ServerProcess) -> tuple[RawClient, socket.socket]:
    listening = re.search(r"listening on (\S+):(\d+)\n", server.wait_stderr("\n"))
    assert listening
    connection = socket.create_connection((listening[1], int(listening[2])), timeout=10)
    connection.settimeout(None)
    return RawClient(connection.makefile("rb"), connection.makefile("wb")), connection


@pytest.mark.parametrize("polite", [True, False])
def test_over_tcp_the_server_ends_when_its_client_leaves(polite):
    with ServerProcess([*PROBE, "--tcp"]) as process:
        client, connection = connect(process)
        client.initialize()
        if polite:
            client.request("shutdown")
            client.notify("exit")
        else:
            connection.shutdown(socket.SHUT_RDWR)
        assert process.wait_exit() == (0 if polite else 1)
        client.wait_closed()
        assert "Traceback" not in process.stderr


def test_over_tcp_a_second_client_is_turned_away():
    with ServerProcess([*PROBE, "--tcp"]) as process:
        client, _ = connect(process)
        client.initialize()
        with pytest.raises(OSError):
            connect(process)
        assert client.request("probe/echo", 1) == 1


def test_over_tcp_a_client_that_leaves_within_a_message_ends_the_server():
    with ServerProcess([*PROBE, "--tcp"]) as process:
        client, connection = connect(process)
        client.send_bytes(b"Content-Length: 100\r\n\r\n{")
        connection.shutdown(socket.SHUT_RDWR)
        assert process.wait_exit() == 1
        assert "Traceback" not in process.stderr


def test_nothing_unexpected_has_happened_to_the_shared_server(server):
    """Last, because it looks back on all tests before it."""
    assert not server.notifications("window/showMessage")
    assert not server.closed and not any("unreadable" in message for message in server.received)
    assert server.leave() == 0
