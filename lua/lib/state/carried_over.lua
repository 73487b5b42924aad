-- Converts a used amount from units that drain at `from_rate` a microsecond to units that drain at
-- `to_rate`: the time to drain is unchanged. Rounded down, at most `capacity`. Exact: no step
-- leaves the integers below 2^53.

local function carried_over(used, from_rate, to_rate, capacity)
  local rest = math.fmod(used, from_rate)
  local whole_us = (used - rest) / from_rate
  if whole_us >= capacity / to_rate then
    return capacity
  end
  -- rest * to_rate / from_rate by long multiplication, bit by bit from the top: the product has up
  -- to 86 bits, but each remainder stays below 2 * from_rate.
  local quotient, remainder, bit = 0, 0, 2 ^ 43
  while bit >= 1 do
    quotient, remainder = quotient * 2, remainder * 2
    if math.floor(to_rate / bit) % 2 >= 1 then
      remainder = remainder + rest
    end
    while remainder >= from_rate do
      quotient, remainder = quotient + 1, remainder - from_rate
    end
    bit = bit / 2
  end
  return math.min(capacity, whole_us * to_rate + quotient)
end

return carried_over
