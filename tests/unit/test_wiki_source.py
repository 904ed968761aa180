"""Wiki pages: what a page is called, what of it is searched, and which places are listed."""

from __future__ import annotations

import codecs
import time
from pathlib import Path

import pytest
from files_on_disk import link, write
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import Listing, WikiDocument
from lsp_server.sources.frontmatter_fence import (
    MAX_HEADER_CHARACTERS,
    list_value,
    split_metadata,
    text_value,
)
from lsp_server.sources.wiki import first_heading, list_pages, read_page

MEGABYTE = 1_000_000


def read(folder: Path, text: str | bytes) -> WikiDocument:
    reading = read_page(write(folder / "page.md", text), MEGABYTE)
    assert reading.searchable and reading.problems == ()
    (document,) = reading.documents
    return document


# Titles

TITLES = {
    "frontmatter": ("---\ntitle: Clock drift\n---\n# Heading\n", "Clock drift"),
    "quoted": ('---\ntitle: "Clock: drift"\n---\n', "Clock: drift"),
    "single quoted": ("---\ntitle: 'it''s'\n---\n", "it's"),
    "folded": ("---\ntitle: >-\n  Clock\n  drift\n---\n", "Clock drift"),
    "Hangul": ("---\ntitle: 시계 오차\n---\n", "시계 오차"),
    "colon in the value": ("---\ntitle: Root cause: clock drift\n---\n# H\n", "Root cause: clock drift"),
    "no blank after the colon": ("---\ntitle:Clock\n---\n", "Clock"),
    "tab after the colon": ("---\ntitle:\tClock\n---\n", "Clock"),
    "tab before a nested key": ("---\ntitle: Clock\nmeta:\n\tkey: value\n---\n", "Clock"),
    "a date that is none": ("---\ntitle: Clock\ncreated: 2024-13-45\n---\n", "Clock"),
    "a title that is such a date": ("---\ntitle: 2024-13-45\n---\n", "2024-13-45"),
    "a title that is a date": ("---\ntitle: 2024-01-05\n---\n", "2024-01-05"),
    "a version": ("---\ntitle: 1.10\n---\n", "1.10"),
    "an octal number": ("---\ntitle: 0755\n---\n", "0755"),
    "a time": ("---\ntitle: 12:30\n---\n", "12:30"),
    "a truth value": ("---\ntitle: No\n---\n", "No"),
    "an unclosed quote": ('---\ntitle: "Clock\n---\n', '"Clock'),
    "an unclosed list": ("---\ntitle: [draft\n---\n", "[draft"),
    "an at sign": ("---\ntitle: @decorators\n---\n", "@decorators"),
    "a back quote": ("---\ntitle: `E0308` again\n---\n", "`E0308` again"),
    "a percent sign": ("---\ntitle: %PATH%\n---\n", "%PATH%"),
    "an asterisk": ("---\ntitle: *args\n---\n", "*args"),
    "an unknown type": ("---\ntitle: !!python/object:os.system x\n---\n", "x"),
    "another value is bad": ("---\nother: a: b\ntitle: Clock\n---\n", "Clock"),
    "a key of other letters is bad": ("---\n설명: a: b\ntitle: Clock\n---\n", "Clock"),
    "comments and blanks": ("---\n# comment\n\ntitle: Clock\n---\n", "Clock"),
    "trailing blanks at the fences": ("---  \ntitle: Clock\n--- \t\n", "Clock"),
    "the file ends with the fence": ("---\ntitle: Clock\n---", "Clock"),
    "CRLF": ("---\r\ntitle: Clock\r\n---\r\n# H\r\n", "Clock"),
    "CR": ("---\rtitle: Clock\r---\r# H\r", "Clock"),
    "byte order mark": (codecs.BOM_UTF8 + b"---\ntitle: Clock\n---\n", "Clock"),
    "UTF-16": ("\ufeff---\ntitle: Clock\n---\n".encode("utf-16-le"), "Clock"),
    "last of two titles": ("---\ntitle: One\ntitle: Two\n---\n", "Two"),
    "null": ("---\ntitle: null\n---\n# Heading\n", "Heading"),
    "tilde": ("---\ntitle: ~\n---\n# Heading\n", "Heading"),
    "blank": ("---\ntitle:\n---\n# Heading\n", "Heading"),
    "quoted blank": ("---\ntitle: ' '\n---\n# Heading\n", "Heading"),
    "a list": ("---\ntitle: [a, b]\n---\n# Heading\n", "Heading"),
    "no title": ("---\ntags: [a]\n---\n\n# Heading\n", "Heading"),
    "no title and no heading": ("---\ntags: [a]\n---\ntext\n", "page.md"),
    "a comment in the header is no heading": ("---\n# comment\ntags: [a]\n---\ntext\n", "page.md"),
    "never closed": ("---\ntitle: Clock\n\n# Heading\n", "Heading"),
    "closed by a longer rule": ("---\ntitle: Clock\n----\n\n# Heading\n", "Heading"),
    "not on the first line": ("\n---\ntitle: Clock\n---\n# Heading\n", "Heading"),
    "four dashes": ("----\ntitle: Clock\n----\n# Heading\n", "Heading"),
    "a rule, prose, and another rule": ("---\nSome prose.\n\n# Heading\n---\n", "Heading"),
    "two rules": ("---\n---\n# Heading\n", "Heading"),
    "a list between rules": ("---\n- one\n- two\n---\n# Heading\n", "Heading"),
    "heading": ("text\n\n# Heading\n# Second\n", "Heading"),
    "closing hashes": ("# Heading ##\n", "Heading"),
    "a hash that closes nothing": ("# C#\n", "C#"),
    "an escaped name": ("# About C# and F#\n", "About C# and F#"),
    "indented by three": ("   # Heading\n", "Heading"),
    "tab after the hash": ("#\tHeading\t\n", "Heading"),
    "indented code": ("    # comment\n\n# Heading\n", "Heading"),
    "a tag is no heading": ("#tag\n\n# Heading\n", "Heading"),
    "empty headings": ("#\n# \n# ##\n# Heading\n", "Heading"),
    "second level only": ("## Heading\n", "page.md"),
    "underlined": ("Heading\n=======\n", "Heading"),
    "underlined with one sign": ("Heading\n=\n", "Heading"),
    "underlined nothing": ("\n===\n# Heading\n", "Heading"),
    "underlined heading": ("## Section\n===\n# Heading\n", "Heading"),
    "underlined item": ("- item\n===\n# Heading\n", "Heading"),
    "underlined quote": ("> quote\n===\n# Heading\n", "Heading"),
    "underlined rule": ("***\n===\n# Heading\n", "Heading"),
    "underlined fence": ("text\n```\n```\n===\n# Heading\n", "Heading"),
    "in a fence": ("```sh\n# comment\n```\n# Heading\n", "Heading"),
    "in tildes": ("~~~ `x`\n# comment\n```\n~~~\n# Heading\n", "Heading"),
    "in a longer fence": ("````\n```\n# comment\n````\n# Heading\n", "Heading"),
    "a fence with an info string closes nothing": ("```\n# a\n```sh\n# b\n```\n# Heading\n", "Heading"),
    "a code span is no fence": ("```x``` is code\n# Heading\n", "Heading"),
    "a fence never closed": ("```\n# comment\n", "page.md"),
    "an empty file": ("", "page.md"),
}


@pytest.mark.parametrize(("text", "title"), TITLES.values(), ids=TITLES.keys())
def test_the_title(tmp_path: Path, text: str | bytes, title: str) -> None:
    assert read(tmp_path, text).title == title


def test_without_a_title_a_page_is_called_by_its_file_name(tmp_path: Path) -> None:
    file = write(tmp_path / "시계-20240105.md", "text\n")
    assert read_page(file, MEGABYTE).documents[0].title == "시계-20240105.md"


# Tags


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ("tags: [clock, drift]", ("clock", "drift")),
        ("tags:\n  - clock\n  - drift", ("clock", "drift")),
        ("tags:\n- clock\n- drift", ("clock", "drift")),
        ("tags: clock, drift", ("clock", "drift")),
        ("tags: clock drift", ("clock", "drift")),
        ("tags: [1.10, no, 2024-01-05]", ("1.10", "no", "2024-01-05")),
        ("tags: [a, null, ~, '', b]", ("a", "b")),
        ("tags: [a, [b, c], {d: e}]", ("a",)),
        ("tags:", ()),
        ("tags: null", ()),
        ("tags: {a: b}", ()),
        ("other: x", ()),
        ("title: a: b\ntags: [clock, drift]", ("clock", "drift")),
        ("title: a: b\ntags:\n  - clock\n  - drift", ("clock", "drift")),
        ("title: a: b\ntags:\n- clock\n- drift", ("clock", "drift")),
    ],
)
def test_the_tags(tmp_path: Path, header: str, tags: tuple[str, ...]) -> None:
    assert read(tmp_path, f"---\n{header}\n---\ntext\n").tags == tags


# What is searched


def test_the_whole_text_is_searched_with_its_frontmatter(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf---\r\ntitle: a: b\r\n---\r\nbody\r\n").text == (
        "---\ntitle: a: b\n---\nbody\n"
    )


def test_a_page_with_invalid_bytes_is_read_and_named(tmp_path: Path) -> None:
    reading = read_page(write(tmp_path / "page.md", b"# Caf\xe9\nneedle\n"), MEGABYTE)
    assert reading.searchable
    assert reading.documents[0].text == "# Caf\ufffd\nneedle\n"
    assert [problem.path for problem in reading.problems] == [str(tmp_path / "page.md")]


def test_a_page_above_the_limit_is_named_and_not_read(tmp_path: Path) -> None:
    reading = read_page(write(tmp_path / "page.md", "x" * 11), 10)
    assert (reading.documents, reading.searchable) == ((), False)
    assert "11 bytes" in reading.problems[0].reason


headers = st.one_of(
    st.just(""),
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(
        st.sampled_from(
            [
                "title: x",
                "title: a: b",
                "tags: [a",
                "- x",
                "\tk: v",
                "2024-13-45",
                "k: &a [*a]",
                "a:",
                "? x",
                "%",
            ]
        ),
        max_size=4,
    ).map("\n".join),
)
fences = st.sampled_from(["---\n", "---", "--- \n", "----\n", "...\n", "---\r\n", "\n---\n"])


@given(opening=fences, header=headers, closing=fences, body=st.text(st.characters(codec="utf-8")))
def test_body_text_is_never_lost(
    tmp_path_factory: pytest.TempPathFactory, opening: str, header: str, closing: str, body: str
) -> None:
    text = opening + header + closing + body
    document = read(tmp_path_factory.getbasetemp(), text)
    assert document.text == text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert document.title


@given(st.text(st.characters(codec="utf-8")) | st.text("-: \n\tab[]{}#&*!|>'\"%@`"))
def test_metadata_and_body_together_are_the_text(inside: str) -> None:
    text = f"---\n{inside}\n---\nbody"
    metadata, body = split_metadata(text)
    assert text.endswith(body) and body.endswith("body")
    assert metadata or body == text
    assert isinstance(text_value(metadata, "a"), str | None)
    assert all(isinstance(tag, str) for tag in list_value(metadata, "a"))


# Text that was made to take long


def test_a_header_of_references_to_references_is_not_written_out() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    metadata, _ = split_metadata("---\n" + "\n".join(lines) + "\ntags: [*a11, y]\n---\n")
    assert list_value(metadata, "tags") == ("y",)


def test_what_is_too_long_for_a_header_is_body() -> None:
    for size, is_header in ((MAX_HEADER_CHARACTERS - 100, True), (MAX_HEADER_CHARACTERS, False)):
        text = f"---\ntitle: x\nmore: {'y' * size}\n---\n# Heading\n"
        metadata, body = split_metadata(text)
        assert bool(metadata) is is_header
        assert (body == text) is not is_header


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a: b" + " " * 60_000 + "c\n---\n",
        "---\n" + "k: a: b\n" * 8_000 + "---\n",
        "---\n" + "[" * 60_000 + "\n---\n",
        "---\ntitle: " + "{a: " * 15_000 + "\n---\n",
        "---\n" + "- " * 30_000 + "\n---\n",
        "---\n" * 200_000,
        "# a" + " " * 500_000 + "b\n",
        "# a" + " #" * 250_000 + "b\n",
        "#" * 900_000,
        "`" * 900_000,
        "```" + "x" * 500_000 + "`\n",
        "- " * 400_000 + "\n===\n",
        "_ " * 400_000 + "x\n===\n",
    ],
    ids=range(13),
)
def test_no_text_takes_long(tmp_path: Path, text: str) -> None:
    started = time.process_time()
    read(tmp_path, text)
    assert time.process_time() - started < 3


def test_no_heading_in_nothing() -> None:
    assert first_heading("") is None


# Places


def test_without_any_place_there_is_no_wiki(tmp_path: Path) -> None:
    assert list_pages(tmp_path, tmp_path, ()) == Listing()


def test_the_usual_folders_in_their_order(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "docs" / "wiki" / "b.md"),
        write(tmp_path / "docs" / "wiki" / "deep" / "er" / "c.markdown"),
        write(tmp_path / "docs" / "library" / "SCHEMA.md"),
        write(tmp_path / ".masc" / "wiki" / "A.MD"),
    ]
    write(tmp_path / "docs" / "other.md")
    write(tmp_path / "docs" / "wiki" / "image.png")
    listing = list_pages(tmp_path, tmp_path, ())
    assert listing.files == tuple(files)
    assert listing.problems == ()
    assert listing.locations == tuple(
        str(tmp_path / folder) for folder in ("docs/wiki", "docs/library", ".masc/wiki")
    )


def test_the_base_has_the_usual_folders_too_and_is_not_taken_for_a_way_out(tmp_path: Path) -> None:
    root, base = tmp_path / "root", tmp_path / "base"
    files = [write(root / "docs" / "wiki" / "a.md"), write(base / "docs" / "library" / "b.md")]
    listing = list_pages(root, base, ())
    assert listing.files == tuple(files)
    assert listing.problems == ()


def test_places_that_overlap_give_each_page_once(tmp_path: Path) -> None:
    page = write(tmp_path / "docs" / "wiki" / "a.md")
    other = write(tmp_path / "docs" / "b.md")
    link(tmp_path / "alias", tmp_path / "docs")
    configured = (
        "docs",
        "docs/wiki",
        "./docs/../docs",
        "docs/**/*.md",
        "docs/wiki/a.md",
        "alias",
        str(tmp_path),
    )
    assert list_pages(tmp_path, tmp_path, configured).files == (page, other)


def test_blank_entries_name_no_place(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    assert list_pages(tmp_path, tmp_path, ("", "  ")) == Listing()


def test_a_usual_folder_that_is_a_broken_link_is_named_and_not_absent(tmp_path: Path) -> None:
    link(tmp_path / "docs" / "wiki", "nowhere")
    listing = list_pages(tmp_path, tmp_path, ())
    assert listing.locations == (str(tmp_path / "docs" / "wiki"),)
    assert [problem.path for problem in listing.problems] == [str(tmp_path / "docs" / "wiki")]


@pytest.mark.parametrize("target", ["secret", "folder"])
def test_a_usual_folder_that_leads_out_of_the_workspace_is_named_and_not_read(
    tmp_path: Path, target: str
) -> None:
    write(tmp_path / "outside" / "secret")
    write(tmp_path / "outside" / "folder" / "a.md")
    link(tmp_path / "root" / "docs" / "wiki", tmp_path / "outside" / target)
    listing = list_pages(tmp_path / "root", tmp_path / "root", ())
    assert listing.files == ()
    assert "leads out of the workspace" in listing.problems[0].reason
    again = list_pages(tmp_path / "root", tmp_path / "root", ("../outside/folder",))
    assert again.files == (tmp_path / "outside" / "folder" / "a.md",)
