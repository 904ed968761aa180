"""What stands under the cursor: the rows of tests/cases/cursor*.tsv, and what holds for every line."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lsp_server.core.model import MAX_QUERY_CHARACTERS
from lsp_server.cursor import WINDOW_CHARACTERS, Target, find_target, is_structured

CASES = Path(__file__).parents[1] / "cases"
CURSOR = "‸"


def read_rows(name: str) -> list[tuple[str, str, str]]:
    """The rows of a case file: the line with its cursor, the kind, and the text (empty for none)."""
    rows = []
    for row in (CASES / name).read_text(encoding="utf-8").split("\n")[1:]:
        if row:
            line, kind, *text = row.split("\t")
            rows.append((line, kind, "".join(text)))
    return rows


ROWS = [*read_rows("cursor.tsv"), *read_rows("cursor-more.tsv")]


@pytest.mark.parametrize(("marked", "kind", "text"), ROWS, ids=[row[0] for row in ROWS])
def test_row(marked: str, kind: str, text: str) -> None:
    column = marked.index(CURSOR)
    line = marked.replace(CURSOR, "")
    target = find_target(line, column)
    got = (target.kind, target.text) if target else ("none", "")
    assert got == (kind, text), f"\nline:     {marked}\nexpected: {kind} {text}\ngot:      {got[0]} {got[1]}"


def test_every_kind_has_rows() -> None:
    assert {kind for _, kind, _ in ROWS} == {"error_code", "filename", "symbol", "id", "none"}
    assert all(line.count(CURSOR) == 1 for line, _, _ in ROWS)


@pytest.mark.parametrize(
    ("marked", "highlighted"),
    [
        ("error[E0‸308]: x", "E0308"),
        ("[guide](docs/how%20‸to.md#top)", "docs/how%20to.md#top"),
        ('open("my fi‸le.txt")', "my file.txt"),
        ("at handler (./src/in‸dex.ts:10:5)", "./src/index.ts"),
        ("diff --git a/src/a‸pp.py b/src/app.py", "a/src/app.py"),
        (".btn-pri‸mary { }", "btn-primary"),
        ("‸.btn-primary { }", ".btn-primary"),
        ("‸@app.route", "@app"),
        ("echo ${HO‸ME}", "HOME"),
        ("Docker‸file을 고친다", "Dockerfile"),
        ("keeper_memory_sea‸rch를 부른다", "keeper_memory_search"),
        ("🙂 E0‸308", "E0308"),
        ("E0308‸이 났다", "E0308"),
        ("DB2 SQLCODE=-8‸03", "-803"),
        (
            "  3:10  error  Unexpected any  @typescript-es‸lint/no-explicit-any",
            "@typescript-eslint/no-explicit-any",
        ),
    ],
)
def test_highlighted_range(marked: str, highlighted: str) -> None:
    line = marked.replace(CURSOR, "")
    target = find_target(line, marked.index(CURSOR))
    assert target is not None
    assert line[target.start : target.end] == highlighted


def test_decomposed_text_stays_whole() -> None:
    for word in ("사용자이름", "caféMenu", "naïveÜber"):
        decomposed = unicodedata.normalize("NFD", word)
        line = f"let {decomposed} = 1;"
        for column in range(4, 4 + len(decomposed) + 1):
            assert find_target(line, column) == Target("symbol", decomposed, 4, 4 + len(decomposed))


def test_decomposed_file_name_stays_whole() -> None:
    name = unicodedata.normalize("NFD", "한글 café.md").split(" ")[1]
    assert find_target(f"see {name} here", 6) == Target("filename", name, 4, 4 + len(name))


@pytest.mark.parametrize(
    "text", ["a_b", "fooBar", "HTTPServer", "E0308", "a::b", "a.b", "my-hook", "a->b", "x1"]
)
def test_structured(text: str) -> None:
    assert is_structured(text)


@pytest.mark.parametrize(
    "text",
    ["", "_", "foo", "Foo", "README", "URLs", "사용자이름", "Éclair", "_private", "__init__", "42", "-"],
)
def test_not_structured(text: str) -> None:
    assert not is_structured(text)


# Pieces that are likely to upset a recogniser, so that random lines meet the interesting paths.
PIECES = st.sampled_from(
    [
        *(
            "foo",
            "snake_case",
            "E0308",
            "WP-ST-69",
            "docs/a.md",
            "C:\\dir\\",
            "\\\\",
            "https://",
            "a@b.co",
            "..",
            "0x",
        ),
        *(
            "](",
            "](<",
            "%20",
            "%ED",
            "%00",
            "#[allow(",
            "# noqa: ",
            "SQLSTATE[",
            "-",
            "--",
            "_",
            ".",
            "/",
            ":",
            "::",
        ),
        *(
            '"',
            "'",
            "`",
            " ",
            "\t",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "$",
            "@",
            "#",
            "*",
            "=",
            ";",
            ",",
            "\r",
            "\n",
        ),
        *(
            "😀",
            "한글",
            "\u0301",
            "\u200d",
            "\ufe0f",
            "を",
            "漢字",
            "²",
            "\x00",
            "\ud800",
            "\u2028",
            "é",
            "ß",
            "İ",
        ),
    ]
)
LINES = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=25).map("".join)


@given(line=LINES, column=st.integers(min_value=-2, max_value=200))
@example(line="", column=0)
@example(line="[x](%00)", column=5)
def test_any_line(line: str, column: int) -> None:
    target = find_target(line, column)
    if target is None:
        return
    at = max(0, min(column, len(line)))
    assert 0 <= target.start <= at <= target.end <= len(line)
    assert target.start < target.end
    assert 0 < len(target.text) <= MAX_QUERY_CHARACTERS
    assert target.text.isprintable()
    assert is_structured(target.text) in (True, False)


@given(text=st.text(max_size=30))
def test_structure_of_any_text(text: str) -> None:
    assert is_structured(text) in (True, False)


URLS = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https", "ftp", "ssh", "postgres"]),
    st.sampled_from(["example.com", "localhost:8080", "user:pw@host.org", "127.0.0.1"]),
    st.lists(
        st.sampled_from(
            ["docs", "/", "a_b", ".md", "E0308", "WP-ST-69", "?q=", "&", "#x", "%20", "-", "한글", "(y)"]
        ),
        max_size=12,
    ).map("".join),
)


@given(before=st.sampled_from(["", "see ", "(", '"', "<", "[x](", "url="]), url=URLS)
def test_a_web_address_is_never_a_target(before: str, url: str) -> None:
    line = f"{before}{url}"
    for column in range(len(before), len(line) + 1):
        target = find_target(line, column)
        assert target is None or target.end <= len(before), (line, column, target)


@given(
    left=LINES,
    right=LINES,
    token=st.sampled_from(
        ["E0308", "docs/a.md", "snake_case", "WP-ST-69", "use-after-free", '"my file.txt"']
    ),
    filler=st.sampled_from(["x", " ", "a.b ", '"', "(", "https://", "-", "한 "]),
)
def test_only_a_window_is_read(left: str, right: str, token: str, filler: str) -> None:
    padding = filler * WINDOW_CHARACTERS
    line = f"{padding}{left} {token} {right}{padding}"
    column = len(padding) + len(left) + 3
    origin = column - WINDOW_CHARACTERS
    alone = find_target(line[origin : column + WINDOW_CHARACTERS], WINDOW_CHARACTERS)
    target = find_target(line, column)
    if target is not None:
        assert alone == Target(target.kind, target.text, target.start - origin, target.end - origin)
    elif alone is not None:
        # What reaches the window's edge was cut there, and half a name is none.
        assert alone.start == 0 or alone.end == 2 * WINDOW_CHARACTERS


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "a-", "a.", "a/", "a_", '"', "[(", "error:(", "#[", "a@", "](%41", "0a", " ", "\\ "),
        *("1:1 error  ", "warning • ", "(a) ", "mypy ", "vue/no-a-", "-Wa", "no-a: ", "a.go:1:1: "),
    ],
)
def test_a_long_line_gives_an_answer(unit: str) -> None:
    line = unit * 200_000
    target = find_target(line, len(line) // 2)
    assert target is None or target.end - target.start <= MAX_QUERY_CHARACTERS
