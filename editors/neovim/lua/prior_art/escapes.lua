--- The backslashes of a page. The server escapes what stores hold; code stands there letter by letter.
--- They are hidden by marks, since syntax files and parsers differ in what they call code.

local fences = require('prior_art.fences')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('prior_art_escapes')

--- The columns, from 0, of the backslashes that escape something.
local function columns_of(text)
  local columns, at = {}, text:find('[\\`]')
  while at do
    local past = at + 1
    local ticks = text:match('^`+', at)
    if ticks then
      past = at + #ticks
      local _, last = text:find('[^`]' .. ticks .. '%f[^`]', past)
      past = last and last + 1 or past
    elseif text:match('^%p', past) then
      table.insert(columns, at - 1)
      past = past + 1
    end
    at = text:find('[\\`]', past)
  end
  return columns
end

function M.hide(bufnr, lines)
  local is_code = fences.rows(lines)
  for row, text in ipairs(lines) do
    for _, column in ipairs(is_code[row] and {} or columns_of(text)) do
      vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, row - 1, column, { end_col = column + 1, conceal = '' })
    end
  end
end

return M
