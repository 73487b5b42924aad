-- Applies a decision of a window's planner: to skip or to retry a range that has failed, to commit,
-- or to forget the window.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        skip, retry, commit or forget
--   7        the first number of the range; for commit the last number to commit
-- RETURNS
--   { DONE, state, ... }         the range's new state: skipped, todo or committed
--   { REFUSED, state, ... }      the state of the range does not allow it; for commit '', no range
--                                ends there
--   { UNKNOWN, '', ... }         there is no such range
--   each with the numbers of window_open.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local clock = require('now')
local catch_up = require('window_commit').catch_up
local commit_through = require('window_commit').commit_through
local AT_ONCE = require('window_range').AT_ONCE
local NOBODY = require('window_range').NOBODY
local move_range = require('window_range').move_range
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local text_of = require('window_range').text_of
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local DONE, REFUSED, UNKNOWN = 0, 1, 2

local verb, number = ARGV[6], ARGV[7]
local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)

-- Whether all ranges up to the one that ends there have ended; looks at as many as are shown at
-- once.
local function ends_there(through)
  local range, left = range_at(window, text_of(number_of(window, 'watermark'))), AT_ONCE
  while range and left > 0 and (range.state == 'done' or range.state == 'skipped') do
    if range.to >= through then
      return range.to == through
    end
    range, left = range_at(window, text_of(range.to + 1)), left - 1
  end
  return false
end

local function commit()
  if tonumber(number) < number_of(window, 'watermark') then
    return { tonumber(number) >= number_of(window, 'first') and DONE or REFUSED, 'committed' }
  end
  if not ends_there(tonumber(number)) then
    return { REFUSED, '' }
  end
  commit_through(window, tonumber(number), now)
  return { DONE, 'committed' }
end

local function decide()
  local range = range_at(window, number)
  local wanted = verb == 'skip' and 'skipped' or 'todo'
  if not range then
    local is_skipped = verb == 'skip' and redis.call('ZSCORE', window.ended, number .. ' ' .. NOBODY)
    return tonumber(number) < number_of(window, 'watermark') and { is_skipped and DONE or REFUSED, 'committed' }
      or { UNKNOWN, '' }
  end
  if range.state ~= 'failed' then
    return { range.state == wanted and DONE or REFUSED, range.state }
  end
  range.attempts, range.claim = 0, NOBODY
  move_range(window, range, wanted)
  catch_up(window, now)
  return { DONE, range_at(window, number) and range.state or 'committed' }
end

if verb == 'forget' then
  redis.call('UNLINK', unpack(KEYS))
  return with_view(window, { DONE, '' }, now)
end
catch_up(window, now)
return with_view(window, verb == 'commit' and commit() or decide(), now)
