--- The fenced code of a page.

local M = {}

--- Which rows, from 1, are code or the marks around it.
function M.rows(lines)
  local is_code, fence = {}, nil
  for row, line in ipairs(lines) do
    is_code[row] = true
    if fence then
      fence = line ~= fence and fence or nil
    else
      fence = line:match('^(```+)')
      is_code[row] = fence ~= nil
    end
  end
  return is_code
end

return M
