"""A language server that hangs: it answers so many requests as it is told, and is silent from then on."""

from __future__ import annotations

import json
import sys

INITIALIZED = {"capabilities": {"hoverProvider": True}}

for _ in range(int(sys.argv[1])):
    headers = iter(sys.stdin.buffer.readline, b"\r\n")
    sizes = [int(header.split(b":")[1]) for header in headers if header.lower().startswith(b"content-length")]
    request = json.loads(sys.stdin.buffer.read(sizes[0]))
    answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": INITIALIZED})
    sys.stdout.write(f"Content-Length: {len(answer)}\r\n\r\n{answer}")
    sys.stdout.flush()

sys.stdin.buffer.read()
