-- Opens the next range of a window if fewer than its width are uncommitted.
--
-- KEYS
--   1      weir:{pNN}:window:<name>, a hash: first, the first number of the first range; next, the
--          first number of the next range; watermark, the first number that is not committed;
--          failed, the number of failed ranges; committed_us and gap_us, the last move of the
--          watermark, and the average time between ranges; at, the last call
--   2      ...:ranges, a hash: the uncommitted ranges by their first number, as of
--          lib/window_range.lua
--   3      ...:notes, a hash: results, and reasons of failures, likewise
--   4      ...:todo, a sorted set: ranges to be claimed, by their first number
--   5      ...:times, a sorted set: ranges that are claimed, or wait for another attempt, by the
--          microsecond at which that ends
--   6      ...:ended, a sorted set: `<first number> <claim>` of ranges that were committed a while
--          ago, by the microsecond of the commit
-- ARGV
--   1      the most open ranges
--   2      the most attempts of a range
--   3      length of a lease, in microseconds
--   4      the first wait before a range is tried again, in microseconds
--   5      1 if results are kept until they are committed, else 0
--   6      the first number of the range
--   7      the last number of the range
-- RETURNS
--   { OPENED, 0, ... }, { OPEN_ALREADY, 0, ... }, { COMMITTED_ALREADY, 0, ... }
--   { FULL, wait_us, ... }        there may be room after wait_us
--   { FAILED, from, ... }         full, and the first range has failed: it must be skipped or
--                                 retried
--   { NOT_NEXT, 0, ... }          the range does not follow the one before
--   each with next, watermark, and the number of ranges that are open, to be claimed, claimed or
--   waiting, and failed
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   30 days, renewed before half of it has passed

local clock = require('now')
local catch_up = require('window_commit').catch_up
local pace_us = require('window_pace').pace_us
local NOBODY = require('window_range').NOBODY
local move_range = require('window_range').move_range
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local text_of = require('window_range').text_of
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local OPENED, OPEN_ALREADY, COMMITTED_ALREADY, FULL, FAILED, NOT_NEXT = 0, 1, 2, 3, 4, 5

local from, to = ARGV[6], tonumber(ARGV[7])
local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)

-- The code if the range is known or out of order; nil if it is the next one.
local function known_already()
  local known = range_at(window, from)
  if known then
    return known.to == to and OPEN_ALREADY or NOT_NEXT
  end
  local next_from = number_of(window, 'next')
  if redis.call('EXISTS', window.state) == 0 or tonumber(from) == next_from then
    return nil
  end
  local is_committed = tonumber(from) >= number_of(window, 'first') and to < number_of(window, 'watermark')
  return is_committed and COMMITTED_ALREADY or NOT_NEXT
end

local function no_room()
  local first = range_at(window, text_of(number_of(window, 'watermark')))
  if first and first.state == 'failed' then
    return { FAILED, tonumber(first.from) }
  end
  return { FULL, pace_us(window, now) }
end

local function open()
  if redis.call('EXISTS', window.state) == 0 then
    redis.call('HSET', window.state, 'first', from, 'watermark', from, 'at', text_of(now))
  end
  redis.call('HSET', window.state, 'next', text_of(to + 1))
  move_range(window, { from = from, to = to, state = 'new', attempts = 0, claim = NOBODY, until_us = 0 }, 'todo')
  return { OPENED, 0 }
end

catch_up(window, now)
local known = known_already()
if known then
  return with_view(window, { known, 0 }, now)
end
if redis.call('HLEN', window.ranges) >= window.width then
  return with_view(window, no_room(), now)
end
return with_view(window, open(), now)
