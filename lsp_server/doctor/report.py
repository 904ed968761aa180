"""The findings of `prior-art doctor`, for a person and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from lsp_server import __version__
from lsp_server.doctor.finding import Finding
from lsp_server.json_form import Json
from lsp_server.render import one_line


def doctor_report(findings: Sequence[Finding]) -> str:
    """The findings as a person reads them: a topic's name once, `⚠` before what is to be looked at."""
    lines = [f"prior-art {__version__}"]
    for topic, group in groupby(findings, key=lambda finding: finding.topic):
        texts = [f"⚠ {each.text}; {each.advice}" if each.advice else each.text for each in group]
        names = [topic, *[""] * (len(texts) - 1)]
        lines += [f"  {name:<10} {one_line(text)}" for name, text in zip(names, texts, strict=True)]
    count = sum(finding.advice is not None for finding in findings)
    lines.append(f"⚠ {count} to look at" if count else "nothing wrong")
    return "\n".join(lines)


def doctor_json(findings: Sequence[Finding]) -> Json:
    """The same for programs; `advice` is null where nothing is wrong."""
    return {
        "type": "doctor",
        "version": __version__,
        "to_look_at": sum(finding.advice is not None for finding in findings),
        "findings": [
            {"topic": finding.topic, "text": one_line(finding.text), "advice": finding.advice}
            for finding in findings
        ],
    }
