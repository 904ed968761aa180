--- What the team already knows, in Neovim: `:help prior-art`.

local M = {}

--- Start the server for every file below a root, on any Neovim from 0.7.
---@param config table|nil fields of |vim.lsp.ClientConfig| to have instead of those in lsp/prior_art.lua
function M.setup(config)
  if vim.lsp.enable then
    vim.lsp.config('prior_art', config or {})
    vim.lsp.enable('prior_art')
    return
  end
  local client = require('prior_art.client')
  client.overrides = config or {}
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('prior_art_start', {}),
    callback = function(event)
      -- Afterwards, when the file type is known, which the server is told.
      vim.schedule(function()
        client.attach(event.buf)
      end)
    end,
  })
  client.attach_all()
end

--- What all servers of the file know about what is under the cursor, in one window, and silent where none does.
function M.hover()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.buf.hover({ silent = true })
  else
    require('prior_art.hover').show()
  end
end

return M
