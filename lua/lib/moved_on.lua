-- The bucket later: its water drains, and then what nobody kept is lost to time. Changes the bucket, that
-- stood so at `from`.
local function moved_on(bucket, from, to)
  if to <= from then
    return
  end
  local gone = (to - from) * bucket.mtps
  if gone < bucket.used then
    bucket.used = bucket.used - gone
    return
  end
  local rest = gone - bucket.used
  bucket.used = 0
  bucket.holes = rest >= bucket.holes and 0 or bucket.holes - rest
end
