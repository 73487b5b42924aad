-- The bucket that a draw draws from, as it stands at `now`: drained, and carried over from an older rate or burst.
-- A table of its own. Second, whether it was carried over. Uses drain, carried_over.
local function bucket_of(draw, state, now)
  local bucket = { key = draw.field, rate = draw.rate, used = 0, waiting = 0, holes = 0, slot = 0 }
  local before = state.buckets[draw.name]
  if not before then
    return bucket, false
  end
  bucket.used, bucket.rate, bucket.holes = before.used, before.rate, before.holes
  drain(bucket, state.at_us, now)
  local was = bucket.used
  if before.key == draw.field then
    bucket.used = math.min(was, draw.capacity)
    bucket.waiting, bucket.slot = before.waiting, before.slot
    return bucket, was > draw.capacity
  end
  bucket.used, bucket.rate, bucket.holes = carried_over(was, before.rate, draw.rate, draw.capacity), draw.rate, 0
  return bucket, was > 0
end

-- Whether slots that were given are no slots any more: somebody waits, and a bucket has another rate.
local function has_other_rate(draws, scope, state)
  for _, draw in ipairs(draws) do
    local bucket = draw.scope == scope and state.buckets[draw.name]
    if bucket and bucket.key ~= draw.field and (bucket.used > 0 or bucket.waiting > 0) then
      return true
    end
  end
  return false
end
