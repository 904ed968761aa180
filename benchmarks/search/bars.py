"""What this package's index is meant to reach, held against what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from queries import SINGLE_TOKEN

BAR_FACTS, BAR_PAGES = "facts-100k", "pages-10k"
"""The corpora that the bars are meant for; the largest ones that were measured stand in for them."""
PERSISTED_PEERS = ("fts5_trigram", "tantivy_trigram")
MEGABYTE = 1_000_000

Result = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    """One bar. `used` is the part of what is allowed that was used, at most 1 if the bar is passed."""

    text: str
    corpus: str
    used: float | None
    """Of the worst class; `None` if it could not be measured."""
    misses: tuple[str, ...] = ()
    """Classes that use more than is allowed, with the part that they use."""

    @property
    def verdict(self) -> str:
        """`pass`, `MISS` or `–`."""
        return "–" if self.used is None else "pass" if self.used <= 1 else "MISS"


def bars_of(corpora: dict[str, Result]) -> list[Bar]:
    """All bars that the measured corpora allow."""
    bars: list[Bar] = []
    facts, pages = _largest(corpora, "facts"), _largest(corpora, "pages")
    if facts:
        bars += _latency_bars(facts, corpora[facts]) + _resource_bars(facts, corpora[facts])
    if pages:
        unit, p99 = corpora[pages]["simd_pass"], _ours(corpora[pages], "first", "p99")
        used = ((name, _used(value, unit and 2 * unit["p50"])) for name, value in p99)
        bars.append(_by_class("long pages: p99 at most 2 SIMD passes", pages, used))
    return bars


def _latency_bars(name: str, result: Result) -> list[Bar]:
    unit = result["simd_pass"]
    p50 = {c: value for c, value in _ours(result, "first", "p50") if c in SINGLE_TOKEN}
    p99 = {c: value for c, value in _ours(result, "first", "p99") if c in SINGLE_TOKEN}
    bars = [
        _by_class(
            "single tokens: p50 at most that of the fastest persisted peer",
            name,
            ((c, _used(value, fastest_peer(result, c, "p50"))) for c, value in p50.items()),
        ),
        _by_class(
            "single tokens: p99 at most a SIMD pass and 0.5 ms",
            name,
            ((c, _used(value, unit and unit["p50"] + 0.5)) for c, value in p99.items()),
        ),
    ]
    for peer, percentile, factor in (
        ("fts5_trigram", "first_p50", 5),
        ("fts5_trigram", "first_p99", 3),
        ("fts5_long_terms", "first_p50", 5),
        ("fts5_long_terms", "first_p99", 3),
        ("rank_bm25", "first_p50", 50),
        ("ripgrep", "first_p50", 100),
    ):
        short = percentile.removeprefix("first_")
        bars.append(
            _by_class(
                f"several terms, nothing cached: {short} {factor} times faster than {peer}",
                name,
                (
                    (c, _used(factor * value, value_of(result, peer, "ranked", c, percentile)))
                    for c, value in _ours(result, "ranked", percentile)
                ),
            )
        )
    return bars


def _resource_bars(name: str, result: Result) -> list[Bar]:
    ours: Result = result["contestants"].get("ours", {})
    cold = [row["net"] for row in ours.get("cold", {}).values()]
    memory = ours.get("memory") or {}
    private, mapped = memory.get("private"), memory.get("mapped")
    both = None if private is None or mapped is None else private + mapped
    measured: list[tuple[str, float | None, float]] = [
        ("cold start to the first answer: at most 150 ms", max(cold, default=None), 150),
        ("a changed file of 100 facts: at most 20 ms", ours.get("update", {}).get("median_ms"), 20),
        ("private memory: at most 60 MB", private, 60 * MEGABYTE),
        ("private and mapped memory: at most 5 times the text", both, 5 * result["text_bytes"]),
        ("build: at most 15 s", ours.get("build_seconds"), 15),
    ]
    return [Bar(text, name, _used(value, allowed)) for text, value, allowed in measured]


def fastest_peer(result: Result, query_class: str, percentile: str) -> float | None:
    """The best value of `first` of the persisted peers that answer the class, in ms."""
    values = (value_of(result, peer, "first", query_class, percentile) for peer in PERSISTED_PEERS)
    return min((value for value in values if value is not None), default=None)


def value_of(result: Result, name: str, operation: str, query_class: str, percentile: str) -> float | None:
    """One percentile of one contestant in ms, or `None`."""
    row = result["contestants"].get(name, {}).get("latency", {}).get(operation, {}).get(query_class)
    return row and row[percentile]


def _ours(result: Result, operation: str, percentile: str) -> list[tuple[str, float]]:
    by_class = result["contestants"].get("ours", {}).get("latency", {}).get(operation, {})
    return [(name, row[percentile]) for name, row in by_class.items()]


def _used(value: float | None, allowed: float | None) -> float | None:
    return value / allowed if value is not None and allowed else None


def _by_class(text: str, corpus: str, used: Iterable[tuple[str, float | None]]) -> Bar:
    known = {name: share for name, share in used if share is not None}
    misses = tuple(f"{name} {share:.2f}" for name, share in known.items() if share > 1)
    return Bar(text, corpus, max(known.values(), default=None), misses)


def _largest(corpora: dict[str, Result], kind: str) -> str | None:
    wanted = BAR_FACTS if kind == "facts" else BAR_PAGES
    if wanted in corpora:
        return wanted
    of_kind: Callable[[str], int] = lambda name: corpora[name]["documents"]  # noqa: E731
    return max((name for name in corpora if corpora[name]["kind"] == kind), key=of_kind, default=None)
