-- A window and its ranges. A range is stored as `<to> <state> <attempts> <claim> <until_us>`, by
-- its first number. States: todo, claimed, waiting (for another attempt), done, failed, skipped.
-- `keys` and the first five arguments are those of window_open.lua; `call` runs a command.

local LEASED = require('leased')

local AT_ONCE, NOBODY, BACK_US = 100, '*', 100000

local function window_of(call, keys, arguments)
  return { call = call, keys = keys, state = keys[1], ranges = keys[2], notes = keys[3], todo = keys[4],
    times = keys[5], ended = keys[6], width = tonumber(arguments[1]), attempts = tonumber(arguments[2]),
    lease_us = tonumber(arguments[3]), backoff_us = tonumber(arguments[4]), keeps = arguments[5] == '1' }
end

local function text_of(number)
  return string.format('%d', number)
end

local function number_of(window, field)
  return tonumber(window.call('HGET', window.state, field) or 0)
end

local function range_at(window, from)
  local text = window.call('HGET', window.ranges, from)
  if not text then
    return nil
  end
  local to, state, attempts, claim, until_us = string.match(text, '^(%d+) (%a+) (%d+) (%S+) (%d+)$')
  return { from = from, to = tonumber(to), state = state, attempts = tonumber(attempts), claim = claim,
    until_us = tonumber(until_us) }
end

local function store_range(window, range)
  window.call('HSET', window.ranges, range.from, string.format('%d %s %d %s %d', range.to, range.state, range.attempts,
    range.claim, range.until_us))
end

-- Moves a range to another state: the sets follow. All transitions use it.
local function move_range(window, range, state, until_us)
  if range.state == 'todo' then
    window.call('ZREM', window.todo, range.from)
  elseif range.state == 'claimed' or range.state == 'waiting' then
    window.call('ZREM', window.times, range.from)
  elseif range.state == 'failed' then
    window.call('HINCRBY', window.state, 'failed', -1)
  end
  range.state, range.until_us = state, until_us or 0
  if state == 'todo' then
    window.call('ZADD', window.todo, range.from, range.from)
  elseif state == 'claimed' or state == 'waiting' then
    LEASED.hold(window.call, window.times, range.from, until_us)
  elseif state == 'failed' then
    window.call('HINCRBY', window.state, 'failed', 1)
  end
  store_range(window, range)
end

-- Ends a failed attempt: the range is tried again after a while, or has failed permanently.
local function end_attempt(window, range, wait_us, now)
  if range.attempts >= window.attempts then
    move_range(window, range, 'failed')
  elseif wait_us > 0 then
    move_range(window, range, 'waiting', now + wait_us)
  else
    move_range(window, range, 'todo')
  end
end

-- If the clock was set back by more than 0.1 s since the last call, leases and waits move back with
-- it.
local function follow_clock(window, now)
  local at = window.call('HGET', window.state, 'at')
  if not at then
    return -- no range was opened yet
  end
  local back = tonumber(at) - now
  if back > BACK_US then
    for _, from in ipairs(window.call('ZRANGE', window.times, 0, -1)) do
      local range = range_at(window, from)
      if range then
        move_range(window, range, range.state, range.until_us - back)
      end
    end
  end
  window.call('HSET', window.state, 'at', text_of(now))
end

-- Ends expired leases and waits.
local function end_times(window, now)
  follow_clock(window, now)
  for _, from in ipairs(LEASED.over(window.call, window.times, now, AT_ONCE)) do
    local range = range_at(window, from)
    if not range then
      window.call('ZREM', window.times, from)
    elseif range.state == 'claimed' then
      window.call('HSET', window.notes, from, 'the lease is over')
      range.claim = NOBODY
      end_attempt(window, range, 0, now)
    else
      move_range(window, range, 'todo')
    end
  end
end

return { AT_ONCE = AT_ONCE, NOBODY = NOBODY, end_attempt = end_attempt, end_times = end_times,
  move_range = move_range, number_of = number_of, range_at = range_at, text_of = text_of, window_of = window_of }
