--- The backslashes of a page. The server escapes what stores hold; code stands there letter by letter.
--- They are hidden by marks, since syntax files and parsers differ in what they call code.

local fences = require('prior_art.fences')
local inline = require('prior_art.inline')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('prior_art_escapes')

function M.hide(bufnr, lines)
  local is_code = fences.rows(lines)
  for row, text in ipairs(lines) do
    for _, at in ipairs(is_code[row] and {} or inline.signs(text)) do
      vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, row - 1, at - 1, { end_col = at, conceal = '' })
    end
  end
end

return M
