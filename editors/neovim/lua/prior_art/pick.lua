--- Choosing among matches, with Telescope or fzf-lua where one is installed, else with vim.ui.select().

local match = require('prior_art.match')
local page = require('prior_art.page')
local say = require('prior_art.say')

local M = {}

local function title_of(answer)
  return 'Prior art: ' .. answer.query
end

local function entry_of(found)
  local text = match.text_and_place(found)
  return { value = found, ordinal = text, display = text, filename = found.path, lnum = match.line(found) }
end

--- Telescope's own keys open a match in a split or a tab, and send all to the quickfix list.
---@param options table|nil Telescope's, such as a theme
function M.with_telescope(answer, options)
  local values = require('telescope.config').values
  options = options or {}
  require('telescope.pickers')
    .new(options, {
      prompt_title = title_of(answer),
      finder = require('telescope.finders').new_table({ results = answer.matches, entry_maker = entry_of }),
      sorter = values.generic_sorter(options),
      previewer = values.grep_previewer(options),
    })
    :find()
end

local function with_fzf_lua(answer)
  local lines, by_line = {}, {}
  for index, found in ipairs(answer.matches) do
    lines[index] = ('%d. %s'):format(index, match.text_and_place(found))
    by_line[lines[index]] = found
  end
  local function open_first(selected)
    match.open(by_line[selected[1]])
  end
  require('fzf-lua').fzf_exec(lines, {
    prompt = title_of(answer) .. '> ',
    actions = { ['default'] = open_first },
  })
end

local function select_one(items, prompt, format_item, on_choice)
  vim.ui.select(items, { prompt = prompt, format_item = format_item }, function(chosen)
    if chosen then
      on_choice(chosen)
    end
  end)
end

local function with_select(answer)
  select_one(answer.matches, title_of(answer), match.text_and_place, match.open)
end

local PICKERS = { telescope = M.with_telescope, ['fzf-lua'] = with_fzf_lua, select = with_select }

local function is_there(name)
  return name == 'select' or PICKERS[name] ~= nil and pcall(require, name)
end

local function picker()
  local wanted = vim.g.prior_art_picker
  if wanted and is_there(wanted) then
    return PICKERS[wanted]
  elseif wanted then
    say.warn(('there is no picker %s, which g:prior_art_picker names'):format(vim.inspect(wanted)))
  end
  for _, name in ipairs({ 'telescope', 'fzf-lua' }) do
    if is_there(name) then
      return PICKERS[name]
    end
  end
  return with_select
end

--- Show an answer that has matches; of one without say what that means.
function M.show(answer, show)
  if #answer.matches == 0 then
    say.info(say.nothing_found(answer))
    return
  end
  show(answer)
  local gaps = say.gaps(answer)
  if #gaps > 0 then
    say.warn(table.concat(gaps, '; '))
  end
end

--- Choose a match and open it.
function M.open(answer)
  M.show(answer, picker())
end

--- Choose a match, then what to do with it.
---@param question table that has this answer
---@param at table where the person asked: bufnr, and line from 0
function M.act(answer, question, at)
  local function do_with(found)
    local actions = {
      { title = 'open', run = function() match.open(found) end },
      { title = 'copy', run = function() match.copy(found) end },
      { title = 'insert at the line of the cursor', run = function() match.insert(found, answer.query, at) end },
      { title = 'show all as a page', run = function() page.ask(at.bufnr, question) end },
    }
    local function title(action)
      return action.title
    end
    select_one(actions, match.title(found), title, function(action)
      action.run()
    end)
  end
  M.show(answer, function()
    select_one(answer.matches, title_of(answer), match.text_and_place, do_with)
  end)
end

return M
