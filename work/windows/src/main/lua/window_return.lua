-- Takes back claims whose answers were lost: their ranges are handed out again, without counting as
-- an attempt.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        the ids of the claims, with blanks between
-- RETURNS
--   { how many were taken back, ... }
--   with the numbers of window_open.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local clock = require('now')
local NOBODY = require('window_range').NOBODY
local end_times = require('window_range').end_times
local move_range = require('window_range').move_range
local range_at = require('window_range').range_at
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)

end_times(window, now)
local ids, count = {}, 0
for id in string.gmatch(ARGV[6], '%S+') do
  ids[id] = true
end
for _, from in ipairs(redis.call('ZRANGE', window.times, 0, -1)) do
  local range = range_at(window, from)
  if range and range.state == 'claimed' and ids[range.claim] then
    range.attempts, range.claim = range.attempts - 1, NOBODY
    move_range(window, range, 'todo')
    count = count + 1
  end
end
return with_view(window, { count }, now)
