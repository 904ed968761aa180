--- One hover for all servers of a file, below Neovim 0.11, where each answer opens a window in place of the last.

local M = {}

local METHOD = 'textDocument/hover'

--- The servers of a buffer that have hovers, in the order in which they were started.
local function servers_of(bufnr)
  local servers = vim.tbl_filter(function(client)
    return vim.lsp.buf_is_attached(bufnr, client.id) and client.supports_method(METHOD)
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
  table.sort(servers, function(one, other)
    return one.id < other.id
  end)
  return servers
end

--- The lines of a hover as Markdown; none where the server has nothing to say.
local function lines_of(hover)
  if type(hover) ~= 'table' or type(hover.contents) ~= 'table' and type(hover.contents) ~= 'string' then
    return {}
  end
  if hover.contents.kind ~= 'plaintext' then
    local lines = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
    return vim.split(table.concat(lines, '\n'), '\n', { trimempty = true })
  end
  local lines = vim.split(hover.contents.value or '', '\n', { trimempty = true })
  if #lines > 0 then
    table.insert(lines, 1, '```text')
    table.insert(lines, '```')
  end
  return lines
end

--- What several servers say as one hover, each under its name, as Neovim 0.11 has it.
local function joined(said)
  local lines = {}
  for _, each in ipairs(said) do
    if #lines > 0 then
      table.insert(lines, '---')
    end
    table.insert(lines, '# ' .. each.server.name)
    vim.list_extend(lines, lines_of(each.hover))
  end
  return { contents = { kind = 'markdown', value = table.concat(lines, '\n') } }
end

--- Ask every server of the current buffer and show what they say.
function M.show()
  local bufnr, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local servers = servers_of(bufnr)
  local answers, awaited = {}, #servers

  local function show_all()
    local said = {}
    for _, server in ipairs(servers) do
      if #lines_of(answers[server.id]) > 0 then
        table.insert(said, { server = server, hover = answers[server.id] })
      end
    end
    if #said > 0 and vim.api.nvim_get_current_buf() == bufnr then
      -- Through the handler, which people give borders of their own.
      local context = { method = METHOD, client_id = said[1].server.id, bufnr = bufnr }
      vim.lsp.handlers[METHOD](nil, #said == 1 and said[1].hover or joined(said), context)
    end
  end

  for _, server in ipairs(servers) do
    local function take(_, hover)
      answers[server.id], awaited = hover, awaited - 1
      if awaited == 0 then
        show_all()
      end
    end
    local params = vim.lsp.util.make_position_params(window, server.offset_encoding)
    if not server.request(METHOD, params, take, bufnr) then
      take()
    end
  end
end

return M
