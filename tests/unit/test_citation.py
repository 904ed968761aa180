"""A citation in a person's own document: comments that stay comments, and none where no comment is known."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_matches import CONTRACT

from lsp_server.citation import citation, cite, comment_of
from lsp_server.core.model import ContractMatch, Fact, Page, Post
from lsp_server.lookup import AnyMatch
from lsp_server.snapshot import Snapshot

ROOT = Path("/w")
FACT = Fact("The clock\nis off.", "fact", None, "sha256:0123456789abcdef", "tide", "/w/x.json")
PAGE = Page("Signing errors", "/w/docs/wiki/e.md", 8)
POST = Post("p-1", "A  post", None, "quay", 0.0, 0, 0, "/w/b.jsonl", 1)


@pytest.mark.parametrize(
    ("match", "line"),
    [
        (FACT, "memory of tide, sha256:0123456789ab: The clock is off."),
        (PAGE, "wiki, Signing errors (docs/wiki/e.md:8)"),
        (replace(PAGE, path="/elsewhere/e.md"), "wiki, Signing errors (/elsewhere/e.md:8)"),
        (POST, "board, A post (p-1, quay)"),
        (CONTRACT, "WP-ST-1 unit 2, Refuse (archive SUCCESS)"),
        (replace(CONTRACT, source="live", wp_state="—"), "WP-ST-1 unit 2, Refuse (live)"),
    ],
)  # fmt: skip
def test_a_citation_says_where_a_match_is_from(match: Fact | Page | Post | ContractMatch, line: str) -> None:
    assert citation(match, ROOT) == line


def cited(match: AnyMatch, language: str | None, text: str = "  x", line: int = 0) -> str | None:
    """The document with the citation in it."""
    insertion = cite(match, ROOT, Snapshot("file:///w/x", text, 1, language), line)
    return None if insertion is None else insertion.into(text)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "  # Prior art: board, A post (p-1, quay)"),
        ("typescript", "  // Prior art: board, A post (p-1, quay)"),
        ("lua", "  -- Prior art: board, A post (p-1, quay)"),
        ("vim", '  " Prior art: board, A post (p-1, quay)'),
        ("latex", "  % Prior art: board, A post (p-1, quay)"),
        ("html", "  <!-- Prior art: board, A post (p-1, quay) -->"),
        ("css", "  /* Prior art: board, A post (p-1, quay) */"),
        ("ocaml", "  (* Prior art: board, A post (p-1, quay) *)"),
        ("markdown", "  Prior art: board, A post (p-1, quay)"),
    ],
)
def test_a_citation_is_a_comment_of_its_language(language: str, line: str) -> None:
    assert cited(POST, language) == f"{line}\n  x"


@pytest.mark.parametrize(
    ("names", "mark"),
    [
        (
            "sh bash zsh fish ksh make cmake conf dockerfile terraform hcl nix yaml.ansible yaml.docker-compose",
            "#",
        ),
        (
            "makefile-gmake python-ts sh-mode bash-ts-mode Dockerfile ps1 shellscript toml conf-unix git-rebase",
            "#",
        ),
        ("js ts cs c++ c++-ts objc objcpp javascript.es6 cuda gomod go-mod jsonc rustic", "//"),
        ("emacs-lisp elisp lisp-interaction clojurescript dosini racket", ";"),
        ("tex plaintex LaTeX plain-tex", "%"),
        ("nxml mhtml xml html", "<!--"),
        ("markdown gfm plaintext text rst restructuredtext asciidoc org gitcommit git-commit", ""),
    ],
)
def test_every_editor_has_its_own_name_for_a_language(names: str, mark: str) -> None:
    for name in names.split():
        comment = comment_of(name)
        assert comment is not None, name
        assert comment.before == mark, name


def test_a_name_may_have_blanks() -> None:
    assert cited(POST, "Shell Script", "x") == "# Prior art: board, A post (p-1, quay)\nx"


@pytest.mark.parametrize(
    "language",
    [None, "", "json", "jsonl", "klingon", "vue", "svelte", "mdx", "csv", ".", "fundamental", "html+erb"],
)
def test_where_no_comment_is_known_nothing_is_cited(language: str | None) -> None:
    assert comment_of(language) is None
    assert cited(POST, language) is None


LINE = "# Prior art: board, A post (p-1, quay)"


@pytest.mark.parametrize(
    ("language", "text", "line", "after"),
    [
        ("sh", "a\nb\n", 1, f"a\n{LINE}\nb\n"),
        ("sh", "a\r\nb\r\n", 1, f"a\r\n{LINE}\r\nb\r\n"),
        ("sh", "a\rb", 1, f"a\r{LINE}\rb"),
        ("sh", "", 0, f"{LINE}\n"),
        ("sh", "a\n", 1, f"a\n{LINE}\n"),
        ("sh", "a", 9, f"a\n{LINE}\n"),
        ("sh", "a", -1, f"{LINE}\na"),
        ("sh", "a \\\n  b \\\n  c\n", 2, f"{LINE}\na \\\n  b \\\n  c\n"),
        ("sh", "a \\\r\n  b\r\n", 1, f"{LINE}\r\na \\\r\n  b\r\n"),
        ("sh", "a \\\\\nb\n", 1, f"a \\\\\n{LINE}\nb\n"),
        ("sh", "#!/bin/sh", 0, f"#!/bin/sh\n{LINE}\n"),
        ("sh", "#!/bin/sh\na\n", 0, f"#!/bin/sh\n{LINE}\na\n"),
        ("yaml", "---\na: 1\n---\n", 1, f"---\n{LINE}\na: 1\n---\n"),
        ("markdown", "---\na: 1\n---\nx\n", 1, f"---\na: 1\n---\n{LINE[2:]}\nx\n"),
        ("markdown", "---\r\na: 1\r\n---\r\nx", 0, f"---\r\na: 1\r\n---\r\n{LINE[2:]}\r\nx"),
        ("markdown", "---\nx\n", 1, f"---\n{LINE[2:]}\nx\n"),
        ("python", "#!/usr/bin/python\n# -*- coding: latin-1 -*-\nx\n", 1,
         f"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n{LINE}\nx\n"),
        ("python", "# coding=utf-8\nx\n", 0, f"# coding=utf-8\n{LINE}\nx\n"),
        ("markdown", "a\n| x |\n|---|\n| 1 |\n", 3, f"a\n{LINE[2:]}\n| x |\n|---|\n| 1 |\n"),
    ],
)  # fmt: skip
def test_a_citation_stands_above_the_line_unless_it_would_break_it(
    language: str, text: str, line: int, after: str
) -> None:
    assert cited(POST, language, text, line) == after


COMMENTS = {
    "html": re.compile(r"<!--(?:(?!--).)*-->\n"),
    "xml": re.compile(r"<!--(?:(?!--).)*-->\n"),
    "css": re.compile(r"/\*(?:(?!\*/).)*\*/\n"),
    "ocaml": re.compile(r"\(\*(?:(?!\*\)).)*\*\)\n"),
    "python": re.compile(r"#.*[^\\]\n"),
    "c": re.compile(r"//.*[^\\]\n"),
}


@given(
    st.text(st.sampled_from("-*/)>(<!?\\\n\r\x0b\x85\u2028 ab"), max_size=40),
    st.sampled_from(sorted(COMMENTS)),
)
def test_no_text_ends_the_comment_that_it_stands_in(text: str, language: str) -> None:
    line = cited(replace(FACT, text=text), language, "")
    assert line is not None
    assert COMMENTS[language].fullmatch(line), line
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    "language", ["javascriptreact", "typescriptreact", "jsx", "tsx", "php", "vue", "json"]
)
def test_no_citation_where_a_comment_depends_on_the_place(language: str) -> None:
    assert cited(POST, language, "x\n") is None
