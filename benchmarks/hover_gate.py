"""How often plain words would earn a hover, by the setting `hover.commonWordDocuments`.

    python benchmarks/hover_gate.py DOCS CODE

DOCS is a folder of Markdown pages that serves as the wiki, CODE a folder of source files. Every word of the
code is taken once per place where it stands, as a mouse would meet it.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from lsp_server.core import SearchCore, StoreOptions
from lsp_server.cursor import find_target, is_structured
from lsp_server.lookup import look_up

LIMITS = (0, 1, 2, 3, 5, 10, 10**9)
SAMPLED_PLACES = 20_000
SUFFIXES = {".c", ".go", ".java", ".js", ".py", ".rs", ".sh", ".ts"}


def main(docs: str, code: str) -> None:
    words = targets_in(Path(code))
    places = sum(words.values())
    with tempfile.TemporaryDirectory() as root:
        core = SearchCore.open(root, StoreOptions(wiki_folders=(docs,)))
        counts = {word: look_up([core], word).total_count for word in words}
        standings = {word: core.standing(word) for word in words}
    found = [word for word in words if counts[word]]
    plain = [word for word in found if not is_structured(word)]
    structured = sum(words[word] for word in found if is_structured(word))
    print(f"{places} places with a target; {structured / places:.1%} are structured and have a match")
    print("limit      plain words with a hover, of all places")
    for limit in LIMITS:
        shown = sum(
            words[word]
            for word in plain
            if counts[word] <= limit or standings[word].is_name or 0 < standings[word].singled_out_in <= limit
        )
        print(f"{'no gate' if limit == LIMITS[-1] else limit!s:<10} {shown / places:>6.1%}")


def targets_in(folder: Path) -> Counter[str]:
    """Every target of a folder's source files, counted by place."""
    places = [
        (line, match.start())
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES and path.is_file()
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n")
        if len(line) < 500
        for match in re.finditer(r"\w+", line)
    ]
    sampled = random.Random(7).sample(places, min(SAMPLED_PLACES, len(places)))
    targets = (find_target(line, column) for line, column in sampled)
    return Counter(target.text for target in targets if target is not None)


if __name__ == "__main__":
    main(*sys.argv[1:])
