"""Latencies of all contestants in one process, interleaved, so that none runs in caches it has just warmed."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contestants import Contestant
from contestants.simd_scan import SimdScan

SEED = 11
FULL_PASS = "simd_pass"
WARM_UP = "zqxjkv-warm zqxjkv-up"
"""Two terms that are in no document."""


@dataclass(frozen=True)
class Cell:
    """What is timed of one contestant: queries of one class for one operation."""

    name: str
    operation: str
    query_class: str
    queries: list[str]
    repetitions: int


@dataclass(frozen=True)
class Call:
    """One contestant's share in one query; `seconds` has a time for every repetition."""

    name: str
    operation: str
    query_class: str
    repetitions: int
    ask: Callable[[str], object]
    seconds: list[float]


def measure(contestants: Mapping[str, Contestant], cells: Sequence[Cell], repetitions: int) -> dict[str, Any]:
    """Percentiles in ms, by contestant, operation and class.

    Every repetition goes through all queries in an order of its own, and for each query through the contestants in
    an order of its own. `p50` and `p99` are percentiles over the queries of each query's best repetition,
    `first_p50` and `first_p99` of its first one, when no one has seen the query before.
    """
    rng = random.Random(SEED)
    plan = _plan(contestants, cells, repetitions)
    for name, operation in {(cell.name, cell.operation) for cell in cells}:
        # What is done once in a process is part of opening, which is timed elsewhere.
        getattr(contestants[name], operation)(WARM_UP)
    # What is there by now need not be looked at again by the collector while somebody is being timed.
    gc.collect()
    gc.freeze()
    for repetition in range(repetitions):
        items = list(plan.items())
        rng.shuffle(items)
        for (_, _, query), calls in items:
            rng.shuffle(calls)
            for call in calls:
                if repetition < call.repetitions:
                    start = time.perf_counter()
                    call.ask(query)
                    call.seconds.append(time.perf_counter() - start)
    for contestant in contestants.values():
        contestant.close()
    return _percentiles([call for calls in plan.values() for call in calls])


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the sorted values lies, linear between neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _plan(
    contestants: Mapping[str, Contestant], cells: Sequence[Cell], repetitions: int
) -> dict[tuple[str, ...], list[Call]]:
    plan: dict[tuple[str, ...], list[Call]] = {}
    for cell in cells:
        ask = getattr(contestants[cell.name], cell.operation)
        for query in cell.queries:
            call = Call(cell.name, cell.operation, cell.query_class, cell.repetitions, ask, [])
            plan.setdefault((cell.operation, cell.query_class, query), []).append(call)
    scan = next((c for c in contestants.values() if isinstance(c, SimdScan)), None)
    if scan is not None:
        for calls in plan.values():
            calls.append(Call(FULL_PASS, "first", FULL_PASS, repetitions, lambda _: scan.full_pass(), []))
    return plan


def _percentiles(calls: Sequence[Call]) -> dict[str, Any]:
    by_cell: dict[tuple[str, str, str], list[list[float]]] = {}
    for call in calls:
        by_cell.setdefault((call.name, call.operation, call.query_class), []).append(call.seconds)
    report: dict[str, Any] = {}
    for (name, operation, query_class), rows in by_cell.items():
        best = [1000 * min(row) for row in rows]
        first = [1000 * row[0] for row in rows]
        report.setdefault(name, {}).setdefault(operation, {})[query_class] = {
            "p50": percentile(best, 0.5),
            "p99": percentile(best, 0.99),
            "first_p50": percentile(first, 0.5),
            "first_p99": percentile(first, 0.99),
            "queries": len(rows),
        }
    return report
