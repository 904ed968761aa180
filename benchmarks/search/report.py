"""The tables that are printed, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bars import Bar, fastest_peer, value_of
from contestants import CONTESTANTS, FULL_QUESTIONS

Result = dict[str, Any]

NOTHING = "–"
MEGABYTE = 1_000_000
FULL_QUESTION_PEER = "fts5_trigram"
"""Of several terms the only peer that looks for all of them, and for substrings."""


def summary(result: Result) -> str:
    """What the corpus is like, who is left out, who was wrong."""
    unit = result["simd_pass"]
    lines = [
        f"{result['documents']:,} documents, {result['text_bytes'] / MEGABYTE:.1f} MB, "
        f"{result['tokens']:,} tokens, {result['distinct_tokens']:,} distinct."
        + (f" One SIMD pass: {_ms(unit['p50'])} ms." if unit else "")
    ]
    lines += [f"- {name}: left out, {reason}" for name, reason in result["absent"].items()]
    lines += [
        f"- **{name} is wrong**: {problem}"
        for name, row in result["contestants"].items()
        for problem in row["wrong"]
    ]
    return "\n".join(lines)


def latency_table(result: Result, operation: str, *, first_call: bool = False) -> str:
    """Rows are classes, columns contestants; then the part that ours takes of a peer's time and of a SIMD pass."""
    p50, p99 = ("first_p50", "first_p99") if first_call else ("p50", "p99")
    names = [name for name in _present(result) if result["contestants"][name]["checked"][operation]]
    classes = list(
        dict.fromkeys(c for name in names for c in result["contestants"][name]["checked"][operation])
    )
    unit = result["simd_pass"]
    has_ours = "ours" in names
    rows = []
    for query_class in classes:
        cells = [
            _latency_cell(result["contestants"][name], operation, query_class, p50, p99) for name in names
        ]
        if has_ours:
            ours = result["contestants"]["ours"]["latency"].get(operation, {}).get(query_class)
            peer = _peer(result, operation, query_class, p50)
            cells.append(f"{ours[p50] / peer:.2f}" if ours and peer else NOTHING)
            cells.append(f"{ours[p50] / unit['p50']:.3f}" if ours and unit else NOTHING)
        rows.append([query_class, *cells])
    peer_name = "best persisted peer" if operation == "first" else FULL_QUESTION_PEER
    ratios = [f"ours ÷ {peer_name}", "ours ÷ SIMD pass"] if has_ours else []
    marks = {
        name: " \\*"
        for name in names
        if operation == "ranked" and result["contestants"][name]["ranked_question"] not in FULL_QUESTIONS
    }
    return _table(["", *(name + marks.get(name, "") for name in names), *ratios], rows)


def resources_table(result: Result) -> str:
    """Build, disk, cold start, memory and update of every contestant."""
    rows = []
    for name in _present(result):
        row = result["contestants"][name]
        memory, update = row["memory"] or {}, row["update"]
        rows.append(
            [
                name,
                f"{row['build_seconds']:.2f}",
                f"{row['disk_bytes'] / MEGABYTE:.1f}",
                *(_cold_cell(row["cold"].get(operation)) for operation in ("first", "ranked")),
                _megabytes(memory.get("private")),
                _megabytes(memory.get("mapped")),
                f"{_ms(update['median_ms'])} (max {_ms(update['max_ms'])})" if update else NOTHING,
                _ms(update["first_answer_ms"]) if update else NOTHING,
            ]
        )
    header = [
        "",
        "build s",
        "disk MB",
        "cold, first: all / net",
        "cold, ranked: all / net",
        "private MB",
        "mapped MB",
        "update ms",
        "answer after it ms",
    ]
    return _table(header, rows)


def bars_table(bars: Sequence[Bar]) -> str:
    """One line per bar."""
    rows = [
        [
            bar.verdict,
            bar.text,
            bar.corpus,
            NOTHING if bar.used is None else f"{bar.used:.2f}",
            ", ".join(bar.misses),
        ]
        for bar in bars
    ]
    title = "\n## Bars\n\n`used` is the part of what is allowed that the worst class uses.\n\n"
    return title + _table(["", "bar", "corpus", "used", "misses"], rows) + "\n"


def _present(result: Result) -> list[str]:
    return [name for name in CONTESTANTS if name in result["contestants"]]


def _latency_cell(row: Result, operation: str, query_class: str, p50: str, p99: str) -> str:
    checked = row["checked"][operation].get(query_class)
    if checked is None:
        return NOTHING
    if checked["wrong"]:
        return "WRONG"
    measured = row["latency"][operation][query_class]
    return f"{_ms(measured[p50])}/{_ms(measured[p99])}"


def _peer(result: Result, operation: str, query_class: str, percentile: str) -> float | None:
    if operation == "first":
        return fastest_peer(result, query_class, percentile)
    return value_of(result, FULL_QUESTION_PEER, operation, query_class, percentile)


def _cold_cell(cold: Result | None) -> str:
    return f"{cold['total']:.0f} / {cold['net']:.1f}" if cold else NOTHING


def _megabytes(value: int | None) -> str:
    return NOTHING if value is None else f"{value / MEGABYTE:.0f}"


def _ms(value: float) -> str:
    """Three digits at most, as `.004`, `1.2`, `35` and `1310`."""
    digits = 0 if value >= 10 else 1 if value >= 1 else 3
    return f"{value:.{digits}f}".removeprefix("0") if value >= 0.0005 else "0"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[n]) for row in (header, *rows)) for n in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in (header, *rows)
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
