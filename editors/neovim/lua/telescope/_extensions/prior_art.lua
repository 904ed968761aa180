--- `:Telescope prior_art query=E4217`; without a query, what is under the cursor.

local function prior_art(options)
  local command = { args = options.query or '', range = 0 }
  require('prior_art.commands').look_up(command, 'everything', function(answer)
    local pick = require('prior_art.pick')
    pick.show(answer, function()
      pick.with_telescope(answer, options)
    end)
  end)
end

return require('telescope').register_extension({ exports = { prior_art = prior_art } })
