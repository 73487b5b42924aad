-- Hands out the first range of a window with state todo.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        the id of the claim
-- RETURNS
--   { CLAIMED, from, to, attempt, ... }
--   { NOTHING, wait_us, 0, 0, ... }   there may be one after wait_us
--   each with the numbers of window_open.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local clock = require('now')
local catch_up = require('window_commit').catch_up
local SHORTEST_US = require('window_pace').SHORTEST_US
local pace_us = require('window_pace').pace_us
local move_range = require('window_range').move_range
local range_at = require('window_range').range_at
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local CLAIMED, NOTHING = 0, 1

local claim = ARGV[6]
local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)

local function next_wait()
  local first = redis.call('ZRANGE', window.times, 0, 0, 'WITHSCORES')[2]
  local pace = pace_us(window, now)
  return first and math.max(SHORTEST_US, math.min(pace, tonumber(first) - now)) or pace
end

catch_up(window, now)
local from = redis.call('ZRANGE', window.todo, 0, 0)[1]
if not from then
  return with_view(window, { NOTHING, next_wait(), 0, 0 }, now)
end
local range = range_at(window, from)
range.attempts, range.claim = range.attempts + 1, claim
move_range(window, range, 'claimed', now + window.lease_us)
return with_view(window, { CLAIMED, tonumber(from), range.to, range.attempts }, now)
