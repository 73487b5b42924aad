-- Compares the sets of a window, and its count of failed ranges, with its ranges.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1        the most ranges, and members of a set: more are not compared
--   2        1 to repair what differs, else 0
-- RETURNS
--   { size, then for each difference: place, counted, found }
--   as of lib/drift.lua; size is the largest number of ranges and of members of a set
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local DRIFT = require('drift')
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local window_of = require('window_range').window_of

local most = tonumber(ARGV[1])
local window = window_of(redis.call, KEYS, {})
local todo, times, failed = {}, {}, 0

local function sort_in(range)
  if range.state == 'todo' then
    todo[range.from] = tonumber(range.from)
  elseif range.state == 'claimed' or range.state == 'waiting' then
    times[range.from] = range.until_us
  elseif range.state == 'failed' then
    failed = failed + 1
  end
end

local size = math.max(redis.call('HLEN', window.ranges), redis.call('ZCARD', window.todo),
  redis.call('ZCARD', window.times))
if size > most then
  return { size }
end
local ranges = redis.call('HGETALL', window.ranges)
for i = 1, #ranges, 2 do
  sort_in(range_at(window, ranges[i]))
end
local comparison = DRIFT.comparison(redis.call, size, ARGV[2] == '1')
DRIFT.fields(comparison, 'window', window.state, { failed = number_of(window, 'failed') }, { failed = failed })
DRIFT.members(comparison, 'todo', window.todo, todo)
DRIFT.members(comparison, 'times', window.times, times)
return comparison.answer
