-- What a new caller finds used: in a line, all but the holes.
local function shown(draw)
  local bucket = draw.bucket
  if bucket.waiting > 0 then
    return math.max(bucket.used, draw.capacity - math.min(bucket.holes, draw.capacity))
  end
  return bucket.used
end
