"""One measurement in a process of its own: `worker.py REQUEST`, where REQUEST is JSON, answers JSON on stdout.

Times are in seconds on the system-wide monotonic clock, so that the starting process can subtract its own.
"""

import time

STARTED = time.monotonic()

import gc  # noqa: E402 - nothing may come before the clock is read
import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from contestants import ChangedFile, Contestant, Unsupported, contestant_class  # noqa: E402

Answer = dict[str, Any]

QUERIES_FOR_MEMORY = 200
QUERIES_AFTER_UPDATE = 10
LARGEST_NAIVE_UPDATE = 10_000
"""Documents. After changes a whole reference is made anew, which takes its time."""
MAX_EXAMPLES = 3


def main(request: dict[str, Any]) -> Answer:
    """Do the task that the request names; say what is missing if it cannot be done at all."""
    try:
        return TASKS[request["task"]](request)
    except NotImplementedError:
        return {"absent": "not implemented yet"}
    except ImportError as error:
        missing = f"{error.name} is not installed" if error.name else str(error)
        return {"absent": f"{missing}; see benchmarks/requirements.txt"}
    except FileNotFoundError as error:
        return {"absent": str(error)}


def build(request: dict[str, Any]) -> Answer:
    """Build the index; what it takes in seconds and bytes."""
    contestant = _new(request)
    corpus = _corpus(request)
    if not contestant.reads_root:
        len(corpus.documents)
    folder = Path(request["state"])
    start = time.perf_counter()
    contestant.build(corpus, folder)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "disk_bytes": contestant.disk_bytes(folder)}


def check(request: dict[str, Any]) -> Answer:
    """Compare every answer with the reference: by operation and class, how many were checked and what is wrong."""
    from prepare import load

    contestant = _opened(request)
    questions = load(_corpus(request))
    report: Answer = {}
    for operation, by_class in questions.by_operation.items():
        expected = questions.expected[operation]
        report[operation] = {}
        for name, queries in by_class.items():
            known = [query for query in queries if query in expected][: request["max_queries"]]
            try:
                problems = [
                    (query, _problem(contestant, operation, query, expected[query])) for query in known
                ]
            except Unsupported:
                continue
            wrong = [f"{query!r}: {problem}" for query, problem in problems if problem]
            report[operation][name] = {
                "checked": len(known),
                "wrong": len(wrong),
                "examples": wrong[:MAX_EXAMPLES],
            }
    contestant.close()
    return report


def cold(request: dict[str, Any]) -> Answer:
    """Open the index and give one answer; when what was reached."""
    contestant = _new(request)
    imported = time.monotonic()
    contestant.open(Path(request["state"]))
    opened = time.monotonic()
    try:
        getattr(contestant, request["operation"])(request["query"])
    except Unsupported:
        return {"unsupported": True}
    answered = time.monotonic()
    contestant.close()
    return {"started": STARTED, "imported": imported, "opened": opened, "answered": answered}


def memory(request: dict[str, Any]) -> Answer:
    """Resident memory after some queries of all classes."""
    from resident import resident_bytes

    contestant = _opened(request)
    asked = 0
    for operation, query in request["queries"]:
        try:
            getattr(contestant, operation)(query)
        except Unsupported:
            continue
        asked += 1
        if asked == QUERIES_FOR_MEMORY:
            break
    gc.collect()
    return resident_bytes() | {"queries": asked}


def update(request: dict[str, Any]) -> Answer:
    """Change one file several times; the seconds of each update, of the first answer after it, what is wrong."""
    from corpus import MARK

    contestant = _opened(request)
    corpus = _corpus(request)
    file = corpus.changing_file
    numbers = list(range(file.first, file.first + file.count))
    seconds, answer_seconds, wrong = [], [], []
    try:
        for number, documents in enumerate(corpus.changes[: request["rounds"]]):
            if contestant.reads_root:
                corpus.change(documents)
            start = time.perf_counter()
            contestant.update(ChangedFile(file.path, file.first, documents))
            updated = time.perf_counter()
            found = contestant.first(f"{MARK}{number}")
            answer_seconds.append(time.perf_counter() - updated)
            seconds.append(updated - start)
            if found != numbers[:10] or (number and contestant.first(f"{MARK}{number - 1}")):
                wrong.append(f"change {number}: {found}")
        last = corpus.changes[request["rounds"] - 1]
        wrong += _problems_after_update(contestant, request, last)
        contestant.close()
        again = _opened(request)
        if again.first(f"{MARK}{request['rounds'] - 1}") != numbers[:10]:
            wrong.append("another process does not know the last change")
        again.close()
    except Unsupported:
        return {"unsupported": True}
    finally:
        if contestant.reads_root:
            corpus.restore()
    return {"seconds": seconds, "answer_seconds": answer_seconds, "wrong": wrong}


def latency(request: dict[str, Any]) -> Answer:
    """Time all contestants in this process; see timing.py."""
    from timing import Cell, measure

    contestants = {name: _opened({"name": name, "state": state}) for name, state in request["states"].items()}
    cells = [Cell(**cell) for cell in request["cells"]]
    return measure(contestants, cells, request["repetitions"])


TASKS: dict[str, Callable[[dict[str, Any]], Answer]] = {
    task.__name__: task for task in (build, check, cold, memory, update, latency)
}


def _problem(contestant: Contestant, operation: str, query: str, expected: Any) -> str | None:
    from reference import verdict

    if operation == "first":
        found = contestant.first(query)
        return None if found == expected.first else f"{found} instead of {expected.first}"
    ranked = contestant.ranked(query)
    return verdict(contestant.ranked_question, expected, ranked, lambda: contestant.matching(query))


def _problems_after_update(
    contestant: Contestant, request: dict[str, Any], changed: tuple[str, ...]
) -> list[str]:
    from prepare import load
    from reference import Reference

    corpus = _corpus(request)
    if len(corpus) > LARGEST_NAIVE_UPDATE:
        return []
    first = corpus.changing_file.first
    documents = [*corpus.documents]
    documents[first : first + len(changed)] = changed
    naive = Reference(documents)
    problems = []
    for operation, by_class in load(corpus).by_operation.items():
        expect = naive.expected_first if operation == "first" else naive.expected_ranked
        for queries in by_class.values():
            for query in queries[: 1 if operation == "ranked" else 2]:
                try:
                    problem = _problem(contestant, operation, query, expect(query))
                except Unsupported:
                    continue
                if problem:
                    problems.append(f"after the changes {query!r}: {problem}")
    return problems


def _new(request: dict[str, Any]) -> Contestant:
    return contestant_class(request["name"])()


def _opened(request: dict[str, Any]) -> Contestant:
    contestant = _new(request)
    contestant.open(Path(request["state"]))
    return contestant


def _corpus(request: dict[str, Any]) -> Any:
    from corpus import Corpus

    return Corpus(request["kind"], Path(request["corpus"]))


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1] if sys.argv[1] != "-" else sys.stdin.read()))))
