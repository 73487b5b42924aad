-- How much may be promised in each bin of a calendar: what can be paid when it is due, and what the
-- bucket can store if nobody comes before. Headroom.java has the same.

local ceil_div = require('ceil_div')
local CALENDAR = require('queue/calendar')

local HEADROOM = {}

-- The rule of storing, forward: a leaky bucket over the calendar. Returns of each bin what stands
-- behind it, what stands at the end, and the sum of all bins.
local function standing(calendar)
  local due, step, n, stands, sum = calendar.due, calendar.step, calendar.n, 0, 0
  local behind = { unpack(due, 1, n) }
  for i = 1, n do
    local here = behind[i]
    sum, stands = sum + here, stands + here - step
    if stands < 0 then
      stands = 0
    end
    behind[i] = stands
  end
  return behind, stands, sum
end

-- Looks at a calendar, beside which there is some room, for costs of so many quanta or more. Of what drains until a
-- bin, one part of `others` is kept for others; 0 for nothing. What can be paid only grows from bin to bin, so it goes
-- back from the last one to the first with room; `opens` is that bin.
function HEADROOM.of(calendar, free, now, others, quanta)
  local known, stands, all = standing(calendar)
  local first, next_bin = CALENDAR.first_drain(calendar, now)
  local headroom = { free = free, others = others, stands = stands, all = all, known = known, first = first,
    next_bin = next_bin, opens = calendar.base, changes = calendar.changes }
  local due, step, most, present = calendar.due, calendar.step, calendar.most, next_bin - calendar.base
  local low, room, drained = math.huge, math.huge, first + (calendar.n - 1 - present) * step
  local left, behind = free - all, known[calendar.n]
  for i = calendar.n, 1, -1 do
    local here, before, payable, stored = due[i], known[i - 1] or 0, left, most - behind
    local idle = step - here - before
    if i > present then
      payable = left + (others > 0 and drained - ceil_div(drained, others) or drained)
    end
    if payable < quanta then
      headroom.opens = calendar.base + i
      return headroom
    elseif payable < low then
      low = payable
    end
    if stored < room then
      room = stored
    end
    if idle > 0 then
      room = room + idle
    end
    known[i] = low < room and low or room
    left, drained, behind = left + here, drained - step, before
  end
  return headroom
end

-- How much may be promised in a bin that is not over; 0 if that is less than was asked about.
function HEADROOM.at(headroom, calendar, bin)
  local ahead = bin - calendar.base - calendar.n + 1
  if bin < headroom.opens then
    return 0
  elseif ahead <= 0 then
    return headroom.known[bin - calendar.base + 1]
  end
  local step, left, from_now = calendar.step, headroom.free - headroom.all, bin - headroom.next_bin
  if from_now >= 0 then
    local drained, others = headroom.first + from_now * step, headroom.others
    left = left + (others > 0 and drained - ceil_div(drained, others) or drained)
  end
  local stored = ahead * step - headroom.stands
  stored = calendar.most + (stored < step and stored or step)
  return left < stored and left or stored
end

-- A cost above what may be due at once is due behind all others only, where it fits beside each of
-- them.
local function behind(headroom, calendar, quanta)
  local held, bin = 0, math.max(calendar.base + calendar.n, headroom.next_bin - 1)
  for i = calendar.n, 1, -1 do
    held = held + calendar.due[i]
    if calendar.due[i] > 0 then
      -- Rounded down, of negative numbers too.
      local apart = -ceil_div(held + quanta - calendar.whole, calendar.step)
      bin = math.max(bin, calendar.base + i - 1 + calendar.lives - apart)
    end
  end
  local missing = headroom.all + quanta - headroom.free
  if missing > 0 then
    bin = math.max(bin, headroom.next_bin + math.max(0, ceil_div(missing - headroom.first, calendar.step)))
  end
  return bin
end

-- The first bin from one on, at most the last one, with room for a cost; behind the last one if there
-- is none.
function HEADROOM.first_bin(headroom, calendar, quanta, from, last)
  if quanta > calendar.most then
    return math.max(from, behind(headroom, calendar, quanta))
  end
  local known, before, opens = headroom.known, calendar.base - 1, headroom.opens
  local bin = from > opens and from or opens
  while bin <= last do
    if (known[bin - before] or HEADROOM.at(headroom, calendar, bin)) >= quanta then
      return bin
    end
    bin = bin + 1
  end
  return bin
end

return HEADROOM
