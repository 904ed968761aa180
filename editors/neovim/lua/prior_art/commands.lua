--- What the user commands do; each function takes what nvim_create_user_command() hands to a command.

local client = require('prior_art.client')
local page = require('prior_art.page')
local pick = require('prior_art.pick')
local query = require('prior_art.query')
local quickfix = require('prior_art.quickfix')

local M = {}

--- How many matches of each source a list holds; more is a reason to ask more precisely.
local LIMIT = 50

--- Make the question of a command and hand it on with the buffer that it comes from.
local function with_question(command, about, run)
  local bufnr = vim.api.nvim_get_current_buf()
  query.of_command(command, about == 'everything', function(text, sources)
    local uri = vim.uri_from_bufnr(bufnr)
    run({ query = text, source = sources, about = about, limit = LIMIT, uri = uri }, bufnr)
  end)
end

--- Look up what a command asks about; `on_answer` is called with the answer and the question.
function M.look_up(command, about, on_answer)
  with_question(command, about, function(question, bufnr)
    client.execute(bufnr, 'priorArt.lookUp', question, function(answer)
      on_answer(answer, question)
    end)
  end)
end

local function list(command, about)
  if command.bang then
    with_question(command, about, function(question, bufnr)
      page.ask(bufnr, question, true)
    end)
  else
    M.look_up(command, about, quickfix.show)
  end
end

function M.everything(command)
  list(command, 'everything')
end

function M.contracts(command)
  list(command, 'contracts')
end

function M.knowledge(command)
  list(command, 'knowledge')
end

function M.pick(command)
  M.look_up(command, 'everything', pick.open)
end

function M.act(command)
  local at = { bufnr = vim.api.nvim_get_current_buf(), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  M.look_up(command, 'everything', function(answer, question)
    pick.act(answer, question, at)
  end)
end

function M.about_file()
  local bufnr = vim.api.nvim_get_current_buf()
  local question = { uri = vim.uri_from_bufnr(bufnr), limit = LIMIT }
  client.execute(bufnr, 'priorArt.aboutFile', question, quickfix.show)
end

function M.status()
  page.ask(vim.api.nvim_get_current_buf(), { about = 'status' })
end

function M.restart()
  client.restart()
end

return M
