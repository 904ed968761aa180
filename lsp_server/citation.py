"""A citation of a match as a line of a person's own document: a comment in code, a plain line in prose.

Where a language's comment is not known there is none: what is no comment may be run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsp_server.core.model import Fact, KnowledgeMatch, Page, Post
from lsp_server.lookup import AnyMatch
from lsp_server.paths import shown
from lsp_server.render import one_line
from lsp_server.snapshot import Insertion, Snapshot, line_end_of
from lsp_server.text import split_lines

MATCH_ID_CHARACTERS = 12
"""How much of a memory id is enough to find it again."""

# Languages by the names that editors send: VS Code's identifiers (LSP 3.17 §textDocumentItem), Vim's filetypes,
# Emacs' modes without their ending. Where a comment depends on the place, as in Vue's files, in templates and in
# Fortran of either form, the language is in no list; JSON has no comments.
_LINE_COMMENTS = {
    "#": """
        awk bash bazel bzl cmake coffee coffeescript conf conf-colon conf-javaprop conf-space conf-toml
        conf-unix containerfile cperl crystal csh docker dockerfile dotenv elixir elvish enh-ruby fish gdscript
        git-attributes git-config git-ignore git-rebase gitattributes gitconfig gitignore gitrebase gnuplot
        graphql hcl ignore jproperties jq julia just ksh make makefile makefile-automake makefile-bsdmake
        makefile-gmake meson nginx nim ninja nix nu nushell opentofu perl perl6 powershell properties ps1 puppet
        pyrex python r raku requirements ruby sed sh shell shell-script shellscript snakemake sshconfig starlark
        systemd tcl tcsh terraform terraform-vars tf tmux toml yaml zsh
    """,
    "//": """
        arduino bicep c c++ c-sharp cpp cs csharp cuda cuda-cpp d dart f# fsharp glsl go go-mod gomod groovy
        haxe hlsl java javascript js js2 json5 jsonc kotlin less objc objcpp objective-c objective-c++
        objective-cpp odin pascal prisma proto protobuf qml rust rustic sass scala scss solidity stylus swift
        systemverilog thrift ts typescript typst v vala verilog wgsl zig
    """,
    "--": "ada agda dhall elm haskell lean lua luau mysql pgsql plsql purescript sql sqlite vhdl",
    ";": """
        clojure clojurescript common-lisp commonlisp conf-windows dosini elisp emacs-lisp fennel ini lisp
        lisp-interaction llvm nasm racket scheme
    """,
    "%": "context doctex erlang latex matlab plain-tex plaintex postscr postscript prolog tex",
    "!": "f90 fortranfreeform xdefaults",
    "'": "vb vbnet",
    '"': "vim viml",
}
_BLOCK_COMMENTS = {
    "/* */": "css postcss",
    "<!-- -->": "ant html mhtml nxml svg xhtml xml xsd xsl xslt",
    "(* *)": "caml ocaml tuareg",
}
_PROSE = """
    adoc asciidoc asciidoctor git-commit gitcommit gfm jjdescription mail markdown mediawiki org pandoc plain-text
    plaintext restructuredtext rst text textile
"""
_NOT_INSIDE = {
    # What would end a comment, or is not allowed in one, and what is written instead.
    "-->": (re.compile("-(?=-)"), "- "),
    "*/": (re.compile(r"\*(?=/)"), "* "),
    "*)": (re.compile(r"\*(?=\))"), "* "),
    "//": (re.compile(r"\?(?=>)"), "? "),  # ends PHP
}
_MODE = re.compile(r"(?:-ts)?(?:-mode)?$")
_STAYS_ABOVE = re.compile(
    r"\ufeff?(?:(?:#!|<\?|<!doctype)[^\r\n]*(?:\r\n|\r|\n)?)?(?:#.*coding[:=][^\r\n]*)?", re.IGNORECASE
)
"""First lines that have a meaning as the first ones only; Python's encoding may be the second (PEP 263)."""
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*[\r\n].*?[\r\n](?:---|\.\.\.)[ \t]*(?![^\r\n])", re.DOTALL)
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\[\r\n]*$")


@dataclass(frozen=True, slots=True)
class Comment:
    """What stands before and after the text of a comment; both are empty in prose."""

    before: str = ""
    after: str = ""


_COMMENT_OF = {
    **{name: Comment() for name in _PROSE.split()},
    **{name: Comment(mark) for mark, names in _LINE_COMMENTS.items() for name in names.split()},
    **{name: Comment(*marks.split()) for marks, names in _BLOCK_COMMENTS.items() for name in names.split()},
}


def comment_of(language: str | None) -> Comment | None:
    """How a language says something to its reader alone, or `None` where that is not known.

    The first part of a filetype like `yaml.ansible` is the language; the others say what it is used for.
    """
    name = (language or "").lower().split(".")[0].replace(" ", "-")
    return _COMMENT_OF.get(_MODE.sub("", name))


def citation(match: AnyMatch, root: Path) -> str:
    """One line that says where a match is from, so that a reader finds it again."""
    if isinstance(match, Fact):
        short_id = match.memory_id[: len("sha256:") + MATCH_ID_CHARACTERS]
        return f"memory of {match.keeper}, {short_id}: {one_line(match.text)}"
    if isinstance(match, Page):
        return f"wiki, {one_line(match.title)} ({shown(match.path, root)}:{match.line})"
    if isinstance(match, Post):
        return f"board, {one_line(match.title)} ({match.id}, {match.author})"
    if isinstance(match, KnowledgeMatch):
        revision = match.revision_id[:MATCH_ID_CHARACTERS]
        return f"knowledge, {one_line(match.title)} ({match.base_id}/{match.item_id}, revision {revision})"
    state = "" if match.wp_state == "—" else f" {match.wp_state}"
    return f"{match.wp_id} unit {match.unit_index}, {one_line(match.unit_title)} ({match.source}{state})"


def cite(match: AnyMatch, root: Path, document: Snapshot, line: int) -> Insertion | None:
    """The citation as a line of its own above a line (from 0), `None` where it would be no comment."""
    comment = comment_of(document.language)
    if comment is None:
        return None
    lines = split_lines(document.text)
    line = _place(document.text, lines, max(0, line), comment)
    below = lines[line] if line < len(lines) else ""
    above = "".join(lines[:line])
    line_end = line_end_of(document.text)
    first = line_end if above and not above.endswith(("\n", "\r")) else ""
    indentation = below[: len(below) - len(below.lstrip(" \t"))]
    text = as_comment(f"Prior art: {citation(match, root)}", comment)
    return Insertion(len(above), f"{first}{indentation}{text}{line_end}")


def as_comment(text: str, comment: Comment) -> str:
    """A line of text as one comment, from which nothing in it breaks out."""
    text = one_line(text)
    unwanted = _NOT_INSIDE.get(comment.after or comment.before)
    if unwanted:
        text = unwanted[0].sub(unwanted[1], text)
    if comment.before and not comment.after and text.endswith("\\"):
        text += " ."  # A backslash at its end would take the next line into the comment.
    return " ".join(filter(None, (comment.before, text, comment.after)))


def _place(text: str, lines: Sequence[str], line: int, comment: Comment) -> int:
    """The line above which a comment may stand, at or near the one that somebody asked at."""
    # A comment between a line and the one that it goes on in would cut a command in two.
    while 0 < line <= len(lines) and _CONTINUED.search(lines[line - 1]):
        line -= 1
    # Nor may it part the rows of a table.
    while 0 < line < len(lines) and not comment.before and _is_row(lines[line]) and _is_row(lines[line - 1]):
        line -= 1
    stays = _STAYS_ABOVE.match(text)
    head = stays[0] if stays else ""
    if not head and not comment.before and (front_matter := _FRONT_MATTER.match(text)):
        head = front_matter[0]
    return max(line, len(split_lines(head)))


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
