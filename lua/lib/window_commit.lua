-- The watermark of a window. Uses window_range.
local SMOOTHING, MOST_AT_ONCE, FIRST_US, KEPT_ENDS = 0.2, 4, 1000000, 2

-- How long it takes from one range to the next, as a moving average; times in which nobody worked count for little.
local function keep_pace(window, count, now)
  local last, gap = number_of(window, 'committed_us'), number_of(window, 'gap_us')
  local seen = last > 0 and math.max(0, now - last) / count or 0
  seen = math.min(seen, gap > 0 and MOST_AT_ONCE * gap or FIRST_US)
  gap = gap > 0 and gap + SMOOTHING * (seen - gap) or seen
  window.call('HSET', window.state, 'committed_us', text_of(now), 'gap_us', text_of(gap))
end

-- Moves the watermark over ranges that have ended, in order, up to one that has not, or that ends after `through`.
local function commit_through(window, through, now)
  local watermark, count = number_of(window, 'watermark'), 0
  local range = range_at(window, text_of(watermark))
  while range and range.to <= through and (range.state == 'done' or range.state == 'skipped') do
    window.call('HDEL', window.ranges, range.from)
    window.call('HDEL', window.notes, range.from)
    window.call('ZADD', window.ended, range.from, range.from .. ' ' .. range.claim)
    watermark, count = range.to + 1, count + 1
    range = range_at(window, text_of(watermark))
  end
  if count > 0 then
    window.call('HSET', window.state, 'watermark', text_of(watermark))
    window.call('ZREMRANGEBYRANK', window.ended, 0, -1 - KEPT_ENDS * window.width)
    keep_pace(window, count, now)
  end
end

-- Ends leases and waits that are over, and commits ranges that need no commit of the planner any more.
local function catch_up(window, now)
  end_times(window, now)
  if not window.keeps then
    commit_through(window, math.huge, now)
  end
end
