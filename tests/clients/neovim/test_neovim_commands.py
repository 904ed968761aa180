"""The user commands in real Neovims: lists, pages, pickers, health and help."""

from __future__ import annotations

import re
import shutil

from neovim_runner import PAGE, PLUGIN, Neovim, block, blocks

KNOWN = ["memory", "memory", "memory", "wiki", "wiki", "wiki", "board", "board", "contracts"]
"""The sources of what harbour knows about E4217, in order."""


def test_matches_fill_the_quickfix_list(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        vim.cmd('PriorArt E4217')
        local seen = { list = user.await_quickfix(), window = vim.bo.buftype, messages = user.messages() }
        vim.cmd('cfirst')
        seen.fact = vim.fn.expand('%:t')
        vim.cmd('4cc')
        seen.page = vim.fn.expand('%:t') .. ':' .. vim.fn.line('.')
        return seen
    """)
    entries = seen["list"]["entries"]
    assert seen["list"]["title"] == "Prior art: E4217"
    assert [entry["text"].partition(":")[0] for entry in entries] == KNOWN
    assert entries[3] == {
        "text": "wiki: Signing errors",
        "line": 10,
        "valid": True,
        "file": "e42xx-signing-errors.md",
    }
    assert entries[8]["text"].endswith("(archive · SUCCESS · weak)")
    assert seen["window"] == "quickfix"
    assert seen["messages"] == 'prior-art: 9 matches about "E4217"'
    assert seen["fact"] == "keeper-tide.memory-current.json"
    assert seen["page"] == "e42xx-signing-errors.md:10"


def test_without_an_argument_the_cursor_or_the_selection_is_asked_about(any_neovim: Neovim) -> None:
    titles = any_neovim.play("""
        user.await_server()
        local function title_after(keys)
          vim.fn.setqflist({}, 'r', { items = {} })
          user.type(keys)
          local title = user.await_quickfix().title
          vim.cmd('cclose')
          return title
        end
        local titles = {}
        user.go_to('ST-12')
        table.insert(titles, title_after(':PriorArt<CR>'))
        user.go_to('signing clock is')
        table.insert(titles, title_after('v2e:PriorArt<CR>'))
        vim.fn.setline(1, '서명 키 교체')
        user.go_to('키')
        table.insert(titles, title_after('v:PriorArt<CR>'))
        vim.o.selection = 'exclusive'
        table.insert(titles, title_after('v:PriorArt<CR>'))
        user.go_to('E4217"')
        table.insert(titles, title_after('ve:PriorArt<CR>'))
        return titles
    """)
    assert titles == [
        "Prior art: WP-ST-12",
        "Prior art: signing clock",
        "Prior art: 키",
        "Prior art: 키",
        "Prior art: E4217",
    ]


def test_a_marked_block_is_asked_about(any_neovim: Neovim) -> None:
    title = any_neovim.play("""
        user.await_server()
        vim.fn.setline(1, { '키 E4217 bbb', '서 E4218 ddd' })
        user.go_to('E4217')
        user.type('<C-v>j4l:PriorArt<CR>')
        return user.await_message('E4217')
    """)
    assert 'about "E4217 E4218"' in title


def test_sources_may_be_named_and_are_completed(neovim: Neovim) -> None:
    seen = neovim.play("""
        user.await_server()
        vim.cmd('PriorArt source=wiki,board E4217')
        local seen = { list = user.await_quickfix() }
        seen.first = vim.fn.getcompletion('PriorArt source=w', 'cmdline')
        seen.second = vim.fn.getcompletion('PriorArt! source=wiki,b', 'cmdline')
        seen.query = vim.fn.getcompletion('PriorArt source=wiki s', 'cmdline')
        vim.fn.setqflist({}, 'r', { items = {} })
        vim.cmd('cclose')
        user.go_to('E4217')
        vim.cmd('PriorArt source=wiki')
        seen.at_cursor = user.await_quickfix()
        vim.cmd('cclose')
        vim.cmd('PriorArt source=attic E4217')
        seen.unknown = user.await_message('attic')
        return seen
    """)
    assert {entry["text"].partition(":")[0] for entry in seen["list"]["entries"]} == {"wiki", "board"}
    assert seen["first"] == ["source=wiki"]
    assert seen["second"] == ["source=wiki,board"]
    assert seen["query"] == []
    assert seen["at_cursor"]["title"] == "Prior art: E4217"
    assert {entry["text"].partition(":")[0] for entry in seen["at_cursor"]["entries"]} == {"wiki"}
    assert "prior-art: unknown source 'attic'" in seen["unknown"]


def test_sources_are_named_by_what_is_typed_alone(any_neovim: Neovim) -> None:
    messages = any_neovim.play("""
        user.await_server()
        vim.fn.setline(1, { 'source=config.path', 'E4217' })
        user.go_to('source=config.path')
        user.type('v$h:PriorArt<CR>')
        local messages = { user.await_message('config.path') }
        vim.cmd('messages clear')
        vim.cmd('PriorArtKg source=config.path')
        table.insert(messages, user.await_message('config.path'))
        user.go_to('E4217')
        user.type('viw:PriorArt source=wiki<CR>')
        table.insert(messages, user.await_quickfix().title)
        return messages
    """)
    assert messages[0].startswith('prior-art: nothing known about "source=config.path" in memory, wiki')
    assert messages[1].startswith('prior-art: nothing known about "source=config.path" in contracts')
    assert messages[2] == "Prior art: E4217"


def test_contracts_and_knowledge_have_commands_of_their_own(neovim: Neovim) -> None:
    seen = neovim.play("""
        user.await_server()
        vim.cmd('PriorArtKg rotate signing key')
        local seen = { contracts = user.await_quickfix() }
        vim.fn.setqflist({}, 'r', { items = {} })
        vim.cmd('PriorArtKnowledge how is a release frozen')
        seen.knowledge = user.await_quickfix()
        vim.fn.setqflist({}, 'r', { items = {} })
        vim.cmd('edit scripts/deploy.sh')
        vim.cmd('PriorArtFile')
        seen.file = user.await_quickfix()
        return seen
    """)
    assert {entry["text"].partition(":")[0] for entry in seen["contracts"]["entries"]} == {"contracts"}
    assert seen["knowledge"]["entries"][0]["file"] == "freeze-a-release.md"
    assert seen["file"]["title"] == "Prior art: deploy.sh"
    assert "deploying.md" in [entry["file"] for entry in seen["file"]["entries"]]


def test_a_gap_is_an_entry_and_keeps_from_saying_nothing_known(neovim: Neovim) -> None:
    broken = neovim.workspace / ".masc" / "config" / "keepers" / "keeper-quay.memory-current.json"
    broken.write_text("{", "utf-8")
    seen = neovim.play("""
        user.await_server()
        vim.cmd('PriorArt E9999')
        local seen = { nothing = user.await_message('E9999') }
        vim.cmd('messages clear')
        vim.cmd('PriorArt E4217')
        seen.last = user.await_quickfix().entries[10]
        seen.something = user.messages()
        return seen
    """)
    assert seen["nothing"].startswith(
        'prior-art: nothing found about "E9999", but not everything could be searched'
    )
    assert "memory incomplete: keeper-quay.memory-current.json: " in seen["nothing"]
    assert seen["last"]["text"].startswith("⚠ memory incomplete: keeper-quay.memory-current.json: ")
    assert not seen["last"]["valid"]
    assert seen["something"] == 'prior-art: 9 matches about "E4217"; not everything could be searched'


def test_with_a_bang_a_page_floats(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        vim.cmd('PriorArt! E4217')
        user.await('a page', user.float)
        local seen = { page = user.float() }
        user.go_to('Signing errors')
        user.type('<CR>')
        seen.opened, seen.float, seen.windows = vim.fn.expand('%:t'), user.float() or '', vim.fn.winnr('$')
        vim.cmd('PriorArt! E9999')
        user.await('a page', user.float)
        seen.nothing = user.float()
        user.type('q')
        seen.closed = user.float() == nil
        return seen
    """)
    assert seen["page"].startswith("# Prior art: `E4217`")
    assert (seen["opened"], seen["float"], seen["windows"]) == ("e42xx-signing-errors.md", "", 1)
    assert "nothing known about" in seen["nothing"]
    assert seen["closed"]


def test_a_place_with_brackets_and_blanks_is_opened_from_a_page(neovim: Neovim) -> None:
    (neovim.workspace / "docs" / "wiki" / "[old] tides (2).md").write_text("# [Tides]\n\nE9999\n", "utf-8")
    seen = neovim.play("""
        user.await_server()
        vim.cmd('PriorArt! E9999')
        user.await('a page', user.float)
        local seen = { page = user.lines() }
        user.go_to('tides')
        user.type('gf')
        seen.opened = vim.fn.expand('%:t')
        return seen
    """)
    assert seen["opened"] == "[old] tides (2).md"
    assert not [line for line in seen["page"] if "file:" in line]


def test_what_only_looks_like_a_link_is_text(any_neovim: Neovim) -> None:
    tides = any_neovim.workspace / "docs" / "wiki" / "tides.md"
    tides.write_text("# See [notes](file:notes.md) `[x](file:y)`\n\nE9999 ](file:z)\n", "utf-8")
    seen = any_neovim.play("""
        user.await_server()
        local seen = {}
        for _, query in ipairs({ 'E9999', 'see [x](file:y)', '](file:z' }) do
          vim.cmd('PriorArt! ' .. query)
          user.await('a page', user.float)
          table.insert(seen, user.float())
          vim.cmd('close')
        end
        vim.cmd('PriorArt! E9999')
        user.await('a page', user.float)
        user.go_to('See')
        user.type('gf')
        table.insert(seen, vim.fn.expand('%:t'))
        return seen
    """)
    assert "(file:notes.md" in seen[0].replace("\\", "")
    assert "[x](file:y)" in seen[1].replace("\\", "")
    assert "](file:z" in seen[2].replace("\\", "")
    assert seen[3] == "tides.md"


def test_a_list_keeps_its_window(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        user.await_server()
        vim.cmd('PriorArt E4217')
        user.await_quickfix()
        local seen = { from = vim.bo.buftype }
        vim.cmd('PriorArt! E4217')
        user.await('a page', user.float)
        user.go_to('Signing errors')
        user.type('<CR>')
        seen.page = { vim.bo.buftype, vim.fn.expand('%:t'), vim.fn.winnr('$') }
        vim.cmd('copen')
        user.will_choose('wiki: Signing errors')
        vim.cmd('PriorArtPick E4217')
        user.await('the file', function() return vim.bo.buftype == '' end)
        seen.picked = { vim.fn.expand('%:t'), vim.fn.winnr('$') }
        vim.cmd('copen | only')
        user.will_choose('wiki: Signing errors')
        vim.cmd('PriorArtPick E4217')
        user.await('the file', function() return vim.bo.buftype == '' end)
        seen.alone = { vim.fn.expand('%:t'), vim.fn.winnr('$') }
        return seen
    """)
    page = "e42xx-signing-errors.md"
    assert seen == {"from": "quickfix", "page": ["", page, 2], "picked": [page, 2], "alone": [page, 2]}


def test_a_page_of_a_choice_is_about_the_same_sources(neovim: Neovim) -> None:
    page = neovim.play("""
        user.await_server()
        user.will_choose('memory: ', 'page')
        vim.cmd('PriorArtActions source=memory rotate signing key')
        user.await('a page', function() return vim.bo.buftype == 'nofile' end)
        return user.text()
    """)
    assert "## Memory" in page
    assert "contract" not in page.lower()


def test_a_page_shows_contracts_letter_by_letter_and_no_escapes(any_neovim: Neovim) -> None:
    plan = any_neovim.workspace / ".gem-squared" / "archive" / "WP-ST-12.md"
    text = plan.read_text("utf-8")
    plan.write_text(text.replace("- A: `rot", "- A: E9999 ends in \\.md\\(x\\)$, `rot"), "utf-8")
    tides = any_neovim.workspace / "docs" / "wiki" / "tides.md"
    tides.write_text("# High *water* [old]\n\nE9999\n", "utf-8")
    seen = any_neovim.play("""
        user.await_server()
        vim.o.columns, vim.o.lines = 160, 60
        local function page_of(query)
          vim.cmd('PriorArt! ' .. query)
          user.await('a page', user.float)
          -- The screen of an editor without one has no floats.
          vim.cmd('wincmd J | only')
          return user.screen()
        end
        local seen = { escaped = page_of('E9999'), text = user.text() }
        seen.code = page_of([[\\.zip]])
        return seen
    """)
    assert r"High \*water\* \[old\]" in seen["text"]
    assert "High *water* [old]" in seen["escaped"]
    assert r"A: E9999 ends in \.md\(x\)$, " in seen["escaped"]
    assert r"\.zip" in seen["code"].partition("\n")[0]


def test_the_options_of_a_page_go_with_it(any_neovim: Neovim) -> None:
    seen = any_neovim.play("""
        vim.cmd('set nowrap conceallevel=0')
        user.await_server()
        local function options()
          return { vim.wo.wrap, vim.wo.linebreak, vim.wo.conceallevel, vim.wo.concealcursor }
        end
        local function await_page()
          user.await('a page', function() return vim.bo.buftype == 'nofile' end)
          return options()
        end
        vim.cmd('PriorArtStatus')
        local seen = { page = await_page() }
        vim.cmd('edit README.md')
        seen.edited = options()
        vim.cmd('only')
        user.go_to('.')
        user.will_choose('wiki: Signing errors', 'page')
        vim.cmd('PriorArtActions E4217')
        await_page()
        vim.cmd('only')
        user.go_to('Signing errors')
        user.type('gf')
        seen.followed, seen.file, seen.windows = options(), vim.fn.expand('%:t'), vim.fn.winnr('$')
        return seen
    """)
    assert seen["page"] == [True, True, 2, "nc"]
    assert seen["edited"] == [False, False, 0, ""]
    assert seen["followed"] == [False, False, 0, ""]
    assert (seen["file"], seen["windows"]) == ("e42xx-signing-errors.md", 2)


def test_the_stores_are_a_page(neovim: Neovim) -> None:
    page = neovim.play(
        """
        vim.cmd('PriorArtStatus')
        user.await('a page', function() return vim.bo.buftype == 'nofile' end)
        return user.text()
        """,
        file="",
    )
    assert page.startswith("# Prior art: the stores")
    assert "**Contracts**: complete, 8 unit-works in 3 files" in page


def test_a_match_is_chosen_and_opened(neovim: Neovim) -> None:
    seen = neovim.play("""
        user.await_server()
        local offered = user.will_choose('Signing errors')
        vim.cmd('PriorArtPick E4217')
        user.await('the page', function() return vim.fn.expand('%:t') == 'e42xx-signing-errors.md' end)
        vim.cmd('PriorArtPick E9999')
        return { offered = offered[1], line = vim.fn.line('.'), message = user.await_message('E9999') }
    """)
    assert len(seen["offered"]) == 9
    assert seen["offered"][3] == "wiki: Signing errors (docs/wiki/e42xx-signing-errors.md:10)"
    assert seen["line"] == 10
    assert "nothing known" in seen["message"]


def test_a_match_in_the_changed_file_itself_is_gone_to(any_neovim: Neovim) -> None:
    seen = any_neovim.play(
        """
        user.await_server()
        vim.fn.setline(1, { 'changed', 'E4217' })
        local function is_there() return vim.bo.buftype == '' and vim.fn.line('.') == 10 end
        user.will_choose('Signing errors')
        vim.cmd('PriorArtPick source=wiki E4217')
        user.await('the line of the match', is_there)
        vim.cmd('1')
        user.will_choose('open wiki: Signing errors')
        user.go_to('E4217')
        vim.lsp.buf.code_action()
        user.await('the line of the match', is_there)
        vim.cmd('1')
        vim.cmd('PriorArt! E4217')
        user.await('a page', user.float)
        user.go_to('Signing errors')
        user.type('gf')
        user.await('the line of the match', is_there)
        return { first = vim.fn.getline(1), messages = user.messages() }
        """,
        file="docs/wiki/e42xx-signing-errors.md",
    )
    assert seen == {"first": "changed", "messages": ""}


def test_a_picker_that_is_missing_is_named_and_replaced(neovim: Neovim) -> None:
    seen = neovim.play("""
        vim.g.prior_art_picker = 'telescope'
        user.await_server()
        user.will_choose('Signing errors')
        vim.cmd('PriorArtPick E4217')
        user.await('the page', function() return vim.fn.expand('%:t') == 'e42xx-signing-errors.md' end)
        return user.messages()
    """)
    assert seen == 'prior-art: there is no picker "telescope", which g:prior_art_picker names'


def test_a_match_is_chosen_and_used(neovim: Neovim) -> None:
    seen = neovim.play("""
        user.await_server()
        user.go_to('E4217')
        local offered = user.will_choose('contracts:', 'copy')
        vim.cmd('PriorArtActions')
        user.await_message('copied')
        local seen = { offered = offered[2], register = vim.fn.getreg('"') }
        local before = #user.lines()
        user.will_choose('wiki: Signing errors', 'insert')
        vim.cmd('PriorArtActions E4217')
        user.await('a citation', function() return #user.lines() > before end)
        seen.cited = vim.fn.getline(vim.fn.search('"E4217"') - 1)
        user.will_choose('wiki: Signing errors', 'page')
        vim.cmd('PriorArtActions E4217')
        user.await('a page', function() return vim.bo.buftype == 'nofile' end)
        vim.cmd('edit Makefile.unknown | set filetype=nobody')
        user.await_server()
        user.will_choose('wiki: Signing errors', 'insert')
        vim.cmd('PriorArtActions E4217')
        seen.refused = user.await_message('nobody')
        return seen
    """)
    assert seen["offered"] == ["open", "copy", "insert at the line of the cursor", "show all as a page"]
    assert "Refuse a rotation while the clock is off" in seen["register"]
    assert "docs/wiki/e42xx-signing-errors.md:10" in seen["cited"]
    assert "no comment can be written in nobody; copy it instead" in seen["refused"]


FAKE_TELESCOPE = """
    -- Neither picker can be installed here: these stand in for the few functions of theirs that are called.
    package.loaded['telescope'] = { register_extension = function(extension) return extension end }
    package.loaded['telescope.config'] = {
      values = {
        generic_sorter = function() return 'sorter' end,
        grep_previewer = function() return 'previewer' end,
      },
    }
    package.loaded['telescope.finders'] = {
      new_table = function(made) return vim.tbl_map(made.entry_maker, made.results) end,
    }
    package.loaded['telescope.pickers'] = {
      new = function(options, picker)
        return { find = function() shown = { options = options, picker = picker } end }
      end,
    }
"""


def test_telescope_gets_entries_that_it_can_open(neovim: Neovim) -> None:
    seen = neovim.play(f"""
        {FAKE_TELESCOPE}
        user.await_server()
        vim.cmd('PriorArtPick E4217')
        user.await('the picker', function() return shown end)
        local seen = {{ title = shown.picker.prompt_title, entry = shown.picker.finder[4] }}
        shown = nil
        user.go_to('E4218')
        require('telescope._extensions.prior_art').exports.prior_art({{ theme = 'ivy' }})
        user.await('the picker', function() return shown end)
        seen.extension, seen.options = shown.picker.prompt_title, shown.options
        return seen
    """)
    assert seen["title"] == "Prior art: E4217"
    assert seen["entry"]["filename"].endswith("e42xx-signing-errors.md")
    assert seen["entry"]["lnum"] == 10
    assert seen["entry"]["ordinal"] == seen["entry"]["display"]
    assert seen["extension"] == "Prior art: E4218"
    assert seen["options"] == {"theme": "ivy"}


def test_fzf_lua_opens_the_line_that_it_gives_back(neovim: Neovim) -> None:
    seen = neovim.play("""
        package.loaded['fzf-lua'] = {
          fzf_exec = function(lines, options)
            shown = lines
            options.actions.default({ lines[4] })
          end,
        }
        user.await_server()
        vim.cmd('PriorArtPick E4217')
        user.await('the page', function() return vim.fn.expand('%:t') == 'e42xx-signing-errors.md' end)
        return { shown = shown, line = vim.fn.line('.') }
    """)
    assert len(set(seen["shown"])) == 9
    assert seen["line"] == 10


def test_health_names_server_root_and_stores(any_neovim: Neovim) -> None:
    broken = any_neovim.workspace / ".masc" / "config" / "keepers" / "keeper-quay.memory-current.json"
    broken.write_text("{", "utf-8")
    report = any_neovim.play("""
        user.await_server()
        vim.cmd('checkhealth prior_art')
        user.await('the report', function() return user.text():find('root: ') end)
        return user.text()
    """)
    assert f"server: {any_neovim.launcher}" in report
    assert "runs: version " in report
    assert f"root: {any_neovim.workspace}" in report
    assert "contracts: 8 in 3 files" in report
    assert re.search(r"WARN\w*:? memory: \d+ in 3 files, incomplete", report)
    assert f"{broken}: " in report
    assert "ERROR" not in report


def test_health_says_what_is_missing(any_neovim: Neovim) -> None:
    report = any_neovim.play(
        """
        vim.cmd('checkhealth prior_art')
        user.await('the report', function() return user.text():find('no server runs') end)
        return user.text()
        """,
        file="",
        init=any_neovim.init.splitlines()[0] + "\nrequire('prior_art').setup({ cmd = { 'no-such-server' } })",
    )
    assert "no-such-server is not on the PATH of this Neovim" in report
    assert "no server runs" in report


def test_a_server_that_never_answers_is_named(any_neovim: Neovim) -> None:
    shebang = any_neovim.launcher.read_text("utf-8").partition("\n")[0]
    any_neovim.launcher.write_text(f"{shebang}\nexec sleep 600\n", "utf-8")
    seen = any_neovim.play("""
        local wait = vim.wait
        -- Nobody has to wait here for what is never there.
        vim.wait = function(_, ...) return wait(100, ...) end
        vim.cmd('PriorArt E4217')
        vim.wait = wait
        local seen = { said = user.await_message('prior-art: ') }
        vim.cmd('checkhealth prior_art')
        user.await('the report', function() return user.text():find('has not answered') end)
        seen.report = user.text()
        return seen
    """)
    assert "the server does not answer yet; ask again, or restart it: :PriorArtRestart" in seen["said"]
    assert "no server runs" not in seen["report"]


def test_help_is_found(any_neovim: Neovim) -> None:
    docs = any_neovim.home / "site" / "doc"
    shutil.copytree(PLUGIN / "doc", docs)
    seen = any_neovim.play(
        f"""
        vim.cmd('helptags {docs}')
        local seen = {{}}
        for _, tag in ipairs({{ 'prior-art', ':PriorArtPick', 'prior_art.hover()', 'g:prior_art_picker' }}) do
          vim.cmd('help ' .. tag)
          table.insert(seen, vim.fn.expand('%:t') .. ' ' .. vim.fn.expand('<cWORD>'))
        end
        return seen
        """,
        file="",
        init=f"vim.opt.runtimepath:append('{docs.parent}')",
    )
    assert all(place.startswith("prior-art.txt *") for place in seen)


def test_help_and_page_name_every_command() -> None:
    plugin = (PLUGIN / "plugin" / "prior_art.lua").read_text("utf-8")
    commands = re.findall(r"^command\('(\w+)'", plugin, re.MULTILINE)
    help_file, page = (PLUGIN / "doc" / "prior-art.txt").read_text("utf-8"), PAGE.read_text("utf-8")
    assert len(commands) == 8
    assert [name for name in commands if f"*:{name}*" not in help_file or f"`:{name}" not in page] == []


def test_the_table_for_lazy_nvim_holds_a_plugin(any_neovim: Neovim) -> None:
    """What lazy.nvim does with such a table, by hand: it cannot be installed here."""
    hover = any_neovim.play(
        f"""
        local spec = {block("dir =")}
        vim.opt.runtimepath:append(spec.dir)
        vim.cmd('runtime plugin/prior_art.lua')
        spec.config()
        user.await_server()
        user.go_to('E4217')
        vim.lsp.buf.hover()
        user.await('a hover', user.float)
        return user.float()
        """,
        init="",
    )
    assert "E4217" in hover


def test_the_keys_of_the_page_work(neovim: Neovim) -> None:
    seen = neovim.play(
        """
        user.await_server()
        user.go_to('E4217')
        user.type('\\\\pp')
        user.await('a page', user.float)
        user.type('q')
        user.type('viw\\\\pa')
        return user.await_quickfix().title
        """,
        init=neovim.init + block("<Leader>pa"),
    )
    assert seen == "Prior art: E4217"


def test_the_page_has_no_block_that_no_test_runs() -> None:
    assert len(blocks()) == 5
