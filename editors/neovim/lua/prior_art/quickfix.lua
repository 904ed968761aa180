--- An answer as a quickfix list: one entry a match, and one, to read only, for what could not be searched.

local match = require('prior_art.match')
local say = require('prior_art.say')

local M = {}

local function entry_of(found)
  -- A fact has no line: its entry opens the file where the person last was in it.
  return { filename = found.path, lnum = match.line(found) or 0, text = match.text(found), valid = 1 }
end

function M.show(answer)
  if #answer.matches == 0 then
    say.info(say.nothing_found(answer))
    return
  end
  local entries = vim.tbl_map(entry_of, answer.matches)
  for _, gap in ipairs(say.gaps(answer)) do
    table.insert(entries, { text = '⚠ ' .. gap, valid = 0 })
  end
  vim.fn.setqflist({}, ' ', { title = 'Prior art: ' .. answer.query, items = entries })
  vim.cmd('botright copen')
  say.info(say.summary(answer))
end

return M
