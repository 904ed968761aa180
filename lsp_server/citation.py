"""What the code actions write into a person's own document: a citation, or a contract as a unit-work."""

from __future__ import annotations

import re
from pathlib import Path

from lsp_server.core.model import ContractMatch, Fact, Page, Post
from lsp_server.lookup import AnyMatch
from lsp_server.paths import shown
from lsp_server.render import one_line

_LINE_COMMENTS = {
    "#": "coffeescript dockerfile elixir julia makefile nim perl powershell python r ruby shellscript toml yaml",
    "//": "c cpp csharp dart fsharp go groovy java javascript javascriptreact jsonc kotlin less objective-c php "
    "proto rust scala scss swift typescript typescriptreact zig",
    "--": "ada elm haskell lua sql vhdl",
    ";": "clojure ini lisp scheme",
    "%": "erlang latex matlab prolog tex",
    '"': "vim",
}
_COMMENT_OF = {language: mark for mark, languages in _LINE_COMMENTS.items() for language in languages.split()}
_BLOCK_COMMENTS = {
    "css": ("/* ", " */"),
    "html": ("<!-- ", " -->"),
    "svelte": ("<!-- ", " -->"),
    "vue": ("<!-- ", " -->"),
    "xml": ("<!-- ", " -->"),
    "ocaml": ("(* ", " *)"),
}
_NOT_INSIDE = {
    # What would end a comment, or is not allowed in one, and what is written instead.
    "-->": (re.compile("-(?=-)"), "- "),
    "*/": (re.compile(r"\*(?=/)"), "* "),
    "*)": (re.compile(r"\*(?=\))"), "* "),
}
_UNITS_SECTION = re.compile(r"^## +Unit-Works", re.MULTILINE)
_SECTION = re.compile(r"^#{1,2} ", re.MULTILINE)
_UNIT_HEADING = re.compile(r"^### +(?:Unit +|U)?(\d+)", re.MULTILINE)
_UNIT_END = re.compile(r"^(?:#{1,3} |---[ \t]*\r?$)", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n\r?\n\Z")
_FENCED = re.compile(r"^[ \t]*(?:- \w+:[ \t]*)?(`{3,}|~{3,}).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
MATCH_ID_CHARACTERS = 12
"""How much of a memory id is enough to find it again."""


def citation(match: AnyMatch, root: Path) -> str:
    """One line that says where a match is from, so that a reader finds it again."""
    if isinstance(match, Fact):
        short_id = match.memory_id[: len("sha256:") + MATCH_ID_CHARACTERS]
        return f"memory of {match.keeper}, {short_id}: {one_line(match.text)}"
    if isinstance(match, Page):
        return f"wiki, {one_line(match.title)} ({shown(match.path, root)}:{match.line})"
    if isinstance(match, Post):
        return f"board, {one_line(match.title)} ({match.id}, {match.author})"
    state = "" if match.wp_state == "—" else f" {match.wp_state}"
    return f"{match.wp_id} unit {match.unit_index}, {one_line(match.unit_title)} ({match.source}{state})"


def citation_line(match: AnyMatch, root: Path, language: str | None, indentation: str) -> str:
    """The citation as a comment line of its own in the given language, with its line end."""
    text = f"Prior art: {citation(match, root)}"
    if language in _BLOCK_COMMENTS:
        before, after = _BLOCK_COMMENTS[language]
        ending, instead = _NOT_INSIDE[after.strip()]
        return f"{indentation}{before}{ending.sub(instead, text)}{after}\n"
    mark = _COMMENT_OF.get(language or "")
    if mark and text.endswith("\\"):
        text += " ."  # A backslash at its end would take the next line into the comment.
    return f"{indentation}{mark + ' ' if mark else ''}{text}\n"


def is_plan(path: Path | None) -> bool:
    """Whether a document is a work plan in the making (spec/gem2.md §2)."""
    return (
        path is not None
        and path.suffix.lower() == ".md"
        and path.parent.name == "work-plan"
        and path.parent.parent.name == ".gem-squared"
    )


def insert_unit_work(match: ContractMatch, plan: str, cursor: int) -> tuple[int, str]:
    """The contract as a new PENDING unit-work: where it goes in a plan's text, and what is written there.

    It goes after the unit that the cursor stands in, or after the last one where it stands in none, and is
    numbered after the plan's last one. The fields stand as in the plan template (spec/gem2.md §1.1); A, B
    and P are verbatim.
    """
    outline = _FENCED.sub(lambda fenced: " " * len(fenced[0]), plan)
    offset = _end_of_unit(outline, cursor)
    number = max((int(found) for found in _UNIT_HEADING.findall(outline)), default=0) + 1
    contract = match.contract
    fields = (
        ("A", contract.a),
        ("B", contract.b),
        ("P", contract.p),
        ("Tags", f"[{', '.join(match.tags)}]"),
        ("Result", ""),
        ("State", ""),
    )
    lines = "\n".join(f"- {name}: {_field_text(text)}".rstrip() for name, text in fields)
    before = plan[:offset]
    gap = "" if not before or _BLANK_LINE.search(before) else "\n" if before.endswith("\n") else "\n\n"
    below = "" if offset == len(plan) else "\n"
    return offset, f"{gap}### {number}. {one_line(match.unit_title)} | STATUS: PENDING\n{lines}\n{below}"


def _end_of_unit(outline: str, cursor: int) -> int:
    """Where the unit-work at the cursor ends, in a plan without the text of its fences."""
    section = _UNITS_SECTION.search(outline)
    first = section.end() if section else 0
    after = _SECTION.search(outline, first) if section else None
    last = after.start() if after else len(outline)
    if not first <= cursor < last:
        units = list(_UNIT_HEADING.finditer(outline, first, last))
        cursor = units[-1].start() if units else first
    end_of_line = outline.find("\n", cursor)
    end = _UNIT_END.search(outline, end_of_line + 1) if end_of_line >= 0 else None
    return len(outline) if end is None else end.start()


def _field_text(text: str) -> str:
    # A further line belongs to its field as long as it does not begin at column 0 (spec/gem2.md §1.3).
    first, *rest = text.strip().split("\n")
    return "\n".join([first, *(f"  {line}".rstrip() for line in rest)])
