"""ALE in a real Vim: hover, code actions, search, other servers, and the life of the server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from vim_runner import Vim

NEIGHBOUR = Path(__file__).with_name("neighbour_server.py")
WITH_NEIGHBOUR = f"""
call ale#linter#Define('python', {{
\\   'name': 'neighbour',
\\   'lsp': 'stdio',
\\   'executable': {json.dumps(sys.executable)},
\\   'command': '%e ' . ale#Escape({json.dumps(str(NEIGHBOUR))}),
\\   'project_root': {{-> getcwd()}},
\\}})
let g:ale_linters.python += ['neighbour']
"""


def test_hover_says_what_is_known(vim: Vim) -> None:
    hover = vim.play("""
        call UserGoTo('E4217')
        return UserHover('Prior art')
    """)
    assert hover.startswith("Prior art: E4217\n")
    assert "wiki: Signing errors" in hover


def test_hover_beside_another_server_leaves_its_hover_alone(vim: Vim) -> None:
    ours, theirs = vim.play(
        """
        call UserGoTo('E4217')
        let l:ours = UserHover('Prior art')
        call UserGoTo('raise ')
        return [l:ours, UserHover('raised')]
        """,
        more_vimrc=WITH_NEIGHBOUR,
    )
    assert "wiki: Signing errors" in ours
    assert theirs == "An exception is raised here."


def test_citation_is_put_above_the_line_in_a_file_with_emoji_and_hangul(vim: Vim) -> None:
    file = vim.workspace / "src" / "wide.py"
    lines = ['print("⚓🚢 서명 오류")', 'raise SystemExit("E4217: 서명")']
    file.write_text("\n".join([*lines, ""]), "utf-8")
    first, citation, last = vim.play(
        """
        call UserGoTo('E4217')
        call UserChoose('cite')
        call UserAwait('the citation', {-> line('$') > 2})
        return UserLines()
        """,
        file,
    )
    assert [first, last] == lines
    assert citation.startswith("# ")
    assert "E4217" in citation


def test_open_says_where_the_match_is(vim: Vim) -> None:
    said = vim.play("""
        set columns=40 " What is longer is shown in a window.
        call UserGoTo('E4217')
        call UserChoose('open wiki: Signing errors')
        return UserAwait('the place', {-> UserPreview()})
    """)
    assert said.endswith("docs/wiki/e42xx-signing-errors.md:10")


def test_search_fills_the_quickfix_list(vim: Vim) -> None:
    title, texts, place = vim.play("""
        PriorArt E4217
        call UserAwait('the list', {-> getqflist()})
        let l:texts = map(getqflist(), 'v:val.text')
        execute 'cc ' . (index(l:texts, 'wiki: Signing errors') + 1)
        return [getqflist({'title': 1}).title, l:texts, expand('%:t') . ':' . line('.')]
    """)
    assert title == "Prior art: E4217: 9 found, complete"
    assert {text.partition(":")[0] for text in texts} == {"memory", "wiki", "board", "contracts"}
    assert place == "e42xx-signing-errors.md:10"


def test_search_asks_about_the_word_right_of_hangul_too(vim: Vim) -> None:
    file = vim.workspace / "src" / "wide.py"
    file.write_text('print("⚓🚢 서명 오류", "E4217")\n', "utf-8")
    title = vim.play(
        """
        call UserGoTo('E4217')
        PriorArt
        call UserAwait('the list', {-> getqflist()})
        return getqflist({'title': 1}).title
        """,
        file,
    )
    assert title == "Prior art: E4217: 9 found, complete"


def test_search_says_that_nothing_is_known_and_what_is_wrong(vim: Vim) -> None:
    nothing, wrong = vim.play("""
        PriorArt E9999
        let l:nothing = UserAwait('an answer', {-> matchstr(execute('messages'), 'Prior art: E9999[^\\n]*')})
        execute 'PriorArt' repeat('long', 60)
        return [l:nothing, UserAwait('a failure', {-> matchstr(execute('messages'), 'prior-art: [^\\n]*')})]
    """)
    assert nothing == "Prior art: E9999: 0 found, complete"
    assert "240 characters" in wrong


def test_search_where_no_server_is_says_what_to_do(vim: Vim) -> None:
    file = vim.workspace / "main.c"
    file.write_text("E4217\n", "utf-8")
    said = vim.play(
        """
        PriorArt E4217
        return UserAwait('a failure', {-> matchstr(execute('messages'), 'prior-art: [^\\n]*')})
        """,
        file,
    )
    assert "g:ale_linters" in said


def test_the_root_may_have_blanks_in_its_name(vim: Vim) -> None:
    root = vim.workspace / "grand, old harbour"
    (root / "docs" / "wiki").mkdir(parents=True)
    assert root_of(vim, root / "b c" / "quay.py") == str(root)


def test_the_root_of_a_worktree_is_where_its_file_is(vim: Vim) -> None:
    root = vim.home / "tree"
    root.mkdir()
    (root / ".git").write_text("gitdir: ../harbour/.git/worktrees/tree\n", "utf-8")
    assert root_of(vim, root / "a" / "b" / "x.py") == str(root)
    (root / "a" / ".masc").mkdir()
    assert root_of(vim, root / "a" / "b" / "x.py") == str(root / "a")


def test_without_store_and_repository_the_root_is_the_folder(vim: Vim) -> None:
    (vim.home / ".masc").mkdir()
    assert root_of(vim, vim.home / "a" / "b" / "x.py") == str(vim.home / "a" / "b")


def root_of(vim: Vim, file: Path) -> str:
    """The root that ALE takes for a file, which is made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    root = vim.play(
        """
        let l:linters = filter(ale#linter#GetAll(['python']), {_, linter -> linter.name is# 'prior_art'})
        return ale#lsp_linter#FindProjectRoot(bufnr(''), l:linters[0])
        """,
        file,
    )
    return str(root).rstrip("/")


def test_search_names_what_could_not_be_read(vim: Vim) -> None:
    (vim.workspace / "docs" / "wiki" / "tides.md").write_bytes(b"# Tides\n\xff\xfe\xfa\n")
    title, texts = vim.play("""
        PriorArt E9999
        call UserAwait('the list', {-> getqflist()})
        return [getqflist({'title': 1}).title, map(getqflist(), 'v:val.text')]
    """)
    assert title == "Prior art: E9999: 0 found, incomplete"
    assert len(texts) == 1
    assert "tides.md: not valid UTF-8" in texts[0]


def test_a_store_that_changes_is_seen_and_a_restart_survived(vim: Vim) -> None:
    page = vim.workspace / "docs" / "wiki" / "tides.md"
    found, hover, servers = vim.play(f"""
        let l:before = UserTitleOfAnswer('E9999')
        call writefile(['# High tides', '', 'E9999 is a high tide.'], {json.dumps(str(page))})
        call UserAwait('the new page', {{-> UserTitleOfAnswer('E9999') =~# '1 found'}})
        cclose
        let l:found = [l:before] + map(getqflist(), 'v:val.text')
        ALEStopAllLSPs
        call UserAwait('the end of the server', {{-> empty(UserServers())}})
        call UserGoTo('E4217')
        return [l:found, UserHover('Prior art'), UserServers()]
    """)
    assert found == ["Prior art: E9999: 0 found, complete", "wiki: High tides"]
    assert "wiki: Signing errors" in hover
    assert servers == 1
