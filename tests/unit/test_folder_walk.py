"""Finding files: ignore rules as git understands them, globs, links, heavy folders, and hostile trees."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from files_on_disk import link, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp_server.core.model import Problem
from lsp_server.sources.folder_walk import Place, find_files
from lsp_server.sources.text_file import read_text

git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def grow(root: Path, *names: str) -> None:
    for name in names:
        write(root / name)


def walk(root: Path, entry: str = ".") -> list[Path | Problem]:
    return list(find_files(Place.configured(root, entry), set()))


def found(root: Path, entry: str = ".") -> list[str]:
    """Paths of the files of a configured place, relative to the root; there must not be a problem."""
    files = walk(root, entry)
    assert not [problem for problem in files if isinstance(problem, Problem)]
    return [file.relative_to(root).as_posix() for file in files if isinstance(file, Path)]


def usual(root: Path, folder: str) -> list[str]:
    files = find_files(Place(root, root / folder), set())
    return [file.relative_to(root).as_posix() for file in files if isinstance(file, Path)]


# Which files


def test_markdown_of_all_depths_sorted_by_path(tmp_path: Path) -> None:
    grow(tmp_path, "b.md", "a/z.md", "a/b/c.markdown", "c.MD", "x.txt", "md", "한.md", "sp ace.md")
    assert found(tmp_path) == ["a/b/c.markdown", "a/z.md", "b.md", "c.MD", "sp ace.md", "한.md"]


def test_heavy_folders_and_virtual_environments_are_not_entered(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "env/lib/a.md", "env/pyvenv.cfg", "x/node_modules/p/a.md", "venv.md", "git/a.md")
    for name in (
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "site-packages",
        "__pycache__",
        ".venv",
        "venv",
        ".tox",
    ):
        grow(tmp_path, f"{name}/a.md")
    assert found(tmp_path) == ["a.md", "git/a.md", "venv.md"]


def test_a_heavy_folder_is_read_when_it_is_the_place(tmp_path: Path) -> None:
    grow(tmp_path, "env/a.md", "env/pyvenv.cfg", "node_modules/p/a.md")
    assert found(tmp_path, "env") == ["env/a.md"]
    assert found(tmp_path, "node_modules/p") == ["node_modules/p/a.md"]


def test_a_folder_that_is_called_like_a_page_is_a_folder(tmp_path: Path) -> None:
    grow(tmp_path, "folder.md/a.md")
    assert found(tmp_path) == ["folder.md/a.md"]


def test_by_products_of_editors_and_copies_are_no_pages(tmp_path: Path) -> None:
    grow(tmp_path, "page.md", "._page.md")
    link(tmp_path / ".#page.md", "somebody@somewhere.42")
    assert found(tmp_path) == ["page.md"]
    assert found(tmp_path, "**/*.md") == ["page.md"]


def test_names_that_are_not_utf8_are_found_and_read(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"text")
    except OSError:
        pytest.skip("such a name cannot be made here")
    (page,) = walk(tmp_path)
    assert isinstance(page, Path) and read_text(page) == ("text", None)
    write(tmp_path / ".gitignore", b"caf\xe9.md\n")
    assert walk(tmp_path) == []


# Configured places


def test_a_configured_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    assert walk(tmp_path, "missing") == [
        Problem(str(tmp_path / "missing"), "the configured wiki folder does not exist")
    ]


@pytest.mark.parametrize("entry", ["~no-such-user/x", "a\0b", "x" * 5000, "missing/*.md", "file/deeper"])
def test_an_entry_that_leads_nowhere_is_named_and_does_not_raise(tmp_path: Path, entry: str) -> None:
    write(tmp_path / "file")
    (problem,) = walk(tmp_path, entry)
    assert isinstance(problem, Problem) and problem.reason


def test_a_configured_file_is_that_file(tmp_path: Path) -> None:
    grow(tmp_path, "notes/a.txt", "notes/b.txt")
    assert found(tmp_path, "notes/a.txt") == ["notes/a.txt"]


def test_absolute_home_and_parent_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = write(tmp_path / "outside" / "a.md")
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for entry in (str(tmp_path / "outside"), "~/outside", "../outside", "../outside/*.md", "~/out*/a.md"):
        assert walk(root, entry) == [page], entry


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("docs/**/*.md", ["docs/a.md", "docs/v1.2/b.md", "docs/v1.2/deep/c.md"]),
        ("docs/*.md", ["docs/a.md"]),
        ("**/c.md", ["docs/v1.2/deep/c.md"]),
        ("docs/*/b.md", ["docs/v1.2/b.md"]),
        ("docs/?.md", ["docs/a.md"]),
        ("docs/[ab].md", ["docs/a.md"]),
        ("docs/[!a].md", []),
        ("docs/**", ["docs/a.md", "docs/v1.2/b.md", "docs/v1.2/deep/c.md"]),
        ("docs/*", ["docs/a.md", "docs/v1.2/b.md", "docs/v1.2/deep/c.md"]),
        ("docs/v*", ["docs/v1.2/b.md", "docs/v1.2/deep/c.md"]),
        ("docs/v1.*", ["docs/v1.2/b.md", "docs/v1.2/deep/c.md"]),
        ("docs/*/deep", ["docs/v1.2/deep/c.md"]),
        ("docs/*/deep/", ["docs/v1.2/deep/c.md"]),
        ("**/*.txt", ["docs/n.txt", "docs/v1.2/n.txt"]),
        ("docs/*.txt", ["docs/n.txt"]),
        ("d*/a.md", ["docs/a.md"]),
        ("docs/*.rst", []),
    ],
)
def test_a_glob(tmp_path: Path, glob: str, expected: list[str]) -> None:
    grow(tmp_path, "docs/a.md", "docs/v1.2/b.md", "docs/v1.2/deep/c.md", "docs/p.png", "docs/v1.2/q.png")
    grow(tmp_path, "docs/n.txt", "docs/v1.2/n.txt", "other/a.txt.md/x.png")
    assert found(tmp_path, glob) == expected


def test_a_glob_that_is_not_valid_is_named(tmp_path: Path) -> None:
    grow(tmp_path, "docs/a.md")
    (problem,) = walk(tmp_path, "docs/[z-a].md")
    assert isinstance(problem, Problem) and "not valid" in problem.reason


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be made there")
@pytest.mark.parametrize("name", ["[id]", "what?", "a*b"])
def test_a_folder_whose_name_looks_like_a_glob(tmp_path: Path, name: str) -> None:
    grow(tmp_path, f"{name}/a.md", "i/b.md")
    assert found(tmp_path, name) == [f"{name}/a.md"]


# Links


def test_a_link_to_a_place_inside_the_root_is_followed_once(tmp_path: Path) -> None:
    grow(tmp_path, "docs/a.md", "wiki/b.md")
    link(tmp_path / "wiki" / "docs", tmp_path / "docs")
    link(tmp_path / "wiki" / "again", tmp_path / "docs")
    link(tmp_path / "wiki" / "page.md", tmp_path / "docs" / "a.md")
    assert found(tmp_path, "wiki") == ["wiki/again/a.md", "wiki/b.md"]


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    grow(tmp_path, "outside/a.md", "root-2/a.md", "root/b.md")
    link(root / "folder", tmp_path / "outside")
    link(root / "relative", "../root-2")
    link(root / "page.md", tmp_path / "outside" / "a.md")
    link(root / "first", "second")
    link(root / "second", tmp_path / "outside")
    assert found(root) == ["b.md"]


def test_a_configured_link_out_of_the_root_is_followed_because_it_was_named(tmp_path: Path) -> None:
    root = tmp_path / "root"
    grow(tmp_path, "outside/a.md", "elsewhere/c.md", "root/b.md")
    link(root / "wiki", tmp_path / "outside")
    link(tmp_path / "outside" / "further", tmp_path / "elsewhere")
    assert found(root, "wiki") == ["wiki/a.md"]


@pytest.mark.parametrize("target", [".", "..", "../..", "loop"])
def test_loops_of_links_end(tmp_path: Path, target: str) -> None:
    grow(tmp_path, "a/b/page.md")
    link(tmp_path / "a" / "b" / "loop", target)
    assert found(tmp_path) == ["a/b/page.md"]


@pytest.mark.parametrize("target", ["page.md", "nowhere.md", "x" * 300])
def test_a_broken_link_is_listed_so_that_reading_names_it(tmp_path: Path, target: str) -> None:
    grow(tmp_path, "a.md")
    broken = link(tmp_path / "page.md", target)
    assert found(tmp_path) == ["a.md", "page.md"]
    text, problem = read_text(broken)
    assert text is None and problem is not None and problem.reason


def test_a_root_that_is_a_link_itself(tmp_path: Path) -> None:
    grow(tmp_path, "real/docs/a.md")
    alias = link(tmp_path / "alias", tmp_path / "real")
    assert usual(alias, "docs") == ["docs/a.md"]
    assert found(alias) == ["docs/a.md"]


# Ignore files


def test_without_git_a_gitignore_counts_too(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "drafts/b.md")
    write(tmp_path / ".gitignore", "drafts/\n")
    assert found(tmp_path) == ["a.md"]


@pytest.mark.parametrize("rule", ["wiki", "wiki/", "/docs/", "docs/wiki", "docs/*", "*", "**", ".*", "d*/"])
def test_a_rule_that_ignores_the_place_itself_does_not_hide_it(tmp_path: Path, rule: str) -> None:
    grow(tmp_path, "docs/wiki/a.md", "docs/wiki/deep/b.md")
    write(tmp_path / ".gitignore", f"{rule}\n")
    assert found(tmp_path, "docs/wiki") == ["docs/wiki/a.md", "docs/wiki/deep/b.md"]
    assert usual(tmp_path, "docs/wiki") == ["docs/wiki/a.md", "docs/wiki/deep/b.md"]


@pytest.mark.parametrize(
    ("file", "rule"), [(".gitignore", ".masc/"), (".gitignore", ".*"), (".masc/.gitignore", "*")]
)
def test_an_ignored_masc_folder_does_not_hide_its_wiki(tmp_path: Path, file: str, rule: str) -> None:
    grow(tmp_path, ".masc/wiki/a.md", ".masc/wiki/deep/b.md")
    write(tmp_path / file, f"{rule}\n")
    assert usual(tmp_path, ".masc/wiki") == [".masc/wiki/a.md", ".masc/wiki/deep/b.md"]


def test_other_rules_from_above_still_count_inside_the_place(tmp_path: Path) -> None:
    grow(tmp_path, "docs/wiki/a.md", "docs/wiki/a.tmp.md", "docs/wiki/drafts/b.md", "docs/wiki/c.md")
    write(tmp_path / ".gitignore", "docs/\n*.tmp.md\n")
    write(tmp_path / "docs" / ".gitignore", "drafts/\nwiki/c.md\n")
    assert found(tmp_path, "docs/wiki") == ["docs/wiki/a.md"]


def test_a_changed_ignore_file_counts_at_once_even_with_the_same_size_and_time(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "b.md")
    file = write(tmp_path / ".gitignore", "a.md\n")
    before = file.stat()
    assert found(tmp_path) == ["b.md"]
    file.write_bytes(b"b.md\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found(tmp_path) == ["a.md"]


def test_a_rule_that_is_not_valid_costs_that_rule_only(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "b.md", "z.md")
    write(tmp_path / ".gitignore", "a.md\n[z-a].md\n!\n\\\nb.md\n")
    assert found(tmp_path) == ["z.md"]


def test_an_ignore_file_that_cannot_be_read_ignores_nothing(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "folder/b.md")
    (tmp_path / ".gitignore").mkdir()
    link(tmp_path / "folder" / ".gitignore", ".gitignore")
    assert found(tmp_path) == ["a.md", "folder/b.md"]


TREE = (
    *("a.md", "b.md", "sp ace.md", "#hash.md", "!bang.md", "docs/a.md", "docs/b.md", "docs/drafts/a.md"),
    *(
        "docs/drafts/keep/a.md",
        "docs/build/a.md",
        "build/a.md",
        "build/docs/a.md",
        "src/docs/b.md",
        "src/a.md",
    ),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    grow(root, *TREE)
    return root


def shown_by_git(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard", "-z"],
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout.decode()
    return sorted(name for name in listed.split("\0") if name.endswith(".md"))


def set_rules(root: Path, rules: dict[str, str]) -> None:
    for old in root.rglob(".gitignore"):
        old.unlink()
    for folder, text in rules.items():
        write(root / folder / ".gitignore", text.encode("utf-8", "surrogateescape"))


RULES = {
    "a file anywhere": {"": "a.md"},
    "a file at the top": {"": "/a.md"},
    "a folder anywhere": {"": "build/"},
    "a folder without its slash": {"": "build"},
    "a folder's content": {"": "docs/*"},
    "two stars before": {"": "**/docs"},
    "two stars behind": {"": "docs/**"},
    "two stars between": {"": "docs/**/a.md"},
    "kept again": {"": "*.md\n!b.md"},
    "the last rule wins": {"": "!a.md\na.md\n!/a.md"},
    "nothing is kept below an ignored folder": {"": "docs/\n!docs/a.md"},
    "only some folders": {"": "/*\n!/docs/"},
    "only some files": {"": "*\n!*/\n!a.md"},
    "a folder in a kept folder": {"": "drafts\n!docs"},
    "a folder in a kept folder by stars": {"": "*/build/\n!d*"},
    "all below a folder but one": {"": "docs/**\n!docs/b.md"},
    "all folders below a folder": {"": "docs/**/"},
    "all below is not the folder": {"": "docs\n!docs/**"},
    "a kept folder in an ignored pattern": {"": "docs/*\n!docs/drafts/"},
    "a file in a kept folder": {"": "*.md\n!docs/"},
    "nested": {"": "a.md", "docs": "!a.md"},
    "nested only below": {"docs": "/a.md"},
    "nested in an ignored folder": {"": "docs/", "docs": "!*"},
    "nested twice": {"docs": "*.md", "docs/drafts": "!*.md"},
    "nested with a path": {"docs": "drafts/a.md"},
    "comments and blanks": {"": "# a.md\n\n   \n\\#hash.md\n\\!bang.md"},
    "blanks behind": {"": "a.md   \nb.md\\ "},
    "blanks within": {"": "sp ace.md"},
    "CRLF": {"": "a.md\r\ndocs/\r\n"},
    "a tab behind": {"": "a.md\t\nb.md"},
    "a carriage return within": {"": "docs\r\r\nbuild\rx\n"},
    "byte order mark": {"": "\ufeffa.md\n"},
    "sets": {"": "[ab].md\n!/[!b].md"},
    "question mark": {"": "?.md"},
    "question mark is no slash": {"": "docs?a.md"},
    "upper case": {"": "A.MD"},
    "escaped": {"": "\\a.md\ndocs/\\b.md"},
    "slash alone": {"": "/"},
    "not valid": {"": "[z-a].md\n[a-\nb.md"},
    "not UTF-8": {"": "caf\udce9.md\na.md"},
    "without a last line end": {"": "docs/\na.md"},
}


@git
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
def test_rules_mean_what_they_mean_to_git(repository: Path, rules: dict[str, str]) -> None:
    set_rules(repository, rules)
    assert sorted(found(repository)) == shown_by_git(repository)


parts = st.sampled_from(
    ["a.md", "b.md", "*.md", "docs", "drafts", "build", "*", "?.md", "[ab].md", "d*", "[!d]*"]
)
patterns = st.builds(
    lambda negated, anchored, deep, path, folder: negated + anchored + deep + "/".join(path) + folder,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.sampled_from(["", "", "**/"]),
    st.lists(parts, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/**/"]),
)
rule_files = st.lists(patterns, min_size=1, max_size=4).map("\n".join)


@git
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["", "docs", "docs/drafts", "src"]), rule_files, max_size=3))
def test_any_rules_mean_what_they_mean_to_git(repository: Path, rules: dict[str, str]) -> None:
    set_rules(repository, rules)
    assert sorted(found(repository)) == shown_by_git(repository)


# Hostile trees


def test_what_could_not_be_listed_is_named_and_the_rest_is_found(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("folders this deep cannot be made there")
    grow(tmp_path, "wiki/a.md", "wiki/z.md")
    deepest = os.open(tmp_path / "wiki", os.O_RDONLY)
    for _ in range(40):
        os.mkdir("d" * 120, dir_fd=deepest)
        inner = os.open("d" * 120, os.O_RDONLY, dir_fd=deepest)
        os.close(deepest)
        deepest = inner
    os.close(deepest)
    try:
        answers = walk(tmp_path, "wiki")
    finally:
        shutil.rmtree(tmp_path / "wiki")
    assert [answer.name for answer in answers if isinstance(answer, Path)] == ["a.md", "z.md"]
    assert len([answer for answer in answers if isinstance(answer, Problem)]) == 1


def test_folders_may_be_nested_more_deeply_than_calls(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("folders this deep cannot be made there")
    (tmp_path / "wiki").mkdir()
    deepest = os.open(tmp_path / "wiki", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=deepest)
        inner = os.open("d", os.O_RDONLY, dir_fd=deepest)
        os.close(deepest)
        deepest = inner
    os.close(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=deepest))
    os.close(deepest)
    answers = walk(tmp_path, "wiki")
    subprocess.run(["rm", "-rf", str(tmp_path / "wiki")], check=True)
    # Where paths of this length cannot be opened, the folder is named instead.
    assert len(answers) == 1
    assert isinstance(answers[0], Problem) or answers[0].name == "deep.md"


def test_five_thousand_pages_are_listed_in_well_under_a_second(tmp_path: Path) -> None:
    for folder in range(50):
        (tmp_path / str(folder)).mkdir()
        for page in range(100):
            (tmp_path / str(folder) / f"{page}.md").touch()
    started = time.process_time()
    assert len(walk(tmp_path)) == 5000
    assert time.process_time() - started < 0.8
