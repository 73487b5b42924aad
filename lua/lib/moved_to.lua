-- Moves the buckets of a state to `at_us`, the drawn ones to what became of them. Gives the fields to write
-- with their values, the fields to delete, and after how many microseconds nothing is worth keeping.
local function moved_to(state, drawn, at_us)
  local written, deleted, longest_us, kept = {}, {}, 0, {}
  local function write(field, value)
    kept[field] = true
    written[#written + 1] = field
    written[#written + 1] = string.format('%d', value)
  end
  local function keep(key, bucket)
    if bucket.used > 0 then
      write(key, bucket.used)
      longest_us = math.max(longest_us, math.ceil(bucket.used / bucket.mtps))
    end
    if bucket.estimate > at_us then
      write(key .. '.estimate', bucket.estimate)
      longest_us = math.max(longest_us, bucket.estimate - at_us)
    end
    if bucket.waiting > 0 then
      write(key .. '.waiting', bucket.waiting)
      write(key .. '.holes', bucket.holes)
      write(key .. '.slot', bucket.slot)
    end
  end
  kept.at_us, kept.revision = true, true
  if state.line_us then
    write('line_us', state.line_us)
    write('sweep_us', state.sweep_us)
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
  for _, field in ipairs(state.fields) do
    if not kept[field] then
      deleted[#deleted + 1] = field
    end
  end
  return written, deleted, longest_us
end
