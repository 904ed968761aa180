"""Compare this package's search index with what else there is, on generated corpora.

    python benchmarks/search/run.py [--sizes 1k,10k,100k] [--corpora facts,pages] [--only NAME,…] [--quick]
                                    [--out FOLDER]

Generates the corpora, builds every contestant, checks its answers, times it, and prints tables and the bars that
this package wants to pass. `results.json` and `latency.svg` are written to the folder; corpora are kept there for
the next run. Needs the package itself, benchmarks/requirements.txt and ripgrep; what is missing is left out.
Exit status: 0, or 1 if an answer was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from typing import Any, get_args

import rules
from bars import bars_of
from chart import draw_chart
from contestants import CONTESTANTS, contestant_class
from corpus import CHANGE_COUNT, Corpus, Kind, corpus_of, size_of
from prepare import Questions, prepare
from report import bars_table, latency_table, resources_table, summary
from timing import FULL_PASS, Cell

HERE = Path(__file__).resolve().parent
PACKAGES = "tantivy bm25s numba rank-bm25 stringzilla numpy".split()
SLOW_QUERIES = 8
SLOW_REPETITIONS = 1
SLOW_COLD_STARTS = 2


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    queries_per_class: int = 40
    repetitions: int = 3
    cold_starts: int = 7
    update_rounds: int = CHANGE_COUNT
    slow_starters: bool = True
    """Whether those take part that need seconds to start."""


QUICK = Effort(queries_per_class=2, cold_starts=1, update_rounds=2, slow_starters=False)


def main() -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args()
    names = options.only or list(CONTESTANTS)
    effort = replace(QUICK, slow_starters=bool(options.only)) if options.quick else Effort()
    options.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"environment": _environment(), "corpora": {}}
    for kind in options.corpora:
        for size in options.sizes or (["1k"] if options.quick else ["1k", "10k", "100k"]):
            _say(f"{kind} {size}: corpus, queries and their answers")
            corpus = corpus_of(kind, size_of(size), options.out / "corpora")
            corpus.restore()
            questions = prepare(corpus)
            _check_rules(corpus, questions)
            result = _measure(corpus, questions, names, effort, options.out / "states" / corpus.name)
            results["corpora"][corpus.name] = result
            print("\n".join(_report(corpus.name, result)), flush=True)
            # After every corpus, so that a long run which is broken off has not been for nothing.
            bars = bars_of(results["corpora"])
            results["bars"] = [asdict(bar) | {"verdict": bar.verdict} for bar in bars]
            text = json.dumps(results, indent=1, ensure_ascii=False)
            (options.out / "results.json").write_text(text + "\n", encoding="utf-8")
            (options.out / "latency.svg").write_text(draw_chart(results["corpora"]), encoding="utf-8")
    print(bars_table(bars))
    _say(f"written: results.json and latency.svg in {options.out}")
    rows = (row for result in results["corpora"].values() for row in result["contestants"].values())
    return int(any(row["wrong"] for row in rows))


def _report(name: str, result: dict[str, Any]) -> list[str]:
    return [
        f"\n## {name}\n",
        summary(result),
        "\nSingle tokens and whole phrases, the first 10 documents in stored order; p50/p99 in ms:\n",
        latency_table(result, "first"),
        "\nSeveral terms, the best 10 documents; p50/p99 in ms of the first call, nothing cached:\n",
        latency_table(result, "ranked", first_call=True),
        "\nThe same, best repetition:\n",
        latency_table(result, "ranked"),
        "\n\\* answers an easier question; which one, its module in contestants/ says.",
        "\nEach in processes of its own; cold start is the median until the first answer in ms, whole process and "
        "without interpreter and imports:\n",
        resources_table(result),
    ]


# --- one corpus ------------------------------------------------------------------------------------------


def _measure(
    corpus: Corpus, questions: Questions, names: list[str], effort: Effort, states: Path
) -> dict[str, Any]:
    shutil.rmtree(states, ignore_errors=True)
    result: dict[str, Any] = {"kind": corpus.kind, **questions.statistics, "absent": {}, "contestants": {}}
    for name in names:
        _say(f"{corpus.name}: {name}")
        reason, row = _measure_alone(corpus, questions, name, effort, states / name)
        if reason:
            result["absent"][name] = reason
            _say(f"  left out: {reason}")
        else:
            result["contestants"][name] = row
    _say(f"{corpus.name}: latencies, all contestants in one process")
    present = result["contestants"]
    answer = _work(
        {
            "task": "latency",
            "states": {name: str(states / name) for name in present},
            "cells": [
                asdict(cell)
                for name, row in present.items()
                for cell in _cells(name, row["checked"], questions, _share(name, questions, effort))
            ],
            "repetitions": effort.repetitions,
        }
    )
    result["simd_pass"] = answer.get(FULL_PASS, {}).get("first", {}).get(FULL_PASS)
    for name, row in present.items():
        row["latency"] = answer.get(name, {})
    _say(f"{corpus.name}: updates")
    for name, row in present.items():
        row["update"] = _update(corpus, name, effort, states / name)
        row["wrong"] += row["update"].pop("wrong")
    shutil.rmtree(states)
    return result


def _measure_alone(
    corpus: Corpus, questions: Questions, name: str, effort: Effort, state: Path
) -> tuple[str | None, dict[str, Any]]:
    """Why the contestant is left out, or what was measured of it in processes of its own."""
    try:
        contestant = contestant_class(name)
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed; see benchmarks/requirements.txt", {}
    if contestant.max_documents is not None and len(corpus) > contestant.max_documents:
        return f"takes part with at most {contestant.max_documents:,} documents", {}
    if contestant.starts_slowly and not effort.slow_starters:
        return "takes seconds to start; name it with --only", {}
    state.mkdir(parents=True)
    base = {"name": name, "kind": corpus.kind, "corpus": str(corpus.folder), "state": str(state)}
    built = _work({"task": "build", **base})
    if "absent" in built:
        return str(built["absent"]), {}
    share = _share(name, questions, effort)
    checked = _work({"task": "check", **base, "max_queries": share.queries_per_class})
    wrong = [
        f"{operation} {query_class}: {example}"
        for operation, by_class in checked.items()
        for query_class, cell in by_class.items()
        for example in cell["examples"]
    ]
    return None, {
        "ranked_question": contestant.ranked_question,
        "build_seconds": built["seconds"],
        "disk_bytes": built["disk_bytes"],
        "checked": checked,
        "wrong": wrong,
        "cold": {
            operation: _cold(
                base, operation, questions.by_operation[operation][query_class][0], share.cold_starts
            )
            for operation, query_class in (("first", "rare"), ("ranked", "multi3"))
            if checked.get(operation)
        },
        "memory": _memory(base, name, questions),
    }


def _share(name: str, questions: Questions, effort: Effort) -> Effort:
    """What a contestant gets of the effort: less where it is slow."""
    contestant = contestant_class(name)
    share = effort
    if contestant.starts_slowly:
        share = replace(share, cold_starts=min(SLOW_COLD_STARTS, share.cold_starts))
    if contestant.slow_from is not None and questions.statistics["documents"] >= contestant.slow_from:
        queries = min(SLOW_QUERIES, share.queries_per_class)
        share = replace(share, queries_per_class=queries, repetitions=SLOW_REPETITIONS)
    return share


def _cells(name: str, checked: dict[str, Any], questions: Questions, share: Effort) -> list[Cell]:
    """All classes that were answered and right; what is wrong is not timed."""
    return [
        Cell(name, operation, query_class, queries[: share.queries_per_class], share.repetitions)
        for operation, by_class in questions.by_operation.items()
        for query_class, queries in by_class.items()
        if query_class in checked[operation] and not checked[operation][query_class]["wrong"]
    ]


def _cold(base: dict[str, str], operation: str, query: str, starts: int) -> dict[str, float]:
    """Milliseconds until the first answer, medians: whole process, interpreter, imports, and what is left."""
    runs = []
    for _ in range(starts):
        request = {"task": "cold", **base, "operation": operation, "query": query}
        start = time.monotonic()
        times = _work(request)
        runs.append(
            {
                "total": times["answered"] - start,
                "interpreter": times["started"] - start,
                "imports": times["imported"] - times["started"],
                "open": times["opened"] - times["imported"],
                "net": times["answered"] - times["imported"],
            }
        )
    return {part: 1000 * median(run[part] for run in runs) for part in runs[0]}


def _memory(base: dict[str, str], name: str, questions: Questions) -> dict[str, Any] | None:
    if contestant_class(name).is_subprocess:
        return None
    columns = [
        [(operation, query) for query in queries]
        for operation, by_class in questions.by_operation.items()
        for queries in by_class.values()
    ]
    in_turn = [item for item in chain.from_iterable(zip_longest(*columns)) if item]
    return _work({"task": "memory", **base, "queries": in_turn})


def _update(corpus: Corpus, name: str, effort: Effort, state: Path) -> dict[str, Any]:
    base = {"name": name, "kind": corpus.kind, "corpus": str(corpus.folder), "state": str(state)}
    answer = _work({"task": "update", **base, "rounds": effort.update_rounds})
    if "unsupported" in answer:
        return {"wrong": []}
    return {
        "median_ms": 1000 * median(answer["seconds"]),
        "max_ms": 1000 * max(answer["seconds"]),
        "first_answer_ms": 1000 * median(answer["answer_seconds"]),
        "wrong": answer["wrong"],
    }


# --- around it -------------------------------------------------------------------------------------------


def _work(request: dict[str, Any]) -> dict[str, Any]:
    """The answer of a fresh process."""
    text = json.dumps(request)
    done = subprocess.run(
        [sys.executable, str(HERE / "worker.py"), "-"],
        input=text,
        stdout=subprocess.PIPE,
        text=True,
        cwd=HERE,
    )
    if done.returncode != 0:
        raise SystemExit(f"{request['task']} of {request.get('name', 'all')} failed, see above")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _check_rules(corpus: Corpus, questions: Questions) -> None:
    """The benchmark's own rules must be those of the package, or the comparison is void."""
    try:
        from lsp_server.core import matching
    except ModuleNotFoundError:
        _say("lsp_server is not installed; its rules are not compared with the benchmark's")
        return
    queries = [
        query
        for by_class in questions.by_operation.values()
        for queries_of_class in by_class.values()
        for query in queries_of_class
    ]
    for query in queries:
        ours, theirs = matching.as_term(query), rules.term_of(query)
        if (ours.folded, ours.bounded) != theirs:
            raise SystemExit(f"rules.py and lsp_server.core.matching disagree on {query!r}")
    for text in corpus.documents[:1000]:
        folded = rules.fold(text)
        if matching.fold(text) != folded:
            raise SystemExit(f"rules.py and lsp_server.core.matching fold {text[:60]!r} differently")
        for query in queries[:: len(queries) // 20]:
            if matching.contains(folded, matching.as_term(query)) != rules.contains(
                folded, rules.term_of(query)
            ):
                raise SystemExit(f"rules.py and lsp_server.core.matching disagree on {query!r} in a document")


def _environment() -> dict[str, Any]:
    installed = {name: version for name in PACKAGES if (version := _version(name))}
    ripgrep = shutil.which("rg")
    if ripgrep:
        output = subprocess.run([ripgrep, "--version"], capture_output=True, text=True).stdout
        installed["ripgrep"] = output.split()[1]
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "sqlite": sqlite3.sqlite_version,
        "versions": installed,
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=_sizes, help="of the corpora, in facts: 1k,10k,100k; 1M takes 24 GB")
    parser.add_argument("--corpora", type=_kinds, default=["facts", "pages"], help="facts,pages")
    parser.add_argument("--only", type=_names, metavar="NAME,…", help=", ".join(CONTESTANTS))
    parser.add_argument("--quick", action="store_true", help="1k, two queries of a class: a smoke test")
    parser.add_argument("--out", type=Path, default=HERE / "out", metavar="FOLDER", help="out, beside run.py")
    return parser


def _sizes(text: str) -> list[str]:
    sizes = text.split(",")
    for size in sizes:
        if not re.fullmatch(r"[1-9][0-9]*[kM]?", size):
            raise argparse.ArgumentTypeError(f"{size!r} is no size such as 1k, 10k, 100k or 1M")
    return sizes


def _kinds(text: str) -> list[Kind]:
    kinds = text.split(",")
    if not set(kinds) <= set(get_args(Kind)):
        raise argparse.ArgumentTypeError(f"{text!r}: the corpora are {', '.join(get_args(Kind))}")
    return kinds


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(CONTESTANTS):
        raise argparse.ArgumentTypeError(f"no contestant {', '.join(sorted(unknown))}")
    return names


if __name__ == "__main__":
    sys.exit(main())
