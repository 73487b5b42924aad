-- The key of the permits of a limit.

local function permits_key(state_key, name)
  return state_key .. ':permits:' .. name
end

return permits_key
