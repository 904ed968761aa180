--- Pages of the server as read-only Markdown buffers; <CR> and gf open the place that a link leads to, q closes.

local client = require('prior_art.client')
local escapes = require('prior_art.escapes')
local links = require('prior_art.links')
local match = require('prior_art.match')
local windows = require('prior_art.windows')

local M = {}

local FLOAT_SHARE = 0.8

--- Open where a link leads in the window that the person came from, beside a page in a split.
local function follow(uri)
  local file, line = uri:match('^([^#]*)#?L?(%d*)')
  local window = vim.api.nvim_get_current_win()
  vim.cmd('wincmd p')
  if windows.is_float(window) then
    vim.api.nvim_win_close(window, true)
  elseif vim.api.nvim_get_current_win() == window then
    vim.cmd('aboveleft split')
  end
  match.open_place(vim.uri_to_fname(file), tonumber(line))
end

local function delete_buffer(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr) == name then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

local function buffer_of(page)
  local name = 'prior-art://' .. page.title:gsub('^Prior art: ', '')
  local lines, links_of_row = links.take_out(vim.split(page.markdown, '\n', { trimempty = true }))
  delete_buffer(name)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = 'markdown'
  vim.bo[bufnr].modifiable = false
  escapes.hide(bufnr, lines)
  links.underline(bufnr, links_of_row)
  local function open_place()
    local uri = links.at_cursor(lines, links_of_row)
    if uri then
      follow(uri)
    end
  end
  for _, key in ipairs({ '<CR>', 'gf', 'gF' }) do
    vim.keymap.set('n', key, open_place, { buffer = bufnr, desc = 'Prior art: open this place' })
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close this page' })
  return bufnr
end

local function open_float(bufnr)
  local width = math.max(1, math.floor(vim.o.columns * FLOAT_SHARE))
  local height = math.max(1, math.floor(vim.o.lines * FLOAT_SHARE))
  height = math.min(vim.api.nvim_buf_line_count(bufnr), height)
  vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    width = width,
    height = height,
    col = math.floor((vim.o.columns - width) / 2),
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    border = 'rounded',
    style = 'minimal',
  })
end

local function open_split(bufnr)
  vim.cmd('split')
  vim.api.nvim_win_set_buf(0, bufnr)
end

--- Show a page; in a split, or floating.
function M.show(page, is_floating)
  local bufnr = buffer_of(page)
  local open = is_floating and open_float or open_split
  open(bufnr)
  -- Not nvim_win_set_option(), which sets them for the next file in this window, too.
  vim.cmd('setlocal wrap linebreak conceallevel=2 concealcursor=nc')
end

--- Ask for a page and show it.
---@param question table the argument of priorArt.page
function M.ask(bufnr, question, is_floating)
  client.execute(bufnr, 'priorArt.page', question, function(page)
    M.show(page, is_floating)
  end)
end

return M
