"""Hover and code actions in real Neovims, beside other servers, and the life of the server."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from neovim_runner import PLUGIN, Neovim, block, lua

SECOND_SERVER = Path(__file__).with_name("second_server.py")
MUTE_SERVER = Path(__file__).with_name("mute_server.py")


def second_server() -> str:
    """Lua that attaches another server to the open file."""
    return f"user.start_server('second', {{ {lua(sys.executable)}, {lua(SECOND_SERVER)} }})"


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


@pytest.mark.parametrize("first", ["prior_art", "second"])
def test_hover_beside_another_server_holds_both(any_neovim: Neovim, first: str) -> None:
    seen = any_neovim.play(
        f"""
        user.await_server()
        {second_server()}
        if '{first}' == 'second' then
          vim.cmd('PriorArtRestart')
          user.await_server()
        end
        local ids = {{ prior_art = user.clients()[1].id, second = user.clients('second')[1].id }}
        local seen = {{ ids = ids, hover = user.hover('E4217'), windows = #vim.api.nvim_list_wins() }}
        user.type('K')
        user.await('the hover to be entered', function()
          return vim.api.nvim_win_get_config(0).relative ~= ''
        end)
        seen.messages = user.messages()
        return seen
        """,
        init=block("keymap.set('n', 'K'"),
    )
    assert min(seen["ids"], key=seen["ids"].get) == first
    assert "An exception is raised here." in seen["hover"]
    assert "e42xx-signing-errors.md" in seen["hover"]
    assert "# prior_art\n" in seen["hover"]
    assert "# second\n" in seen["hover"]
    assert seen["windows"] == 2
    assert seen["messages"] == ""


def test_hover_of_another_server_alone_stays_as_it_is(any_neovim: Neovim) -> None:
    seen = any_neovim.play(f"""
        user.await_server()
        {second_server()}
        return {{ hover = user.hover('raise '), messages = user.messages() }}
    """)
    assert seen["hover"].strip() == "An exception is raised here."
    assert seen["messages"] == ""


def test_hover_is_silent_where_nobody_knows_anything(any_neovim: Neovim) -> None:
    seen = any_neovim.play(
        f"""
        user.await_server()
        {second_server()}
        user.go_to('import annotations')
        user.type('K')
        return {{ answer = user.hover_answer() or '', hover = user.float() or '', messages = user.messages() }}
        """,
        init=block("keymap.set('n', 'K'"),
    )
    assert seen == {"answer": "", "hover": "", "messages": ""}


def test_settings_of_the_page_reach_the_server(any_neovim: Neovim) -> None:
    settings = block("settings = { priorArt")
    if any_neovim.init != block("vim.lsp.enable('prior_art')"):
        given = settings[settings.index("{ priorArt") : settings.rindex("}")]
        settings = f"require('prior_art').setup({{ settings = {given} }})"
    hover = any_neovim.play(
        """
        user.await_server()
        user.go_to('E4217')
        user.await('the settings', function() return not user.hover_answer():find('memory') end)
        return user.hover('E4217')
        """,
        init=any_neovim.init + settings,
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


def test_a_file_without_a_type_is_served_before_0_11_2(neovim: Neovim) -> None:
    hover = neovim.play(
        "user.await_server() return user.hover('E3104')",
        file="build.log",
        init="vim.lsp.is_enabled = nil\n" + neovim.init,
    )
    assert "E3104" in hover


@pytest.mark.parametrize("home", ["/", "-link"])
def test_the_home_folder_is_no_root(any_neovim: Neovim, home: str) -> None:
    (any_neovim.home / ".git").mkdir()
    (any_neovim.home / "plain.py").write_text("E4217 = 1\n", "utf-8")
    link = any_neovim.home.with_name(any_neovim.home.name + "-link")
    link.symlink_to(any_neovim.home)
    roots = any_neovim.play(
        """
        local function root_of(file)
          local root
          require('prior_art.client').config().root_dir(vim.fn.bufadd(file), function(found) root = found end)
          return root or 'none'
        end
        return { root_of('~/plain.py'), root_of('src/signing.py') }
        """,
        environment={"HOME": f"{any_neovim.home}{home}"},
    )
    assert roots == ["none", str(any_neovim.workspace)]


def test_without_setup_nothing_happens(any_neovim: Neovim) -> None:
    # By the time that the other server answers, ours would have been started.
    seen = any_neovim.play(
        f"{second_server()} return {{ programs = user.programs(), messages = user.messages() }}",
        init=any_neovim.init.splitlines()[0],
    )
    assert seen == {"programs": 1, "messages": ""}


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
        f"""
        {second_server()}
        local messages = user.messages()
        vim.cmd('PriorArt E4217')
        return {{ programs = user.programs(), before = messages, after = user.messages() }}
        """,
        file=str(lonely),
    )
    assert seen["programs"] == 1
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


def test_every_file_of_a_killed_server_has_the_next_one(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        local first = vim.api.nvim_get_current_buf()
        vim.cmd('edit scripts/deploy.sh')
        user.await_server()
        vim.fn.mkdir('other/docs/wiki', 'p')
        vim.cmd('edit other/note.md')
        user.await_server()
        for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
          vim.loop.kill(pid, 9)
        end
        user.await('the end of both', function() return #user.clients() == 0 end)
        vim.cmd('buffer ' .. first)
        vim.cmd('PriorArt E4217')
        user.await_quickfix()
        vim.cmd('cclose')
        local seen = {}
        for _, file in ipairs({ 'src/signing.py', 'scripts/deploy.sh', 'other/note.md' }) do
          vim.cmd('edit ' .. file)
          user.await_server()
          table.insert(seen, vim.fn.expand('%:t'))
        end
        seen[4] = #user.clients()
        return seen
    """)
    assert seen == ["signing.py", "deploy.sh", "note.md", 2]


def test_a_killed_server_of_another_root_is_started_for_its_file(any_neovim: Neovim) -> None:
    (any_neovim.workspace / "other" / "docs" / "wiki").mkdir(parents=True)
    (any_neovim.workspace / "other" / "docs" / "wiki" / "a.md").write_text("# Buoys\n\nE7777\n", "utf-8")
    entries = any_neovim.play("""
        user.await_server()
        vim.cmd('edit other/note.md')
        user.await_server()
        local before = #user.clients()
        for _, client in ipairs(user.clients()) do
          if vim.lsp.buf_is_attached(0, client.id) then
            vim.lsp.stop_client(client.id, true)
          end
        end
        user.await('its end', function() return #user.clients() < before end)
        vim.cmd('PriorArt E7777')
        return user.await_quickfix().entries
    """)
    assert [entry["file"] for entry in entries] == ["a.md"]


@pytest.mark.parametrize(
    ("answers", "stop"), [(0, ""), (1, ""), (1, "vim.lsp.stop_client(user.clients()[1].id)")]
)
def test_a_server_that_hangs_is_replaced(any_neovim: Neovim, answers: int, stop: str) -> None:
    first = any_neovim.home / "first"
    first.touch()
    mute = shlex.join([sys.executable, str(MUTE_SERVER), str(answers)])
    shebang, _, real = any_neovim.launcher.read_text("utf-8").partition("\n")
    choice = f"if rm {shlex.quote(str(first))} 2> /dev/null; then exec {mute}; fi"
    any_neovim.launcher.write_text(f"{shebang}\n{choice}\n{real}", "utf-8")
    seen = any_neovim.play(f"""
        user.await('the server that hangs', function()
          return not vim.loop.fs_stat({lua(first)}) and ({answers} == 0 or user.is_attached())
        end)
        {stop}
        vim.cmd('PriorArtRestart')
        user.await_server()
        local seen = {{ hover = user.hover('E4217') }}
        seen.clients, seen.programs, seen.messages = #user.clients(), user.programs(), user.messages()
        return seen
    """)
    assert "Signing errors" in seen["hover"]
    assert seen["clients"] == 1
    assert seen["programs"] == 1
    assert seen["messages"] == ""


def test_a_server_that_ends_at_once_is_not_waited_for(any_neovim: Neovim) -> None:
    seen = any_neovim.play(
        """
        local wait, has_waited_in_vain = vim.wait, false
        vim.wait = function(...)
          local ok, reason = wait(...)
          has_waited_in_vain = has_waited_in_vain or not ok
          return ok, reason
        end
        vim.cmd('PriorArt E4217')
        vim.wait = wait
        return { in_vain = has_waited_in_vain, messages = user.messages() }
        """,
        init=any_neovim.init.splitlines()[0] + "\nrequire('prior_art').setup({ cmd = { 'false' } })",
    )
    assert not seen["in_vain"]
    assert "no server runs for this file; :checkhealth prior_art says why" in seen["messages"]


def test_a_store_that_changes_is_seen(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
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
