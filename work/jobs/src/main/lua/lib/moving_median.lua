-- The median of the values seen, in microseconds, moved by each value: a step up if the value is
-- above it, else down (frugal streaming: Ma, Muthukrishnan, Sandler, 2013; with steps of a
-- twentieth, so that it follows at any size).

local STEPS_OF_MEDIAN = 20

local function moved_median(median, value)
  if median == 0 then
    return value
  end
  local step = math.ceil(median / STEPS_OF_MEDIAN)
  if value > median then
    return math.min(value, median + step)
  end
  return math.max(value, median - step)
end

return moved_median
