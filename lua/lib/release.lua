-- A place is gone and leaves a hole in its bucket; with the last one the queue of the bucket ends. Uses TIMES.
local function end_queue_of(bucket)
  bucket.waiting, bucket.holes, bucket.slot = 0, 0, 0
end

local function release(bucket, units)
  bucket.waiting = bucket.waiting - 1
  bucket.holes = math.min(bucket.holes + units, TIMES.MAX_UNITS - bucket.used)
  if bucket.waiting <= 0 then
    end_queue_of(bucket)
  end
end
