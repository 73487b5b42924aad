-- The bucket of a demand at `now`: drained, and carried over from an older rate or burst, as a new
-- table. Second, whether it was carried over.

local drain = require('queue/drain')
local carried_over = require('state/carried_over')

local function bucket_of(demand, state, now)
  local bucket = { key = demand.field, rate = demand.rate, used = 0, waiting = 0, unclaimed = 0, slot = 0, debt = 0 }
  local before = state.buckets[demand.name]
  if not before then
    return bucket, false
  end
  bucket.used, bucket.rate, bucket.unclaimed = before.used, before.rate, before.unclaimed
  drain(bucket, state.at_us, now)
  local was = bucket.used
  if before.key == demand.field then
    local most = demand.capacity + before.debt
    bucket.used = math.min(was, most)
    bucket.debt = math.max(0, bucket.used - demand.capacity)
    bucket.waiting, bucket.slot = before.waiting, before.slot
    return bucket, was > most
  end
  bucket.used = carried_over(was, before.rate, demand.rate, demand.capacity)
  bucket.rate, bucket.unclaimed = demand.rate, 0
  return bucket, was > 0
end

-- Whether the given slots are void: the rate of a bucket has changed while requests wait.
local function has_other_rate(demands, scope, state)
  for _, demand in ipairs(demands) do
    local bucket = demand.scope == scope and state.buckets[demand.name]
    if bucket and bucket.key ~= demand.field and (bucket.used > 0 or bucket.waiting > 0) then
      return true
    end
  end
  return false
end

return { bucket_of = bucket_of, has_other_rate = has_other_rate }
