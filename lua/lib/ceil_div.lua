-- Division rounded up, of negative numbers too.

local function ceil_div(dividend, divisor)
  local rest = math.fmod(dividend, divisor)
  return (dividend - rest) / divisor + (rest > 0 and 1 or 0)
end

return ceil_div
