--- `:checkhealth prior_art`: what has to be there for answers to appear.

local client = require('prior_art.client')

local M = {}

local STATUS_MS = 5000

-- Neovim 0.10 renamed these; 0.7 has them elsewhere.
local health = vim.health or require('health')
local heading = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error

local function files(count)
  return count == 1 and '1 file' or ('%d files'):format(count)
end

local function check_neovim()
  local version = vim.version()
  local text = ('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch)
  if vim.fn.has('nvim-0.11') == 1 then
    ok(text)
  else
    ok(text .. ": start the server with require('prior_art').setup()")
  end
end

local function check_server(config)
  local cmd = config.cmd
  if type(cmd) ~= 'table' then
    info('the server is started by a function')
    return
  end
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    fail(cmd[1] .. ' is not on the PATH of this Neovim', {
      'install it: pipx install PATH-OF-THE-CLONE',
      "or name it: vim.lsp.config('prior_art', { cmd = { '/path/of/prior-art-lsp' } })",
    })
  else
    ok('server: ' .. path)
  end
end

local function check_store(name, store)
  if store.status == 'absent' then
    return
  end
  local text = ('%s: %d in %s'):format(name, store.documents, files(store.files))
  if store.status == 'complete' then
    ok(text)
    return
  end
  local reasons = vim.tbl_map(function(problem)
    return problem.path == '' and problem.reason or ('%s: %s'):format(problem.path, problem.reason)
  end, store.problems)
  warn(('%s, %s'):format(text, store.status), reasons)
end

local function check_root(root)
  info('root: ' .. root.root)
  local has_store = false
  for _, name in ipairs({ 'memory', 'wiki', 'board', 'contracts', 'knowledge' }) do
    has_store = has_store or root.sources[name].status ~= 'absent'
    check_store(name, root.sources[name])
  end
  if not has_store then
    warn('no store in this root', { 'what is read, and where: the README of prior-art-lsp' })
  end
end

local function check_client(found)
  local status = client.status(found, STATUS_MS)
  if not status then
    fail(('server %d does not answer'):format(found.id), { 'restart it: :PriorArtRestart' })
    return
  end
  local open = files(#vim.lsp.get_buffers_by_client_id(found.id))
  ok(('server %d runs: version %s, attached to %s'):format(found.id, status.version, open))
  vim.tbl_map(check_root, status.roots)
end

function M.check()
  heading('prior-art')
  check_neovim()
  check_server(client.config())
  local clients, silent = client.all(), client.silent()
  for _, found in ipairs(silent) do
    fail(('server %d has not answered since it was started'):format(found.id), { 'restart it: :PriorArtRestart' })
  end
  if #clients + #silent == 0 then
    local enable = vim.lsp.enable and "vim.lsp.enable('prior_art')" or "require('prior_art').setup()"
    warn('no server runs', {
      'open a file below a folder that has a store or is a repository',
      'start it in init.lua: ' .. enable,
    })
  end
  vim.tbl_map(check_client, clients)
end

return M
