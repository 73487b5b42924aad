-- Division rounded up, of negative numbers too. Exact between -2^53 and 2^53, as lib/floor_div.lua is.

local function ceil_div(dividend, divisor)
  local quotient = dividend / divisor
  return quotient + -quotient % 1
end

return ceil_div
