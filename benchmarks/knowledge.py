"""How fast knowledge is ranked: 10,000 generated items, about 40,000 passages, in processes of their own.

    python benchmarks/knowledge.py [--items 10000] [--out FOLDER]

Prints p50 and p99 for lexical and hybrid queries with everything warm, the time to the first lexical answer of a
new process from a warm cache, memory and disk. Needs the extra prior-art-lsp[semantic].
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARAGRAPHS = 4
QUERIES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--step", choices=("build", "ask", "first"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp())
    if options.step is not None:
        print(json.dumps(STEPS[options.step](folder)))
        return
    if not (folder / "root").exists():
        write_items(folder / "root", options.items)
    for step in STEPS:
        command = [sys.executable, __file__, "--out", str(folder), "--step", step]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        for name, value in json.loads(done.stdout).items():
            print(f"{name:<42} {value}")


def write_items(root: Path, count: int) -> None:
    """Items of a few paragraphs, each of words that are as unevenly used as in life."""
    chance = random.Random(11)
    words = [
        f"{a}{b}{c}" for a in "btkmnsr" for b in "aeiou" for c in ("l", "nd", "rk", "st", "m", "ver", "lon")
    ]
    words += [f"{a}_{b}" for a in words[:40] for b in words[40:70]]
    korean = [chr(chance.randint(0xAC00, 0xD7A3)) + chr(chance.randint(0xAC00, 0xD7A3)) for _ in range(400)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    for number in range(count):
        paragraphs = []
        for _ in range(PARAGRAPHS):
            chosen = chance.choices(words, weights, k=chance.randint(45, 65))
            if number % 5 == 0:
                chosen += [f"{word}를" for word in chance.choices(korean, k=10)]
            paragraphs.append(" ".join(chosen) + ".")
        path = root / ".knowledge" / f"base{number % 4}" / f"item-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"# Item {number} {chance.choice(words)}\n\n" + "\n\n".join(paragraphs), encoding="utf-8"
        )


def queries(root: Path) -> list[str]:
    chance = random.Random(12)
    paths = sorted(root.rglob("*.md"))
    texts = [chance.choice(paths).read_text(encoding="utf-8").split() for _ in range(QUERIES)]
    return [" ".join(chance.sample(words, 5)) for words in texts]


def build(folder: Path) -> dict[str, object]:
    core = opened(folder)
    started = time.perf_counter()
    core.knowledge({"query": "warm", "mode": "hybrid"})
    size = sum(path.stat().st_size for path in (folder / "cache").rglob("*") if path.is_file())
    return {
        "passages": len(core._knowledge.snapshot.index.passages),
        "embedding all passages, s": round(time.perf_counter() - started, 1),
        "disk, MB": round(size / 1e6, 1),
    }


def ask(folder: Path) -> dict[str, object]:
    core = opened(folder)
    asked = queries(folder / "root")
    found: dict[str, object] = {}
    for mode in ("lexical", "hybrid"):
        core.knowledge({"query": asked[0], "mode": mode})
        times = []
        for query in asked:
            started = time.perf_counter()
            core.knowledge({"query": query, "mode": mode})
            times.append((time.perf_counter() - started) * 1000)
        times.sort()
        found[f"{mode}, p50 / p99 in ms"] = f"{statistics.median(times):.1f} / {times[-3]:.1f}"
        found[f"private memory after {mode} queries, MB"] = round(private_bytes() / 1e6)
    return found


def first(folder: Path) -> dict[str, object]:
    query = queries(folder / "root")[1]
    import lsp_server.core.search_core
    import lsp_server.sources.composition  # noqa: F401

    started = time.perf_counter()
    opened(folder).knowledge({"query": query, "mode": "lexical"})
    return {"first lexical answer of a new process, ms": round((time.perf_counter() - started) * 1000)}


def opened(folder: Path):
    os.environ["PRIOR_ART_CACHE"] = str(folder / "cache")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from lsp_server.core import SearchCore

    return SearchCore.open(folder / "root")


def private_bytes() -> int:
    """Memory that is this process's own."""
    import psutil

    info = psutil.Process().memory_full_info()
    return int(getattr(info, "uss", info.rss))


STEPS = {"build": build, "ask": ask, "first": first}

if __name__ == "__main__":
    main()
