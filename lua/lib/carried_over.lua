-- What was used at the rate `from_mtps`, in units of the rate `to_mtps`: the time to drain stays the
-- same. Rounded down, at most `capacity`. Exact: no step leaves the integers below 2^53.
local function carried_over(used, from_mtps, to_mtps, capacity)
  local rest = math.fmod(used, from_mtps)
  local whole_us = (used - rest) / from_mtps
  if whole_us >= capacity / to_mtps then
    return capacity
  end
  -- rest * to_mtps / from_mtps by long multiplication, bit by bit from the top: the product has up to
  -- 86 bits, but each remainder stays below 2 * from_mtps.
  local quotient, remainder, bit = 0, 0, 2 ^ 43
  while bit >= 1 do
    quotient, remainder = quotient * 2, remainder * 2
    if math.floor(to_mtps / bit) % 2 >= 1 then
      remainder = remainder + rest
    end
    while remainder >= from_mtps do
      quotient, remainder = quotient + 1, remainder - from_mtps
    end
    bit = bit / 2
  end
  return math.min(capacity, whole_us * to_mtps + quotient)
end
