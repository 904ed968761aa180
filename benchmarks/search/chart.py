"""Latency against the size of the corpus as SVG, on logarithmic axes; its colours suit light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from contestants import CONTESTANTS, FULL_QUESTIONS

Result = dict[str, Any]
Point = tuple[float, float]

WIDTH, PANEL_HEIGHT = 900, 330
PANEL_WIDTH = 440
LEFT, RIGHT, TOP, BOTTOM = 56, 122, 52, 40
FOOT = 30
LABEL_GAP = 14
INK = "#7d8590"
GRID = f'stroke="{INK}" stroke-opacity="0.25"'
COLOURS = {
    "ours": "#e5534b",
    "fts5_trigram": "#3f7fd8",
    "fts5_long_terms": "#4a9fc4",
    "tantivy_trigram": "#2f9e5b",
    "bm25s": "#b8801f",
    "bm25s_numba": "#c8692c",
    "rank_bm25": "#a062c9",
    "ripgrep": "#c0559b",
    "ripgrep_joined": "#8a7a55",
    "simd_scan": "#7d8590",
}
TITLES = {
    ("facts", "first"): "Facts: a token or phrase, p50",
    ("facts", "ranked"): "Facts: several terms, p50 of first calls",
    ("pages", "first"): "Pages: a token or phrase, p50",
    ("pages", "ranked"): "Pages: several terms, p50 of first calls",
}


@dataclass(frozen=True)
class Panel:
    """One diagram: a line of (documents, ms) for every contestant."""

    title: str
    lines: dict[str, list[Point]]
    easier: frozenset[str]
    """Contestants that answer an easier question."""


def draw_chart(corpora: dict[str, Result]) -> str:
    """One panel for each kind of corpus and operation.

    A point is the geometric mean, over the classes of queries that all contestants answer, of their p50.
    """
    panels = []
    for (kind, operation), title in TITLES.items():
        results = [row for row in corpora.values() if row["kind"] == kind]
        if lines := _lines(results, operation):
            panels.append(Panel(title, lines, _easier(results) if operation == "ranked" else frozenset()))
    height = PANEL_HEIGHT * math.ceil(len(panels) / 2) + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12" role="img">',
        "<title>Latency against the size of the corpus</title>",
    ]
    for n, panel in enumerate(panels):
        x, y = (n % 2) * (WIDTH - PANEL_WIDTH), (n // 2) * PANEL_HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _draw(panel)
        parts.append("</g>")
    note = (
        "* answers an easier question. Geometric mean over the classes of queries that all of a panel answer."
    )
    parts.append(f'<text x="{LEFT}" y="{height - 12}" fill="{INK}">{note}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _easier(results: Sequence[Result]) -> frozenset[str]:
    rows = [item for result in results for item in result["contestants"].items()]
    return frozenset(name for name, row in rows if row["ranked_question"] not in FULL_QUESTIONS)


def _lines(results: Sequence[Result], operation: str) -> dict[str, list[Point]]:
    percentile = "p50" if operation == "first" else "first_p50"
    lines: dict[str, list[Point]] = {}
    for result in sorted(results, key=lambda result: int(result["documents"])):
        rows = {
            name: row["latency"][operation]
            for name in CONTESTANTS
            if (row := result["contestants"].get(name)) and row["latency"].get(operation)
        }
        shared = set.intersection(*map(set, rows.values())) if rows else set()
        for name, by_class in rows.items() if shared else ():
            mean = math.exp(sum(math.log(by_class[c][percentile]) for c in shared) / len(shared))
            lines.setdefault(name, []).append((result["documents"], mean))
    return lines


def _draw(panel: Panel) -> Iterable[str]:
    points = [point for line in panel.lines.values() for point in line]
    x_axis = _Axis([x for x, _ in points], LEFT, PANEL_WIDTH - RIGHT)
    y_axis = _Axis([y for _, y in points], PANEL_HEIGHT - BOTTOM, TOP)
    yield f'<text x="{LEFT}" y="22" font-size="14" font-weight="600" fill="{INK}">{escape(panel.title)}</text>'
    yield f'<text x="{LEFT - 8}" y="{TOP - 12}" text-anchor="end" fill="{INK}">ms</text>'
    for value in y_axis.decades():
        y = y_axis.place(value)
        yield f'<path d="M{LEFT} {y:.1f}H{PANEL_WIDTH - RIGHT}" {GRID}/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{INK}">{value:g}</text>'
    bottom = PANEL_HEIGHT - BOTTOM
    for value in x_axis.decades():
        x = x_axis.place(value)
        yield f'<path d="M{x:.1f} {TOP}V{bottom}" {GRID}/>'
        yield f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle" fill="{INK}">{_count(value)}</text>'
    middle = (LEFT + PANEL_WIDTH - RIGHT) / 2
    yield f'<text x="{middle}" y="{bottom + 33}" text-anchor="middle" fill="{INK}">documents</text>'
    ends = {}
    for name, line in panel.lines.items():
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in line]
        ends[name] = places[-1][1]
        width = 2.5 if name == "ours" else 1.5
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        yield f'<path d="M{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="{width}"/>'
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1}" fill="{COLOURS[name]}"/>'
    for name, y in _spread(ends).items():
        weight = ' font-weight="700"' if name == "ours" else ""
        x = PANEL_WIDTH - RIGHT + 10
        label = f"{name} *" if name in panel.easier else name
        yield f'<text x="{x}" y="{y + 4:.1f}" fill="{COLOURS[name]}"{weight}>{escape(label)}</text>'


class _Axis:
    """A logarithmic axis over whole decades, from one pixel to another."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._lowest = math.floor(math.log10(min(values)))
        self._highest = max(math.ceil(math.log10(max(values))), self._lowest + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._lowest) / (self._highest - self._lowest)
        return self._start + share * (self._end - self._start)

    def decades(self) -> list[float]:
        return [10.0**power for power in range(self._lowest, self._highest + 1)]


def _spread(ends: dict[str, float]) -> dict[str, float]:
    """Move labels down until none covers another, then all up if they have left the panel."""
    spread: dict[str, float] = {}
    last = -math.inf
    for name in sorted(ends, key=lambda name: ends[name]):
        last = max(ends[name], last + LABEL_GAP)
        spread[name] = last
    too_low = max(0.0, last - (PANEL_HEIGHT - BOTTOM))
    return {name: y - too_low for name, y in spread.items()}


def _count(value: float) -> str:
    return f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1e3:g}k" if value >= 1e3 else f"{value:g}"
