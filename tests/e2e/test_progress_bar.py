"""A person who waits for the first reading of a large store in a terminal sees how far it is."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

COMMAND = [sys.executable, "-m", "lsp_server", "search", "E4217"]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A store of several megabytes, more than is read at once."""
    keepers = tmp_path / "large" / ".masc/config/keepers"
    keepers.mkdir(parents=True)
    for keeper in range(12):
        claims = [f"E4217 {keeper} {number} " + "clock drift " * 20 for number in range(1_200)]
        facts = [{"claim": claim, "category": "fact"} for claim in claims]
        (keepers / f"k{keeper:02}.memory-current.json").write_text(json.dumps({"facts": facts}), "utf-8")
    return tmp_path / "large"


def test_a_terminal_shows_a_bar_and_takes_it_away(large: Path) -> None:
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    with subprocess.Popen([*COMMAND, "--root", str(large)], stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        drawn = b""
        while chunk := read_from(ours):
            drawn += chunk
        assert run.stdout is not None
        answer = run.stdout.read().decode("utf-8")
    os.close(ours)
    assert run.returncode == 0
    assert "14400 facts, 5 shown" in answer
    percentages = [int(found) for found in re.findall(r"indexing large:\s+(\d+)%", drawn.decode("utf-8"))]
    assert percentages
    assert percentages == sorted(percentages)
    last = drawn.decode("utf-8").rsplit("\r", 2)[-2:]
    assert not any("indexing" in text for text in last), "the bar stays"


def test_a_pipe_gets_no_bar(large: Path) -> None:
    done = subprocess.run([*COMMAND, "--root", str(large)], capture_output=True, timeout=50)
    assert (done.returncode, done.stderr) == (0, b"")


def read_from(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        # Linux says so when nobody has the other end open any more.
        return b""
