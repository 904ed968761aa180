--- The running servers: start one for a buffer, find the one for a buffer, ask it.

local say = require('prior_art.say')

local M = {}

--- What setup() was given; from 0.11 on vim.lsp.config() keeps it.
M.overrides = {}

local NAME = 'prior_art'
local START_MS = 5000
--- How long a server may take to end by itself, and after that by force.
local LEAVE_MS = 1000
local STOP_MS = 3000

-- From 0.11 on Neovim keeps configurations, and what a client does are methods.
local IS_0_11 = vim.fn.has('nvim-0.11') == 1

--- The configuration in effect.
function M.config()
  if IS_0_11 then
    return vim.deepcopy(vim.lsp.config[NAME])
  end
  local file = vim.api.nvim_get_runtime_file('lsp/prior_art.lua', false)[1]
  local config = vim.tbl_deep_extend('force', dofile(file), M.overrides)
  local standard = vim.lsp.protocol.make_client_capabilities()
  if vim.fn.has('nvim-0.10') == 0 then
    -- Its hover window shows where every link leads, at full length.
    standard.textDocument.hover.contentFormat = { 'plaintext' }
  end
  -- 0.7 answers for settings, but does not say so.
  standard.workspace.configuration = true
  config.capabilities = vim.tbl_deep_extend('force', standard, config.capabilities or {})
  config.name = NAME
  return config
end

--- Every server of ours that answers.
function M.all()
  return vim.tbl_filter(function(client)
    return client.name == NAME and not client:is_stopped()
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
end

--- Whether a buffer is to have a server: a file, of the types that the configuration names if it names any.
local function is_served(bufnr, config)
  if vim.bo[bufnr].buftype ~= '' or vim.api.nvim_buf_get_name(bufnr) == '' then
    return false
  end
  return not config.filetypes or vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype)
end

--- The server that a buffer has.
local function client_of(bufnr)
  return vim.tbl_filter(function(client)
    return vim.lsp.buf_is_attached(bufnr, client.id)
  end, M.all())[1]
end

local ids_by_root = {}

--- What vim.lsp.start() does, which is not in 0.7 and attaches every buffer up to 0.10.
local function start_and_attach(config, bufnr)
  local id = ids_by_root[config.root_dir]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    ids_by_root[config.root_dir] = id
  end
  if id and is_served(bufnr, config) then
    vim.lsp.buf_attach_client(bufnr, id)
  end
  return id
end

--- Start the server for the root of a buffer unless it runs; a buffer without a file is in the current folder.
---@return integer|nil id nil where there is no root, or no server
local function start(bufnr)
  local config, id = M.config(), nil
  local function start_at(root)
    config.root_dir = root
    if IS_0_11 then
      id = vim.lsp.start(config, { bufnr = bufnr, attach = is_served(bufnr, config) })
    else
      id = start_and_attach(config, bufnr)
    end
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(bufnr, start_at)
  else
    start_at(config.root_dir)
  end
  return id
end

--- Start the server for a file, or attach the file to the one that runs for its root.
function M.attach(bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) and is_served(bufnr, M.config()) then
    start(bufnr)
  end
end

function M.attach_all()
  vim.tbl_map(M.attach, vim.api.nvim_list_bufs())
end

--- Every server of ours that has not ended, also one that never answered `initialize` or that is to stop.
local function started()
  if IS_0_11 then
    return vim.lsp.get_clients({ name = NAME, _uninitialized = true })
  end
  local by_id = {}
  for _, id in pairs(ids_by_root) do
    by_id[id] = vim.lsp.get_client_by_id(id)
  end
  for _, client in ipairs(M.all()) do
    by_id[client.id] = client
  end
  return vim.tbl_values(by_id)
end

--- Those that do not answer yet, or never will.
function M.silent()
  local answers = {}
  for _, client in ipairs(M.all()) do
    answers[client.id] = true
  end
  return vim.tbl_filter(function(client)
    return not answers[client.id]
  end, started())
end

local function have_all_ended(timeout_ms)
  return vim.wait(timeout_ms, function()
    return #started() == 0
  end, 20)
end

--- Stop every server and start again what the open files need.
function M.restart()
  for _, client in ipairs(started()) do
    if IS_0_11 then
      client:stop()
    else
      client.stop()
    end
  end
  -- One that hangs takes no leave, and hover waits for every server that is attached.
  if not have_all_ended(LEAVE_MS) then
    for _, client in ipairs(started()) do
      -- In 0.11 stop(true) does nothing to a client that is to stop already.
      if IS_0_11 then
        client.rpc.terminate()
      else
        client.stop(true)
      end
    end
    have_all_ended(STOP_MS)
  end
  ids_by_root = {}
  M.attach_all()
end

local function has_ended(id)
  return vim.lsp.get_client_by_id(id) == nil
end

--- The server that answers for a buffer. One that has ended is started again, for all its files, and one that
--- starts is waited for. What a picker or a page shows has none of its own; any one answers for it.
function M.find(bufnr)
  local has_own = is_served(bufnr, M.config())
  local function answering()
    return client_of(bufnr) or not has_own and M.all()[1] or nil
  end
  local client = answering()
  if client then
    return client
  end
  local id = start(bufnr)
  if not id then
    return M.all()[1]
  end
  vim.wait(START_MS, function()
    client = answering()
    return client ~= nil or has_ended(id)
  end, 20)
  if client then
    M.attach_all()
  end
  return client
end

local function send(client, method, params, handler, bufnr)
  if IS_0_11 then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

--- Ask a server; `on_answer` is called with the result and the server, but not after an error.
function M.request(bufnr, method, params, on_answer)
  local client = M.find(bufnr)
  if not client then
    say.warn(
      #M.silent() > 0 and 'the server does not answer yet; ask again, or restart it: :PriorArtRestart'
        or 'no server runs for this file; :checkhealth prior_art says why'
    )
    return
  end
  send(client, method, params, function(err, result)
    if err then
      say.warn(err.message)
    else
      on_answer(result, client)
    end
  end, bufnr)
end

--- Run a command of the server.
function M.execute(bufnr, command, argument, on_answer)
  local params = { command = command, arguments = { argument } }
  M.request(bufnr, 'workspace/executeCommand', params, on_answer)
end

--- The state of a server's stores, waited for; nil where it gives none in time.
function M.status(client, timeout_ms)
  local status, is_answered
  local params = { command = 'priorArt.status', arguments = {} }
  send(client, 'workspace/executeCommand', params, function(_, result)
    status, is_answered = result, true
  end, vim.api.nvim_get_current_buf())
  vim.wait(timeout_ms, function()
    return is_answered or has_ended(client.id)
  end, 20)
  return status
end

return M
