-- Removes a place and makes its capacity unclaimed; the last place ends the queue of the bucket.

local TIMES = require('times')

local function end_queue_of(bucket)
  bucket.waiting, bucket.unclaimed, bucket.slot = 0, 0, 0
end

local function release(bucket, units)
  bucket.waiting = bucket.waiting - 1
  bucket.unclaimed = math.min(bucket.unclaimed + units, TIMES.MAX_UNITS - bucket.used)
  if bucket.waiting <= 0 then
    end_queue_of(bucket)
  end
end

return { end_queue_of = end_queue_of, release = release }
