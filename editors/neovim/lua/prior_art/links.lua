--- The links of a page. They are taken out of its text, since a concealed target still counts where lines wrap.

local fences = require('prior_art.fences')
local inline = require('prior_art.inline')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('prior_art_links')

--- The first link of a line: where it begins, its label, its target, and what comes after it.
local function first_link(text)
  local open = {}
  local _, brackets = inline.signs(text)
  for _, at in ipairs(brackets) do
    if text:sub(at, at) == '[' then
      table.insert(open, at)
    else
      local start = table.remove(open)
      local uri, after = text:match('^%((file:[^%s)]+)%)()', at + 1)
      if start and uri then
        return start, text:sub(start + 1, at - 1), uri, text:sub(after)
      end
    end
  end
end

local function take_out_of(text)
  local links = {}
  local start, label, uri, rest = first_link(text)
  while start do
    local before = text:sub(1, start - 1) .. label
    table.insert(links, { from = start, past = #before + 1, uri = uri })
    text = before .. rest
    start, label, uri, rest = first_link(text)
  end
  return text, links
end

--- The lines without the targets of links and the marks of line breaks, and the links of each row, from 1.
function M.take_out(lines)
  local texts, links_of_row, is_code = {}, {}, fences.rows(lines)
  for row, line in ipairs(lines) do
    if is_code[row] then
      texts[row], links_of_row[row] = line, {}
    else
      texts[row], links_of_row[row] = take_out_of((line:gsub('\\$', '')))
    end
  end
  return texts, links_of_row
end

--- Show where the links are.
function M.underline(bufnr, links_of_row)
  for row, links in ipairs(links_of_row) do
    for _, link in ipairs(links) do
      local mark = { end_col = link.past - 1, hl_group = 'Underlined' }
      vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, row - 1, link.from - 1, mark)
    end
  end
end

local function begins_entry(text)
  return text:match('^#') or text:match('^%- ')
end

--- Where the link under the cursor leads, else the first one after it in its line, else the one of its entry.
function M.at_cursor(lines, links_of_row)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  for _, link in ipairs(links_of_row[row]) do
    if column + 1 < link.past then
      return link.uri
    end
  end
  local first, last = row, row
  while first > 1 and not begins_entry(lines[first]) do
    first = first - 1
  end
  while last < #lines and not begins_entry(lines[last + 1]) do
    last = last + 1
  end
  for entry_row = first, last do
    local link = links_of_row[entry_row][1]
    if link then
      return link.uri
    end
  end
end

return M
