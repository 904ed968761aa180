--- Commands of the server's code actions that run in the editor.

local match = require('prior_art.match')
local page = require('prior_art.page')

local M = {}

---@param argument table text
function M.copy(argument)
  match.copy_text(argument.text)
end

---@param argument table query and uri
function M.show_all(argument, context)
  page.ask(context.bufnr, argument)
end

--- The server would ask for the file to be opened, which Neovim does from 0.8 on only.
---@param argument table path and line
function M.open(argument)
  match.open(argument)
end

return M
