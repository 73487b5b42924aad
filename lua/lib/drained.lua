-- What is left of `used` units after `elapsed_us` of draining `mtps` units a microsecond.
-- A product above 2^53 is rounded, but then it is above `used` in any case.
local function drained(used, mtps, elapsed_us)
  local gone = elapsed_us * mtps
  if gone >= used then
    return 0
  end
  return used - gone
end
