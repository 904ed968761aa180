"""Hover and code actions in real Neovims, beside other servers, and the life of the server."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from neovim_runner import PLUGIN, Neovim, block

SECOND_SERVER = Path(__file__).with_name("second_server.py")


def second_server(name: str = "second") -> str:
    """Lua that attaches another server to the open file."""
    cmd = f"{{ {json.dumps(sys.executable)}, {json.dumps(str(SECOND_SERVER))} }}"
    return f"""
        vim.lsp.start({{ name = '{name}', cmd = {cmd}, root_dir = vim.fn.getcwd() }})
        user.await_server('{name}')
    """


def test_hover_says_what_is_known(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        local client = user.clients()[1]
        local hover = user.hover('E4217')
        return {
          hover = hover,
          messages = user.messages(),
          encoding = client.offset_encoding,
          root = client.config.root_dir,
        }
    """)
    assert "Prior art" in seen["hover"]
    assert "Signing errors" in seen["hover"]
    assert seen["messages"] == ""
    assert seen["encoding"] == "utf-16"
    assert Path(seen["root"]) == any_neovim.workspace


def test_hover_beside_another_server_holds_both(neovim: Neovim) -> None:
    seen = neovim.play(f"""
        user.await_server()
        {second_server()}
        return {{ hover = user.hover('E4217'), messages = user.messages() }}
    """)
    assert "An exception is raised here." in seen["hover"]
    assert "e42xx-signing-errors.md" in seen["hover"]
    assert seen["messages"] == ""


def test_hover_of_another_server_alone_stays_as_it_is(neovim: Neovim) -> None:
    seen = neovim.play(f"""
        user.await_server()
        {second_server()}
        return {{ hover = user.hover('raise '), messages = user.messages() }}
    """)
    assert seen["hover"].strip() == "An exception is raised here."
    assert seen["messages"] == ""


def test_hover_of_the_page_is_silent_where_nothing_is_known(neovim: Neovim) -> None:
    seen = neovim.play(
        """
        user.await_server()
        user.go_to('import annotations')
        user.type('K')
        return { answer = user.hover_answer() or '', hover = user.float() or '', messages = user.messages() }
        """,
        init=neovim.init + block("hover({ silent"),
    )
    assert seen == {"answer": "", "hover": "", "messages": ""}


def test_settings_of_the_page_reach_the_server(neovim: Neovim) -> None:
    hover = neovim.play(
        """
        user.await_server()
        user.go_to('E4217')
        user.await('the settings', function() return not user.hover_answer():find('memory') end)
        return user.hover('E4217')
        """,
        init=neovim.init + block("settings = { priorArt"),
    )
    assert "contract" in hover
    assert "memory" not in hover


def test_emoji_and_hangul_before_the_token(any_neovim: Neovim) -> None:
    line = 's = "😀 서명 키 👩‍🚀", "E4217", 1'
    (any_neovim.workspace / "src" / "emoji.py").write_text(line + "\n", "utf-8")
    seen = any_neovim.play(
        """
        user.await_server()
        local hover = user.hover('4217')
        vim.cmd('only')
        user.will_choose('Prior art: cite')
        user.go_to('E4217')
        vim.lsp.buf.code_action()
        user.await('a citation', function() return #user.lines() > 1 end)
        return { hover = hover, lines = user.lines() }
        """,
        file="src/emoji.py",
    )
    assert "E4217" in seen["hover"]
    assert line in seen["lines"]
    assert len(seen["lines"]) == 2


def test_code_actions_copy_open_and_cite(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        local function act(choice)
          user.go_to('E4217')
          local offered = user.will_choose(choice)
          vim.lsp.buf.code_action()
          user.await('a menu', function() return #offered > 0 end)
          return offered[1]
        end
        local seen = { offered = act('Prior art: copy') }
        seen.copied = user.await_message('copied')
        seen.register = vim.fn.getreg('"')
        act('open wiki: Signing errors')
        user.await('the page', function() return vim.fn.expand('%:t') == 'e42xx-signing-errors.md' end)
        seen.line = vim.fn.line('.')
        vim.cmd('buffer signing.py')
        local before = #user.lines()
        act('Prior art: cite memory')
        user.await('a citation', function() return #user.lines() == before + 1 end)
        seen.cited = vim.fn.getline(vim.fn.search('"E4217"') - 1)
        return seen
    """)
    titles = "\n".join(seen["offered"])
    for action in ("open", "cite", "copy", "show all 9 matches"):
        assert f"Prior art: {action}" in titles
    assert "Refuse a rotation while the clock is off" in seen["register"]
    lines = len(seen["register"].splitlines())
    assert seen["copied"] == f"prior-art: copied {lines} lines"
    assert seen["line"] == 10
    assert seen["cited"].lstrip().startswith("# ")
    assert "E4217 means that" in seen["cited"]


def test_a_contract_is_inserted_into_a_plan(any_neovim: Neovim) -> None:
    seen = any_neovim.play(
        """
        user.await_server()
        local before = #user.lines()
        user.go_to('E4217')
        user.will_choose('Prior art: insert')
        vim.lsp.buf.code_action()
        user.await('a unit-work', function() return #user.lines() > before end)
        return user.text()
        """,
        file=".gem-squared/work-plan/WP-ST-15.md",
    )
    assert "Refuse a rotation while the clock is off | STATUS: PENDING" in seen


def test_all_matches_are_shown_as_a_page(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        user.go_to('E4217')
        user.will_choose('show all')
        vim.lsp.buf.code_action()
        user.await('a page', function() return vim.bo.buftype == 'nofile' end)
        local seen = { name = vim.fn.bufname(), text = user.text(), type = vim.bo.filetype }
        seen.modifiable = vim.bo.modifiable
        seen.windows = { vim.fn.winnr('$') }
        seen.places = {}
        for _, text in ipairs({ 'Signing errors', '### WP-ST-12', '^B: ' }) do
          user.go_to(text)
          user.type('gf')
          table.insert(seen.places, vim.fn.expand('%:t') .. ':' .. vim.fn.line('.'))
          vim.cmd('wincmd w')
        end
        table.insert(seen.windows, vim.fn.winnr('$'))
        user.type('q')
        table.insert(seen.windows, vim.fn.winnr('$'))
        seen.messages = user.messages()
        return seen
    """)
    assert seen["name"] == "prior-art://E4217"
    assert seen["text"].startswith("# Prior art: `E4217`")
    assert "\n- Signing errors\n  docs/wiki/e42xx-signing-errors.md:10\n" in seen["text"]
    assert "file:" not in seen["text"]
    assert seen["type"] == "markdown"
    assert not seen["modifiable"]
    assert seen["places"] == ["e42xx-signing-errors.md:10", "WP-ST-12.md:24", "WP-ST-12.md:24"]
    assert seen["windows"] == [2, 2, 1]
    assert seen["messages"] == ""


def test_a_file_without_a_type_is_served(any_neovim: Neovim) -> None:
    hover = any_neovim.play("user.await_server() return user.hover('E3104')", file="build.log")
    assert "E3104" in hover


def test_the_configuration_alone_works_and_promises_no_more(neovim: Neovim) -> None:
    alone = neovim.home / "alone"
    shutil.copytree(PLUGIN / "lsp", alone / "lsp")
    seen = neovim.play(
        """
        user.await_server()
        local hover = user.hover('E4217')
        local offered = user.will_choose()
        vim.lsp.buf.code_action()
        user.await('a menu', function() return #offered > 0 end)
        return { hover = hover, offered = offered[1] }
        """,
        init=f"vim.opt.runtimepath:append('{alone}')\nvim.lsp.enable('prior_art')",
    )
    assert "Signing errors" in seen["hover"]
    assert any(title.startswith("Prior art: open") for title in seen["offered"])
    assert not [title for title in seen["offered"] if "copy" in title or "show all" in title]


def test_a_file_outside_of_every_root_starts_nothing(any_neovim: Neovim) -> None:
    lonely = any_neovim.home / "lonely.py"
    lonely.write_text("E4217 = 1\n", "utf-8")
    seen = any_neovim.play(
        """
        vim.wait(300)
        local messages = user.messages()
        vim.cmd('PriorArt E4217')
        return { clients = #user.clients(), before = messages, after = user.messages() }
        """,
        file=str(lonely),
    )
    assert seen["clients"] == 0
    assert seen["before"] == ""
    assert seen["after"] == "prior-art: no server runs for this file; :checkhealth prior_art says why"


def test_two_files_of_a_root_share_one_server(any_neovim: Neovim) -> None:
    clients = any_neovim.play("""
        vim.cmd('edit scripts/deploy.sh')
        user.await_server()
        vim.cmd('edit README.md')
        user.await_server()
        return #user.clients()
    """)
    assert clients == 1


def test_a_killed_server_is_reported_and_started_again(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        local function id() return user.clients()[1].id end
        local first = id()
        for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
          vim.loop.kill(pid, 9)
        end
        local seen = { messages = user.await_message('quit with exit code') }
        vim.cmd('PriorArt E4217')
        seen.found = #user.await_quickfix().entries
        vim.cmd('cclose')
        local second = id()
        vim.cmd('PriorArtRestart')
        user.await('another server', function() return user.is_attached() and id() > second end)
        seen.hover, seen.clients, seen.is_new = user.hover('E4217'), #user.clients(), second > first
        return seen
    """)
    assert "signal 9" in seen["messages"]
    assert seen["is_new"]
    assert seen["found"] == 9
    assert "E4217" in seen["hover"]
    assert seen["clients"] == 1


def test_a_store_that_changes_is_seen(neovim: Neovim) -> None:
    seen = neovim.play("""
        user.await_server()
        vim.cmd('PriorArt E9999')
        local before = user.await_message('E9999')
        vim.fn.writefile({ '# Tides', '', 'E9999 means high water.' }, 'docs/wiki/tides.md')
        user.await('the new page', function()
          vim.cmd('PriorArt E9999')
          vim.wait(200)
          return #vim.fn.getqflist() > 0
        end)
        return { before = before, after = user.quickfix().entries[1] }
    """)
    assert (
        seen["before"]
        == 'prior-art: nothing known about "E9999" in memory, wiki, board, contracts, knowledge'
    )
    assert seen["after"]["file"] == "tides.md"
    assert seen["after"]["line"] == 3
