-- Lists the ranges of a window that have failed, or that may be committed, in order. Commits
-- nothing: nodes call it too, and a newer policy, unknown to them, may keep the results.
--
-- KEYS
--   1 to 6   as of window_open.lua
-- ARGV
--   1 to 5   as of window_open.lua
--   6        failed or ended
--   7        the most ranges to return
-- RETURNS
--   { from, to, state, attempts, note for each range; then the numbers of window_open.lua }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of window_open.lua

local clock = require('now')
local end_times = require('window_range').end_times
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local text_of = require('window_range').text_of
local window_of = require('window_range').window_of
local with_view = require('window_view')

local now_us = clock(ARGV)

local what, most = ARGV[6], tonumber(ARGV[7])
local now = now_us(1)
local window = window_of(redis.call, KEYS, ARGV)
local answer = {}

local function is_asked_for(range)
  if what == 'failed' then
    return range.state == 'failed'
  end
  return range.state == 'done' or range.state == 'skipped'
end

local function show(range)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] = tonumber(range.from), range.to, range.state,
    range.attempts
  answer[n + 5] = redis.call('HGET', window.notes, range.from) or ''
end

end_times(window, now)
local range = range_at(window, text_of(number_of(window, 'watermark')))
local left = what == 'failed' and math.min(most, number_of(window, 'failed')) or most
while range and left > 0 and (what == 'failed' or is_asked_for(range)) do
  if is_asked_for(range) then
    show(range)
    left = left - 1
  end
  range = range_at(window, text_of(range.to + 1))
end
return with_view(window, answer, now)
