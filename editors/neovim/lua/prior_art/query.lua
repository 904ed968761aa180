--- What a person asks about: the argument, the selection, or what is under the cursor.

local client = require('prior_art.client')

local M = {}

local SOURCES = { 'memory', 'wiki', 'board', 'contracts', 'knowledge' }

--- The marked text of the last selection, line by line.
local function selected_lines(lines, from, to)
  -- '> stands on the first byte of the last character, or after that where the selection excludes its end.
  local is_past = vim.o.selection == 'exclusive' and not vim.deep_equal(from, to)
  local length = is_past and 0 or 1
  if vim.fn.visualmode() == '\22' then
    local function character(position, line)
      return vim.fn.strchars(line:sub(1, position[2]))
    end
    local left, right = character(from, lines[1]), character(to, lines[#lines])
    left, right = math.min(left, right), math.max(left, right)
    return vim.tbl_map(function(line)
      return vim.fn.strcharpart(line, left, right - left + length)
    end, lines)
  end
  lines[#lines] = lines[#lines]:sub(1, to[2]) .. vim.fn.strcharpart(lines[#lines]:sub(to[2] + 1), 0, length)
  lines[1] = lines[1]:sub(from[2] + 1)
  return lines
end

--- The marked text when the range is the last selection, else the lines of the range.
local function text_of_range(first, last)
  local lines = vim.api.nvim_buf_get_lines(0, first - 1, last, false)
  local from, to = vim.api.nvim_buf_get_mark(0, '<'), vim.api.nvim_buf_get_mark(0, '>')
  if from[1] == first and to[1] == last and vim.fn.visualmode() ~= 'V' then
    lines = selected_lines(lines, from, to)
  end
  return vim.trim((table.concat(lines, ' '):gsub('%s+', ' ')))
end

--- What the server takes the text under the cursor for, where it knows something of it; else the editor's word.
local function at_cursor(on_query)
  local bufnr = vim.api.nvim_get_current_buf()
  local word = vim.fn.expand('<cword>')
  local server = client.find(bufnr)
  if not server or not vim.lsp.buf_is_attached(bufnr, server.id) then
    return on_query(word)
  end
  local params = vim.lsp.util.make_range_params(0, server.offset_encoding)
  params.context = { diagnostics = {}, only = { 'priorArt.showAll' }, triggerKind = 1 }
  client.request(bufnr, 'textDocument/codeAction', params, function(actions)
    local action = type(actions) == 'table' and actions[1]
    on_query(action and action.command.arguments[1].query or word)
  end)
end

--- Split `source=wiki,board E4217` into the sources and the rest.
local function with_sources(args)
  local names, rest = args:match('^source=(%S+)%s*(.*)$')
  if not names then
    return nil, args
  end
  return vim.split(names, ',', { trimempty = true }), rest
end

--- Find the query of a user command and go on with it and the sources, which only what was typed can name.
---@param command table what nvim_create_user_command() hands to a command
---@param has_sources boolean whether the command has the option
function M.of_command(command, has_sources, on_query)
  local sources, typed = nil, command.args
  if has_sources then
    sources, typed = with_sources(typed)
  end
  local function go_on(query)
    on_query(query, sources)
  end
  if typed ~= '' then
    go_on(typed)
  elseif command.range > 0 then
    go_on(text_of_range(command.line1, command.line2))
  else
    at_cursor(go_on)
  end
end

--- Complete the names of sources after `source=`.
function M.complete(lead, line)
  if not line:match('PriorArt%a*!?%s+%S*$') then
    return {}
  end
  local before = lead:match('^(source=.*,)') or 'source='
  return vim.tbl_filter(function(offered)
    return vim.startswith(offered, lead)
  end, vim.tbl_map(function(source)
    return before .. source
  end, SOURCES))
end

return M
