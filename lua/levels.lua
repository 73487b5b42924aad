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
local state_from = require('queue/state_from')
local drained = require('state/drained')
local unpacked = require('state/unpacked')

local now_us = clock(ARGV)

local layout, numbers = unpacked(redis.call('GET', KEYS[1]))
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
