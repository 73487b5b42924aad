-- The level after `elapsed_us` of draining; at least 0.

local function drained(used, rate, elapsed_us)
  local level = used - elapsed_us * rate
  return level > 0 and level or 0
end

return drained
