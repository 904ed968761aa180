--- One match of an answer: how a list shows it, and what can be done with it.

local client = require('prior_art.client')
local say = require('prior_art.say')
local windows = require('prior_art.windows')

local M = {}

local uv = vim.uv or vim.loop

--- JSON's null, which older versions hand on as a value of its own.
local function present(value)
  if value ~= vim.NIL then
    return value
  end
end

--- From 1; nil for a fact, whose file has no telling line.
function M.line(match)
  return present(match.line)
end

--- `wiki: Signing errors`
function M.title(match)
  return ('%s: %s'):format(match.source, match.text)
end

local function with_notes(match, notes)
  local title = M.title(match)
  return #notes == 0 and title or ('%s (%s)'):format(title, table.concat(notes, ' · '))
end

--- What a match says and what it is worth, for a list that shows the place by itself.
function M.text(match)
  return with_notes(match, match.provenance)
end

--- The same and the place.
function M.text_and_place(match)
  return with_notes(match, vim.list_extend(vim.deepcopy(match.provenance), { match.place }))
end

local function is_current(path)
  local real = uv.fs_realpath(path)
  return real ~= nil and real == uv.fs_realpath(vim.api.nvim_buf_get_name(0))
end

--- Open a file of a store in this window; a list keeps its own.
function M.open_place(path, line)
  windows.leave_list()
  vim.cmd("normal! m'")
  -- `:edit` reads the file again, which it refuses where there are changes.
  if not is_current(path) then
    local ok, reason = pcall(vim.cmd, 'edit ' .. vim.fn.fnameescape(path))
    if not ok then
      say.warn(('%s cannot be opened here: %s'):format(path, tostring(reason):match('E%d+.*') or reason))
      return
    end
  end
  if line then
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
  end
end

function M.open(match)
  M.open_place(match.path, M.line(match))
end

function M.copy_text(text)
  vim.fn.setreg('"', text)
  -- Without a provider `+` is an error, which says nothing of the text.
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', text)
  end
  local first, count = text:match('[^\n]*'), select(2, text:gsub('\n.', ''))
  say.info(count > 0 and ('copied %d lines'):format(count + 1) or 'copied: ' .. first)
end

function M.copy(match)
  M.copy_text(match.copy)
end

--- Write a match into the buffer: a contract as a unit-work into a plan, anything else as a comment.
---@param at table bufnr, and line from 0
---@param query string of the answer that the match is from
function M.insert(match, query, at)
  local question = { uri = vim.uri_from_bufnr(at.bufnr), line = at.line, query = query, id = match.id }
  client.execute(at.bufnr, 'priorArt.insertion', question, function(answer, server)
    local edit = present(answer.edit)
    if edit then
      vim.lsp.util.apply_workspace_edit(edit, server.offset_encoding)
    else
      say.warn(answer.reason)
    end
  end)
end

return M
