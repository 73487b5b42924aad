-- Moves the buckets of a state to `at_us`, the drawn ones to what became of them. Gives the numbers to write by
-- their fields, and after how many microseconds nothing is worth keeping.
local function moved_to(state, drawn, at_us)
  local fields, longest_us = {}, 0
  local function keep(key, bucket)
    if bucket.used > 0 then
      fields[key] = bucket.used
      longest_us = math.max(longest_us, math.ceil(bucket.used / bucket.mtps))
    end
    if bucket.estimate > at_us then
      fields[key .. '.estimate'] = bucket.estimate
      longest_us = math.max(longest_us, bucket.estimate - at_us)
    end
    if bucket.waiting > 0 then
      fields[key .. '.waiting'], fields[key .. '.holes'] = bucket.waiting, bucket.holes
      fields[key .. '.slot'] = bucket.slot
    end
  end
  if state.line_us then
    fields.line_us, fields.sweep_us = state.line_us, state.sweep_us
    longest_us = state.line_us - at_us
  end
  for name, bucket in pairs(state.buckets) do
    if not drawn[name] then
      moved_on(bucket, bucket.at_us or state.at_us, at_us)
      keep(bucket.key, bucket)
    end
  end
  for _, draw in pairs(drawn) do
    keep(draw.key, draw.bucket)
  end
  return fields, longest_us
end
