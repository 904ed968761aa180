--- Where a file may be opened: neither in a floating window nor in that of a list.

local M = {}

function M.is_float(window)
  return vim.api.nvim_win_get_config(window).relative ~= ''
end

local function is_for_files(window)
  return not M.is_float(window) and vim.bo[vim.api.nvim_win_get_buf(window)].buftype == ''
end

--- Go from a list to the window that it was opened from, or to any other that shows files.
function M.leave_list()
  if vim.bo.buftype ~= 'quickfix' then
    return
  end
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  for _, window in ipairs({ previous, unpack(vim.api.nvim_tabpage_list_wins(0)) }) do
    if window ~= 0 and is_for_files(window) then
      vim.api.nvim_set_current_win(window)
      return
    end
  end
  vim.cmd('aboveleft new')
end

return M
