-- Quotas: a limit of operations in a period, as Quota.java has it. Parameters:
--
--   <limit> <soft> <near> <requests> <window> <number>...
--
-- soft and requests are 1 or 0, near is in percent. A window is calendar with four instants, the
-- starts of three periods and the end of the last one; or fixed or slide with milliseconds. A
-- counter has: until, end of the window, used, used in the previous window.

local ceil_div = require('ceil_div')
local KINDS = require('kinds/kinds').KINDS
local MOST = require('kinds/kinds').MOST
local NEVER = require('kinds/kinds').NEVER
local ROOM = require('kinds/kinds').ROOM

local STEPS = 1000

local function span_of(window, now)
  if window.instants then
    for i = 1, #window.instants - 1 do
      if window.instants[i] <= now and now < window.instants[i + 1] then
        return window.instants[i], window.instants[i + 1]
      end
    end
    return nil
  end
  local start = now - math.fmod(now, window.length_us)
  return start, start + window.length_us
end

local function faded(before, share)
  local rest = math.fmod(before, STEPS)
  return (before - rest) / STEPS * share + ceil_div(rest * share, STEPS)
end

-- The use of the present window: a window counted by another clock, zone or length continues until
-- its end.
local function use_of(window, stored, now)
  local start, ends = span_of(window, now)
  if not start then
    return nil
  end
  local was = stored[2] or 0
  local use = { start = start, ends = ends, used = 0, before = 0 }
  if was == ends or was > now then
    use.used, use.before = stored[3] or 0, window.slides and stored[4] or 0
  elseif window.slides and was == start then
    use.before = stored[3] or 0
  end
  return use
end

local function counter_of(window, use, used, before)
  local kept = window.slides and use.ends + (use.ends - use.start) or use.ends
  return { kept, use.ends, used, before }
end

local function fades_at(start, length_us, before, left)
  local product = STEPS * left
  local share = math.min(STEPS, (product - math.fmod(product, before)) / before)
  return start + ceil_div((STEPS - share) * (length_us / 1000), STEPS) * 1000
end

local function wait_of(demand, use, wanted, now)
  local window, length_us = demand.window, use.ends - use.start
  if not window.slides then
    return use.ends - now
  end
  if use.used + wanted <= demand.limit then
    return fades_at(use.start, length_us, use.before, demand.limit - use.used - wanted) - now
  end
  return fades_at(use.ends, length_us, use.used, demand.limit - wanted) - now
end

local function total_of(use, now)
  if use.before == 0 then
    return use.used
  end
  local length_ms = (use.ends - use.start) / 1000
  local passed = math.floor((now - use.start) / 1000) * STEPS
  return math.min(MOST, use.used + faded(use.before, STEPS - (passed - math.fmod(passed, length_ms)) / length_ms))
end

local function plus(used, more)
  return used + math.min(more, math.max(0, MOST - used))
end

-- Gives usage back to the window that ends then, if it is the counted one or the one before; nil if it
-- is neither.
local function refunded(stored, delta, ends)
  local counted = stored[2]
  if counted == ends then
    return { stored[1], counted, math.max(0, stored[3] + delta), stored[4] }
  elseif counted and 2 * counted - stored[1] == ends then
    return { stored[1], counted, stored[3], math.max(0, stored[4] + delta) }
  end
  return nil
end

-- Charges an extra cost of a calendar period that is neither the present one nor the one before. The
-- present period is assumed to be as long as that one; the next charge corrects this.
local function owed_later(delta, now, start, ends)
  local length = ends - start
  local present_ends = start + (math.floor((now - start) / length) + 1) * length
  return { present_ends, present_ends, math.min(delta, MOST), 0 }
end

KINDS.q = {
  read = function(demand, text, at)
    local limit, soft, near, requests, window, first, second, third, fourth =
      string.match(text, '^(%d+) (%d) (%d+) (%d) (%l+) ([^ ;]+) ?([^ ;]*) ?([^ ;]*) ?([^ ;]*)', at)
    demand.limit, demand.is_soft, demand.requests = tonumber(limit), soft == '1', requests == '1'
    demand.near_at = ceil_div(demand.limit * tonumber(near), 100)
    if window == 'calendar' then
      demand.window = { instants = { tonumber(first), tonumber(second), tonumber(third), tonumber(fourth) } }
    else
      demand.window = { length_us = tonumber(first) * 1000, slides = window == 'slide' }
    end
  end,
  most = function(demand)
    return (demand.is_soft or demand.requests) and math.huge or demand.limit
  end,
  room = function(demand, standing)
    if demand.is_soft or demand.requests then
      return standing.wait == ROOM and math.huge or 0
    end
    return math.max(0, demand.limit - standing.used)
  end,
  counts = function(demand, cost)
    return demand.requests and 1 or math.min(cost, MOST)
  end,
  standing = function(demand, stored, asked)
    local use = use_of(demand.window, stored, asked.now)
    if not use then
      return nil
    end
    local wanted, used = KINDS.q.counts(demand, asked.cost), total_of(use, asked.now)
    local wait = ROOM
    if not demand.is_soft and (wanted > demand.limit or used > demand.limit - wanted) then
      wait = wanted > demand.limit and NEVER or wait_of(demand, use, wanted, asked.now)
    end
    local near_by = wait == ROOM and plus(used, wanted) or used
    return { wait = wait, used = used, reset = use.ends - asked.now, near = near_by >= demand.near_at,
      taken = counter_of(demand.window, use, plus(use.used, wanted), use.before), denied = stored }
  end,
  -- A refund goes to the window in which it was taken, or to none; an extra charge to the present
  -- one. A window that is not over keeps its end: a policy may have changed its length.
  settled = function(demand, stored, delta, now, taken_us)
    local window, start, ends = demand.window, span_of(demand.window, taken_us)
    if delta < 0 then
      return refunded(stored, delta, ends)
    elseif (stored[2] or 0) > now then
      return { stored[1], stored[2], plus(stored[3], delta), stored[4] }
    end
    if window.instants then
      local _, next_ends = span_of(window, ends)
      window = { instants = { start, ends, next_ends or ends } }
    end
    local use = use_of(window, stored, now)
    return use and counter_of(window, use, plus(use.used, delta), use.before) or owed_later(delta, now, start, ends)
  end,
}
