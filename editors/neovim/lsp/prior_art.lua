-- Configuration of prior-art-lsp for vim.lsp.enable(), Neovim 0.11 and newer. It works without the rest of this
-- plugin, too; older versions get it through require('prior_art').setup().

local uv = vim.uv or vim.loop

-- A root is the nearest folder with a store, else the nearest repository. Not root_markers: with those
-- Neovim takes `docs` for the root where the marker is `docs/wiki`.
local STORES = {
  '.masc', '.gem-squared/archive', '.gem-squared/work-plan', 'docs/wiki', 'docs/library', '.knowledge',
  '.prior-art.toml',
}
local REPOSITORY = { '.git' }

local function has_any(folder, names)
  for _, name in ipairs(names) do
    if uv.fs_stat((folder:gsub('/$', '')) .. '/' .. name) then
      return true
    end
  end
  return false
end

local function nearest(start, names)
  -- $HOME may be a link, or end with a slash.
  local home = uv.fs_realpath(uv.os_homedir() or '')
  local folder, above = start, vim.fn.fnamemodify(start, ':h')
  -- The topmost folder and $HOME are never searched unless somebody names them.
  while folder ~= above do
    if has_any(folder, names) and uv.fs_realpath(folder) ~= home then
      return folder
    end
    folder, above = above, vim.fn.fnamemodify(above, ':h')
  end
end

local function root_dir(bufnr, on_dir)
  local start = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':p:h')
  local root = nearest(start, STORES) or nearest(start, REPOSITORY)
  if root then
    on_dir(root)
  end
end

-- Copying and pages are done by the plugin; the server offers them only to a client that names them.
local has_plugin = #vim.api.nvim_get_runtime_file('lua/prior_art/client_commands.lua', false) > 0

return {
  cmd = { 'prior-art-lsp' },
  root_dir = root_dir,
  workspace_required = true,
  capabilities = has_plugin and {
    experimental = { priorArt = { commands = { 'priorArt.copy', 'priorArt.showAll' }, commandLinks = false } },
  } or nil,
}
