-- Division rounded down. Exact for a dividend from 0 to 2^53 - 2: the quotient of such integers is
-- never rounded up to the next integer, because an integer is at least 1 / divisor away.

local function floor_div(dividend, divisor)
  local quotient = dividend / divisor
  return quotient - quotient % 1
end

return floor_div
