-- Ends a claim of a range, or holds on to it. What comes out of order is kept; the watermark moves in order.
--
-- KEYS
--   1 to 5   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        the first number of the range
--   7        the id of the claim
--   8        finish, fail, release (not begun: it does not count as an attempt) or renew
--   9        the result, or why it failed
-- RETURNS
--   { DONE, state, ... }         what the range is now: done, committed, waiting, failed, todo or claimed
--   { LOST, state, ... }         the claim is over
--   { UNKNOWN, '', ... }         there is no such range
--   each with the numbers of window_open.lua
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of window_open.lua

--@include now
--@include window_range
--@include window_commit
--@include window_view

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
  if not window.keeps then
    commit_through(window, math.huge, now)
  end
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

end_times(window, now)
local range = range_at(window, from)
if not range then
  local is_committed = tonumber(from) < number_of(window, 'watermark')
  return with_view(window, { is_committed and DONE or UNKNOWN, is_committed and 'committed' or '' }, now)
end
if range.claim ~= claim then
  return with_view(window, { LOST, range.state }, now)
end
if range.state ~= 'claimed' then
  local is_repeated = range.state == 'done' and verb == 'finish'
    or (range.state == 'waiting' or range.state == 'failed') and verb == 'fail'
  return with_view(window, { is_repeated and DONE or LOST, range.state }, now)
end
ends[verb](range)
return with_view(window, { DONE, range_at(window, from) and range.state or 'committed' }, now)
