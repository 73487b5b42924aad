-- Says how long the buckets of a state take until they are empty, if nobody comes, and changes nothing. That time
-- beside the burst of a bucket is how full it is, whatever its rate was when it was asked last.
--
-- KEYS
--   1      the state, such as weir:cluster
-- ARGV
--   none
-- RETURNS
--   name, drain_us, ...   of each bucket; nothing where there is no state, or none that can be understood
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

--@include now
--@include layout
--@include layout_of
--@include unpacked
--@include state_from
--@include ceil_div
--@include drained

local layout, numbers = unpacked(redis.call('GET', KEYS[1]), {})
if not layout then
  return {}
end
local state, levels = state_from(layout, numbers), {}
local elapsed_us = math.max(0, now_us(1) - state.at_us)
for name, bucket in pairs(state.buckets) do
  levels[#levels + 1] = name
  levels[#levels + 1] = ceil_div(drained(bucket.used, bucket.rate, elapsed_us), bucket.rate)
end
return levels
