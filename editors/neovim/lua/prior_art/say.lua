--- Messages, one line each: "nothing known" only after a complete search, and every gap by its name.

local M = {}

local SOURCES = { 'memory', 'wiki', 'board', 'contracts', 'knowledge' }

function M.info(text)
  vim.notify('prior-art: ' .. text, vim.log.levels.INFO)
end

function M.warn(text)
  vim.notify('prior-art: ' .. text, vim.log.levels.WARN)
end

local function problem_text(problem)
  local name = problem.path:match('[^/\\]*$')
  return name == '' and problem.reason or name .. ': ' .. problem.reason
end

--- One text for each source that could not be searched completely.
function M.gaps(answer)
  local gaps = {}
  for _, name in ipairs(SOURCES) do
    local report = answer.sources[name]
    if report and (report.status == 'incomplete' or report.status == 'failed') then
      local first = report.problems[1]
      local reason = first and problem_text(first) or 'unknown reason'
      local more = #report.problems > 1 and (', and %d more'):format(#report.problems - 1) or ''
      table.insert(gaps, ('%s %s: %s%s'):format(name, report.status, reason, more))
    end
  end
  return gaps
end

--- What an answer without matches means.
function M.nothing_found(answer)
  local searched = vim.tbl_filter(function(name)
    return answer.sources[name] ~= nil and answer.sources[name].status ~= 'absent'
  end, SOURCES)
  if #searched == 0 then
    return 'there is no store here to search'
  end
  if answer.status == 'complete' then
    return ('nothing known about "%s" in %s'):format(answer.query, table.concat(searched, ', '))
  end
  local gaps = table.concat(M.gaps(answer), '; ')
  return ('nothing found about "%s", but not everything could be searched: %s'):format(answer.query, gaps)
end

--- How many matches there are; the list itself names the gaps.
function M.summary(answer)
  local count, shown = answer.total_count, #answer.matches
  local text = ('%d %s about "%s"'):format(count, count == 1 and 'match' or 'matches', answer.query)
  if shown < count then
    text = ('%s, %d shown'):format(text, shown)
  end
  return #M.gaps(answer) > 0 and text .. '; not everything could be searched' or text
end

return M
