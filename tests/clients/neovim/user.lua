-- What a person at the keyboard does and sees, for the scripts of the tests. A script's result goes to $RESULT as
-- JSON.

local user = {}

local PATIENCE_MS = 15000

-- Wait for something, and fail by its name.
function user.await(what, condition)
  if not vim.wait(PATIENCE_MS, condition, 10) then
    error('waited in vain for ' .. what .. '; messages: ' .. user.messages(), 0)
  end
end

function user.clients(name)
  return vim.tbl_filter(function(client)
    return client.name == (name or 'prior_art')
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
end

function user.is_attached(name)
  for _, client in ipairs(user.clients(name)) do
    if vim.lsp.buf_is_attached(0, client.id) then
      return true
    end
  end
  return false
end

function user.await_server(name)
  user.await('server ' .. (name or 'prior_art'), function()
    return user.is_attached(name)
  end)
end

-- Start another server for the open file.
function user.start_server(name, cmd)
  local config = { name = name, cmd = cmd, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then
    vim.lsp.start(config)
  else
    vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
  end
  user.await_server(name)
end

-- How many programs Neovim has started that still run; one that has just been started counts at once.
function user.programs()
  return #vim.api.nvim_get_proc_children(vim.fn.getpid())
end

function user.type(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, true, true), 'xt', false)
end

function user.go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search(text, 'c') > 0, 'no such text: ' .. text)
end

local function floats()
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative ~= ''
  end, vim.api.nvim_list_wins())
end

function user.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, false)
end

function user.text(bufnr)
  return table.concat(user.lines(bufnr), '\n')
end

function user.float()
  local window = floats()[1]
  return window and user.text(vim.api.nvim_win_get_buf(window))
end

function user.hover(text)
  user.go_to(text)
  user.type('K')
  user.await('a hover on ' .. text, user.float)
  return user.float()
end

-- What the screen shows of the lines, with what is concealed gone.
function user.screen()
  vim.cmd('redraw')
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    rows[row] = table.concat(cells)
  end
  return table.concat(rows, '\n')
end

-- The server's own answer to a hover at the cursor, without the window.
function user.hover_answer()
  local client = user.clients()[1]
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, PATIENCE_MS)
  local result = answers[client.id].result
  return type(result) == 'table' and result.contents.value or nil
end

function user.messages()
  return vim.api.nvim_exec('messages', true)
end

-- Answer the next menus with the first item whose title has a text; what was offered is returned.
function user.will_choose(...)
  local wanted, offered = { ... }, {}
  vim.ui.select = function(items, options, on_choice)
    local part = table.remove(wanted, 1)
    local titles = vim.tbl_map(options.format_item, items)
    table.insert(offered, titles)
    for index, title in ipairs(titles) do
      if part and title:find(part, 1, true) then
        return on_choice(items[index], index)
      end
    end
    on_choice(nil)
  end
  return offered
end

function user.quickfix()
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  return {
    title = list.title,
    entries = vim.tbl_map(function(entry)
      return {
        text = entry.text,
        line = entry.lnum,
        valid = entry.valid == 1,
        file = entry.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(entry.bufnr), ':t') or '',
      }
    end, list.items),
  }
end

function user.await_quickfix()
  user.await('a quickfix list', function()
    return #vim.fn.getqflist() > 0
  end)
  return user.quickfix()
end

function user.await_message(text)
  user.await('the message ' .. text, function()
    return user.messages():find(text, 1, true) ~= nil
  end)
  return user.messages()
end

function user.play(script)
  local ok, result = xpcall(script, debug.traceback)
  local file = assert(io.open(os.getenv('RESULT'), 'w'))
  file:write(vim.fn.json_encode(ok and { result = result or {} } or { failure = tostring(result) }))
  file:close()
  -- Nobody waits for the servers to take their leave.
  vim.lsp.stop_client(vim.tbl_map(function(client)
    return client.id
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)()), true)
  vim.cmd('qall!')
end

return user
