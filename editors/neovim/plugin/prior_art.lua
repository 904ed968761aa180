-- Commands of prior-art-lsp. Everything else is loaded when one of them is used.

if vim.g.loaded_prior_art or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_prior_art = true

local function command(name, run, desc, options)
  local all = vim.tbl_extend('force', { desc = 'Prior art: ' .. desc }, options or {})
  vim.api.nvim_create_user_command(name, function(given)
    require('prior_art.commands')[run](given)
  end, all)
end

local function complete(...)
  return require('prior_art.query').complete(...)
end

local words = { nargs = '*', range = true, bang = true }
local sources_and_words = vim.tbl_extend('force', words, { complete = complete })

command('PriorArt', 'everything', 'list what is known, with ! as a page', sources_and_words)
command('PriorArtKg', 'contracts', 'list proven contracts, with ! as a page', words)
command('PriorArtKnowledge', 'knowledge', 'list published knowledge, with ! as a page', words)
command('PriorArtPick', 'pick', 'choose a match and open it', { nargs = '*', range = true, complete = complete })
command('PriorArtActions', 'act', 'choose a match: open, copy or insert it', {
  nargs = '*', range = true, complete = complete,
})
command('PriorArtFile', 'about_file', 'list what is known about this file')
command('PriorArtStatus', 'status', 'show the stores')
command('PriorArtRestart', 'restart', 'restart the server')

for name, run in pairs({
  ['priorArt.copy'] = 'copy',
  ['priorArt.showAll'] = 'show_all',
  ['priorArt.open'] = 'open',
}) do
  vim.lsp.commands[name] = function(chosen, context)
    require('prior_art.client_commands')[run](chosen.arguments[1], context)
  end
end

local function is_enabled()
  -- vim.lsp.is_enabled() came with 0.11.2.
  if vim.lsp.is_enabled then
    return vim.lsp.is_enabled('prior_art')
  end
  return vim.lsp._enabled_configs.prior_art ~= nil
end

-- vim.lsp.enable() waits for a file type, which a build log does not have.
if vim.lsp.enable then
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('prior_art_untyped', {}),
    callback = function(event)
      vim.schedule(function()
        if
          is_enabled()
          and vim.api.nvim_buf_is_valid(event.buf)
          and vim.bo[event.buf].filetype == ''
        then
          require('prior_art.client').attach(event.buf)
        end
      end)
    end,
  })
end
