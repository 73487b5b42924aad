-- What is used now in the bucket that `draw` draws from: drained, and carried over from an older rate
-- or burst. Second, whether it was carried over.
local function level_of(draw, state, now)
  local bucket = state.buckets[draw.name]
  if not bucket then
    return 0, false
  end
  local used = drained(bucket.used, bucket.mtps, now - state.at_us)
  if bucket.field == draw.field then
    return math.min(used, draw.capacity), used > draw.capacity
  end
  return carried_over(used, bucket.mtps, draw.mtps, draw.capacity), used > 0
end
