-- Ends a claim of a range, or renews it. Results may arrive in any order; the watermark moves in
-- order.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        the first number of the range
--   7        the id of the claim
--   8        finish, fail, release (not begun: it does not count as an attempt) or renew
--   9        the result, or the reason of the failure
-- RETURNS
--   { DONE, state, ... }         the range's new state: done, committed, waiting, failed, todo or
--                                claimed
--   { LOST, state, ... }         the claim has ended
--   { UNKNOWN, '', ... }         there is no such range
--   each with the numbers of window_open.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local clock = require('now')
local catch_up = require('window_commit').catch_up
local end_attempt = require('window_range').end_attempt
local move_range = require('window_range').move_range
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local DONE, LOST, UNKNOWN, LONGEST_BACKOFF_US = 0, 1, 2, 60000000

local from, claim, verb, note = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)

local ends = {}

ends.finish = function(range)
  redis.call('HDEL', window.notes, from)
  if window.keeps and note ~= '' then
    redis.call('HSET', window.notes, from, note)
  end
  move_range(window, range, 'done')
  catch_up(window, now)
end

ends.fail = function(range)
  redis.call('HSET', window.notes, from, note)
  local wait_us = math.min(LONGEST_BACKOFF_US, window.backoff_us * 2 ^ (range.attempts - 1))
  end_attempt(window, range, wait_us, now)
end

ends.release = function(range)
  range.attempts = range.attempts - 1
  move_range(window, range, 'todo')
end

ends.renew = function(range)
  move_range(window, range, 'claimed', now + window.lease_us)
end

-- Whether the claim that ended the range repeats its call.
local function is_repeated(range)
  if verb == 'finish' then
    return range.state == 'done'
  end
  local is_again = range.state == 'todo'
  return verb == 'release' and is_again or verb == 'fail' and (is_again or range.state == 'waiting'
    or range.state == 'failed')
end

local function answer_of(range)
  if not range then
    if tonumber(from) >= number_of(window, 'watermark') then
      return { UNKNOWN, '' }
    end
    local is_own = verb == 'finish' and redis.call('ZSCORE', window.ended, from .. ' ' .. claim)
    return { is_own and DONE or LOST, 'committed' }
  elseif range.claim ~= claim or range.state ~= 'claimed' then
    return { range.claim == claim and is_repeated(range) and DONE or LOST, range.state }
  end
  ends[verb](range)
  return { DONE, range_at(window, from) and range.state or 'committed' }
end

catch_up(window, now)
return with_view(window, answer_of(range_at(window, from)), now)
