-- The watermark of a window.

local end_times = require('window_range').end_times
local number_of = require('window_range').number_of
local range_at = require('window_range').range_at
local text_of = require('window_range').text_of

local SMOOTHING, MOST_AT_ONCE, FIRST_US = 0.2, 4, 1000000
-- The claims of committed ranges are kept for ten minutes, at most 10,000: a worker may repeat its
-- finish.
local REMEMBERED_US, MOST_REMEMBERED = 600000000, 10000

-- The time between two committed ranges, as a moving average; idle times are capped at four times
-- the average.
local function keep_pace(window, count, now)
  local last, gap = number_of(window, 'committed_us'), number_of(window, 'gap_us')
  local seen = last > 0 and math.max(0, now - last) / count or 0
  seen = math.min(seen, gap > 0 and MOST_AT_ONCE * gap or FIRST_US)
  gap = gap > 0 and gap + SMOOTHING * (seen - gap) or seen
  window.call('HSET', window.state, 'committed_us', text_of(now), 'gap_us', text_of(gap))
end

-- Moves the watermark over ended ranges, in order, up to the first that has not ended or ends after
-- `through`.
local function commit_through(window, through, now)
  local watermark, gone, ended = number_of(window, 'watermark'), {}, {}
  local range = range_at(window, text_of(watermark))
  while range and range.to <= through and (range.state == 'done' or range.state == 'skipped') do
    gone[#gone + 1] = range.from
    ended[#ended + 1], ended[#ended + 2] = text_of(now), range.from .. ' ' .. range.claim
    watermark = range.to + 1
    range = range_at(window, text_of(watermark))
  end
  if #gone > 0 then
    window.call('HDEL', window.ranges, unpack(gone))
    window.call('HDEL', window.notes, unpack(gone))
    window.call('ZADD', window.ended, unpack(ended))
    window.call('ZREMRANGEBYSCORE', window.ended, '-inf', text_of(now - REMEMBERED_US))
    window.call('ZREMRANGEBYRANK', window.ended, 0, -1 - MOST_REMEMBERED)
    window.call('HSET', window.state, 'watermark', text_of(watermark))
    keep_pace(window, #gone, now)
  end
end

-- Ends expired leases and waits, and commits ranges if the planner does not commit them itself.
local function catch_up(window, now)
  end_times(window, now)
  if not window.keeps then
    commit_through(window, math.huge, now)
  end
end

return { catch_up = catch_up, commit_through = commit_through }
