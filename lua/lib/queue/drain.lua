-- Drains a bucket from its level at `from`: first the used units, then unclaimed capacity, which is
-- lost. Changes the bucket.

local drained = require('state/drained')

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

return drain
