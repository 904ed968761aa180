"""How well knowledge is found: recall, nDCG and MRR of the first ten results, by mode, group and split.

python tests/knowledge_probe/measure.py
"""

from __future__ import annotations

import csv
import math
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from statistics import mean

from lsp_server.core import SearchCore
from lsp_server.core.knowledge.answer import KnowledgeAnswer

HERE = Path(__file__).parent
MODES = ("lexical", "semantic", "hybrid", "rrf")
GROUPS = ("english", "korean", "cross-lingual", "identifiers")
SPLITS = ("tuning", "held-out")
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the items that answer it."""

    id: str
    group: str
    split: str
    query: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over some questions, each from 0 to 1."""

    recall: float
    """Share of the relevant items that are among the first ten."""
    ndcg: float
    """Discounted gain of these against that of the best order."""
    mrr: float
    """One by the rank of the first relevant item."""


def read_questions() -> list[Question]:
    with (HERE / "questions.tsv").open(encoding="utf-8", newline="") as file:
        return [
            Question(
                row["id"], row["group"], row["split"], row["query"], frozenset(row["relevant"].split(","))
            )
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def measure(modes: Sequence[str] = MODES) -> dict[tuple[str, str, str], Quality]:
    """The quality for each mode, group and split."""
    with tempfile.TemporaryDirectory() as folder:
        copytree(HERE / "items", Path(folder) / ".knowledge")
        with SearchCore.open(folder, cached=False) as core:
            rankings: dict[tuple[str, str, str], list[tuple[Question, list[str]]]] = defaultdict(list)
            for question in read_questions():
                for mode in modes:
                    ranking = (question, found_by(core, question.query, mode))
                    rankings[mode, question.group, question.split].append(ranking)
    return {key: quality_of(ranked) for key, ranked in rankings.items()}


def found_by(core: SearchCore, query: str, mode: str) -> list[str]:
    answer = core.knowledge({"query": query, "mode": mode, "max_results": DEPTH})
    assert isinstance(answer, KnowledgeAnswer)
    assert answer.mode_effective == mode, "the semantic extra has to be installed"
    return [result.item.item_id for result in answer.results]


def quality_of(ranked: Iterable[tuple[Question, list[str]]]) -> Quality:
    recalls, gains, reciprocals = [], [], []
    for question, found in ranked:
        ranks = [rank for rank, item in enumerate(found, start=1) if item in question.relevant]
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(question.relevant)) + 1))
        recalls.append(len(ranks) / len(question.relevant))
        gains.append(sum(1 / math.log2(rank + 1) for rank in ranks) / best)
        reciprocals.append(1 / ranks[0] if ranks else 0.0)
    return Quality(mean(recalls), mean(gains), mean(reciprocals))


def main() -> None:
    found = measure()
    print("| group | questions | " + " | ".join(MODES) + " |")
    print("|---|---|" + "---|" * len(MODES))
    for group in GROUPS:
        for split in SPLITS:
            cells = [
                f"{quality.recall:.2f} / {quality.ndcg:.2f} / {quality.mrr:.2f}"
                for quality in (found[mode, group, split] for mode in MODES)
            ]
            print(f"| {group} | {split} | " + " | ".join(cells) + " |")
    print("\nRecall@10 / nDCG@10 / MRR@10. Nothing was ever chosen by the held-out questions.")


if __name__ == "__main__":
    main()
