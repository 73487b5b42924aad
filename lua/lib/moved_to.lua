-- Moves the buckets of a state to `now`, the drawn ones to their new levels. Gives the fields to write
-- with their values, the fields to delete, and after how many microseconds the last bucket is empty.
local function moved_to(state, drawn, now)
  local written, deleted, longest_us = {}, {}, 0
  local function keep(field, used, mtps)
    if used <= 0 then
      return
    end
    written[#written + 1] = field
    written[#written + 1] = used
    longest_us = math.max(longest_us, math.ceil(used / mtps))
  end
  for name, bucket in pairs(state.buckets) do
    local used = drained(bucket.used, bucket.mtps, now - state.at_us)
    local draw = drawn[name]
    if draw then
      used = draw.field == bucket.field and draw.level or 0
    else
      keep(bucket.field, used, bucket.mtps)
    end
    if used <= 0 then
      deleted[#deleted + 1] = bucket.field
    end
  end
  for _, draw in pairs(drawn) do
    keep(draw.field, draw.level, draw.mtps)
  end
  return written, deleted, longest_us
end
