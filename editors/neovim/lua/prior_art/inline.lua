--- Which signs of a page's line mean something: none does in code or behind a backslash.

local M = {}

--- The places, from 1, of the backslashes that escape something, and those of brackets.
function M.signs(text)
  local escapes, brackets, at = {}, {}, text:find('[\\`%[%]]')
  while at do
    local past = at + 1
    local ticks = text:match('^`+', at)
    if ticks then
      past = at + #ticks
      local _, last = text:find('[^`]' .. ticks .. '%f[^`]', past)
      past = last and last + 1 or past
    elseif text:sub(at, at) ~= '\\' then
      table.insert(brackets, at)
    elseif text:match('^%p', past) then
      table.insert(escapes, at)
      past = past + 1
    end
    at = text:find('[\\`%[%]]', past)
  end
  return escapes, brackets
end

return M
