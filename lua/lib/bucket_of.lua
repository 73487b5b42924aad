-- The bucket that `draw` draws from, as it stands at `at_us`: drained, and carried over from an older rate
-- or burst. A table of its own. Second, whether it was carried over.
local function bucket_of(draw, state, at_us)
  local bucket = { mtps = draw.mtps, used = 0, waiting = 0, holes = 0, slot = 0, estimate = 0 }
  local before = state.buckets[draw.name]
  if not before then
    return bucket, false
  end
  bucket.used, bucket.mtps = before.used, before.mtps
  bucket.waiting, bucket.holes = before.waiting, before.holes
  bucket.slot, bucket.estimate = before.slot, before.estimate
  moved_on(bucket, before.at_us or state.at_us, at_us)
  local was = bucket.used
  if before.key == draw.key then
    bucket.used = math.min(was, draw.capacity)
    return bucket, was > draw.capacity
  end
  bucket.used = carried_over(was, before.mtps, draw.mtps, draw.capacity)
  bucket.mtps, bucket.estimate = draw.mtps, 0
  without_line(bucket)
  return bucket, was > 0
end
