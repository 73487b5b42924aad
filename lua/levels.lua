-- Returns the time until each bucket of a state is empty, without new requests. Changes nothing.
-- That time in relation to the bucket's burst is its fill level, whatever the rate of its last
-- charge.
--
-- KEYS
--   1      the state, such as weir:cluster
-- ARGV
--   none
-- RETURNS
--   name, drain_us, ...   of each bucket; empty if there is no state, or an unreadable one
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

local ceil_div = require('ceil_div')
local clock = require('now')
local STATE = require('state/state')

local now = clock(ARGV)(1)
local state, levels = STATE.read(redis.call('GET', KEYS[1]), now), {}
if not state then
  return levels
end
STATE.move_to(state, math.max(now, state.at_us))
for name, bucket in pairs(state.buckets) do
  levels[#levels + 1] = name
  levels[#levels + 1] = ceil_div(bucket.used, bucket.rate)
end
return levels
