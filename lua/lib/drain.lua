-- Lets a bucket drain that stood so at `from`: its level, and then what nobody kept is lost to time. Changes it.
-- Uses drained.
local function drain(bucket, from, to)
  if to <= from then
    return
  end
  local used, elapsed_us = bucket.used, to - from
  bucket.used = drained(used, bucket.rate, elapsed_us)
  if bucket.used == 0 then
    bucket.unclaimed = drained(used + bucket.unclaimed, bucket.rate, elapsed_us)
  end
end
