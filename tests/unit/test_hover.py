"""What earns a hover, and what the answer says of a search that was not complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_server.core import SearchCore
from lsp_server.cursor import Kind, Target
from lsp_server.hover import hover_from, wants
from lsp_server.settings import Settings


def target(text: str, kind: Kind = "symbol") -> Target:
    return Target(kind, text, 0, len(text))


def write_pages(root: Path, *texts: str) -> None:
    (root / "docs/wiki").mkdir(parents=True)
    for number, text in enumerate(texts):
        (root / f"docs/wiki/{number}.md").write_text(text, encoding="utf-8")


def spoil_memory(root: Path) -> None:
    (root / ".masc/config/keepers").mkdir(parents=True)
    (root / ".masc/config/keepers/tide.memory-current.json").write_text("{", encoding="utf-8")


def test_a_word_that_is_held_back_still_says_that_the_search_was_incomplete(tmp_path: Path) -> None:
    write_pages(tmp_path, *["the clock"] * 9)
    spoil_memory(tmp_path)
    with SearchCore.open(tmp_path) as core:
        answer = hover_from([core], Settings(), target("clock"), "markdown")
    assert (answer.text, answer.found, answer.status) == (None, False, "incomplete")


def test_more_counts_every_claim_that_holds_the_whole_phrase(tmp_path: Path) -> None:
    (tmp_path / ".masc/config/keepers").mkdir(parents=True)
    facts = [{"claim": f"clock drift {number}"} for number in range(12)]
    snapshot = tmp_path / ".masc/config/keepers/tide.memory-current.json"
    snapshot.write_text(json.dumps({"facts": facts}), encoding="utf-8")
    with SearchCore.open(tmp_path) as core:
        answer = hover_from([core], Settings(), target("clock drift", "filename"), "plaintext")
    assert answer.text is not None
    assert answer.text.splitlines()[-1] == "… 4 more"


@pytest.mark.parametrize(
    ("settings", "text", "wanted"),
    [
        (Settings(), "E4217", True),
        (Settings(hover_enable=False), "E4217", False),
        (Settings(hover_min_token_length=6), "E4217", False),
        (Settings(hover_min_token_length=5), "E4217", True),
        (Settings(hover_ignore=("e42*",)), "E4217", False),
        (Settings(hover_ignore=("e42",)), "E4217", True),
    ],
)
def test_settings_that_silence(settings: Settings, text: str, wanted: bool) -> None:
    assert wants(settings, target(text, "error_code")) is wanted


def test_what_holds_a_whole_path_leads_and_what_holds_the_file_name_follows(tmp_path: Path) -> None:
    write_pages(tmp_path, "# First\nrun deploy.sh", "# Second\nrun scripts/deploy.sh", "# Third\ndeploy")
    with SearchCore.open(tmp_path) as core:
        answer = hover_from([core], Settings(), target("scripts/deploy.sh", "filename"), "plaintext")
    assert answer.text == "Prior art: deploy.sh\nwiki: Second (1.md:2)\nwiki: First (0.md:2)"


def test_a_name_in_many_folders_is_looked_up_with_its_path_alone(tmp_path: Path) -> None:
    write_pages(tmp_path, *[f"# Page {number}\nsee part{number}/index.ts" for number in range(5)])
    with SearchCore.open(tmp_path) as core:
        answer = hover_from([core], Settings(), target("part3/index.ts", "filename"), "plaintext")
        other = hover_from([core], Settings(), target("part9/index.ts", "filename"), "plaintext")
    assert answer.text == "Prior art: part3/index.ts\nwiki: Page 3 (3.md:2)"
    assert other.text is None
