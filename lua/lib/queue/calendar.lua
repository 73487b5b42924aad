-- How much of a bucket is due in each of its next bins of time, while callers wait for it;
-- docs/explanation/slots.md has the rules, and why the promises hold. It counts in quanta: single
-- units, or a part of the capacity that keeps every sum below 2^53. Costs are rounded up, capacity
-- and drain down. Calendar.java has the same.
--
-- A calendar is a table of what is stored, and of
--   due       what is due, by bin from base on, without zeros at the end; n: how many bins
--   name, rate, pace   the name and the rate of its bucket, and the times that scale with it (queue/pace.lua)
--   quantum, whole, step, most   units of a quantum; of the capacity, of the drain in a bin, and of
--             what may be due at once beyond that, in quanta
--   changes   how often what is due has changed, for those that derive something from it
--   uncounted  kept, since, claimed and lost before they were counted, while no decision has kept that; else false
--
-- Packed:
--   field     1 byte, text: the field of its bucket
--   era       4 bytes: distinguishes it from earlier calendars of the bucket
--   capacity  7 bytes: of the bucket, in units
--   width     6 bytes: of a bin, in microseconds
--   lives     1 byte: for how many bins a due unit is kept, including its own
--   kept      1 byte: how much of what is promised is claimed, in 64ths
--   since, claimed, lost   7 bytes each: what was claimed and what was forgotten since then
--   turn, again            7 bytes each: the last turn of a newcomer, of a caller that had waited
--   round, here, before    5, 2, 2 bytes: those that wait, in this interval and in the one before
--   larger, larger_until, passed   7 bytes each: the largest cost that waits without a place (queue/larger.lua)
--   base      7 bytes: the first bin that is not over
--   n         1 byte: how many bins, then 6 bytes for each

local ceil_div = require('ceil_div')
local CODES = require('codes')
local floor_div = require('floor_div')
local pace_of = require('queue/pace')
local TIMES = require('times')

local ERAS, MOST_COUNTED = 4294967296, 70368744177664
local FORMAT = '>Bc0I4I7I6BBI7I7I7I7I7I5I2I2I7I7I7I7B'
local formats = {} -- by the number of bins, at most 255
local CALENDAR = { BINS_BEHIND_TURN = 2 } -- how far behind its turn a place of a newcomer may be

local function derive(calendar)
  local capacity, in_bin = calendar.capacity, calendar.rate * calendar.width
  local quantum = ceil_div(capacity, TIMES.QUANTA)
  local whole = floor_div(capacity, quantum)
  calendar.quantum, calendar.whole, calendar.step = quantum, whole, floor_div(in_bin, quantum)
  calendar.most = whole - (calendar.lives + 1) * ceil_div(in_bin, quantum)
  return calendar
end

-- For how many bins a due unit is kept that suit a cost: fine ones if the bucket holds few operations, or
-- not two such costs of its only key. Between two such costs it stands idle while bins are kept.
local function lives_for(demand, cost)
  local capacity, is_own = demand.capacity, demand.scope == CODES.KEY
  return (floor_div(capacity, 8) < demand.units or is_own and floor_div(capacity, 2) < cost) and 2 or 3
end

-- Whether its bins are those that suit a cost.
function CALENDAR.suits(calendar, demand, cost)
  return calendar.lives == lives_for(demand, cost)
end

-- Gives a calendar in which nothing is due the bins for a cost; no ticket of it holds a place any more.
function CALENDAR.refine(calendar, demand, cost, now)
  local other = CALENDAR.begin(demand, cost, now)
  calendar.era, calendar.width, calendar.lives, calendar.base = other.era, other.width, other.lives, other.base
  calendar.changes = calendar.changes + 1
  derive(calendar)
end

-- An empty calendar, whose bins suit the cost that begins it.
function CALENDAR.begin(demand, cost, now)
  local capacity, rate = demand.capacity, demand.rate
  local lives = lives_for(demand, cost)
  local operation_us = ceil_div(demand.units, rate)
  local width = math.max(1000, math.min(math.max(TIMES.WIDEST_US, floor_div(operation_us, 8)),
    floor_div(capacity / rate, lives == 2 and 32 or 8)))
  return derive({ field = demand.field, pace = pace_of(demand.field), name = demand.name, rate = rate, era = now % ERAS,
    capacity = capacity, width = width, lives = lives, kept = TIMES.WHOLE, since = now, claimed = 0, lost = 0,
    turn = 0, again = 0, round = 0, here = 0, before = 0, larger = 0, larger_until = 0, passed = 0,
    base = floor_div(now, width) - lives + 1, due = {}, n = 0, changes = 0, quantum = 1, whole = 0, step = 0,
    most = 0, uncounted = false })
end

-- The formats of a calendar with so many bins: of all of it, and of the bins alone.
local function formats_of(n)
  local known = formats[n]
  if not known then
    local bins = string.rep('I6', n)
    known = { all = FORMAT .. bins, bins = '>' .. bins }
    formats[n] = known
  end
  return known
end

-- Reads one; second, the position after it.
function CALENDAR.read(text, at)
  local field, era, capacity, width, lives, kept, since, claimed, lost, turn, again, round, here, before, larger,
    larger_until, passed, base, n, after = struct.unpack(FORMAT, text, at)
  local pace, due = pace_of(field), { struct.unpack(formats_of(n).bins, text, after) }
  due[n + 1] = nil -- drops the position, which unpack appends
  return derive({ field = field, pace = pace, name = pace.name, rate = pace.rate, era = era, capacity = capacity,
    width = width, lives = lives, kept = kept, since = since, claimed = claimed, lost = lost, turn = turn,
    again = again, round = round, here = here, before = before, larger = larger, larger_until = larger_until,
    passed = passed, base = base, due = due, n = n, changes = 0, quantum = 1, whole = 0, step = 0,
    most = 0, uncounted = false }), after + 6 * n
end

function CALENDAR.packed(calendar)
  local n = calendar.n
  return struct.pack(formats_of(n).all, #calendar.field, calendar.field, calendar.era, calendar.capacity,
    calendar.width, calendar.lives, calendar.kept, calendar.since, calendar.claimed, calendar.lost, calendar.turn,
    calendar.again, calendar.round, calendar.here, calendar.before, calendar.larger, calendar.larger_until,
    calendar.passed, calendar.base, n, unpack(calendar.due, 1, n))
end

-- How many bins it has at most.
function CALENDAR.bins(calendar)
  return calendar.lives > 2 and TIMES.BINS or TIMES.FINE_BINS
end

-- Until when it has to be stored.
function CALENDAR.needed_us(calendar)
  local bins = calendar.n > 0 and (calendar.base + calendar.n - 1 + calendar.lives) * calendar.width or 0
  local pace = calendar.pace
  local waits = calendar.here + calendar.before > 0 and (calendar.round + 2) * pace.shared_us or 0
  local kept = calendar.kept < TIMES.WHOLE and calendar.since + pace.waited_us or 0
  return math.max(bins, calendar.turn, calendar.again, calendar.larger_until, waits, kept)
end

-- Whether the clock went so far back that it is of no use.
function CALENDAR.is_far_ahead(calendar, now)
  return calendar.base + calendar.n > floor_div(now, calendar.width) + 2 * CALENDAR.bins(calendar)
end

local function count_kept(calendar, now)
  local claimed, lost = calendar.claimed, calendar.lost
  calendar.uncounted = { calendar.kept, calendar.since, claimed, lost }
  local ratio = floor_div(TIMES.WHOLE * claimed, claimed + lost) + (claimed > lost and 1 or 0)
  calendar.kept = math.max(1, math.min(TIMES.WHOLE, floor_div(calendar.kept + ratio, 2)))
  calendar.claimed, calendar.lost, calendar.since = 0, 0, now
end

-- How far ahead a cost of the whole bucket waits at most.
local function longest_us(calendar)
  local burst_us = math.min(TIMES.LONGEST_US, ceil_div(calendar.capacity, calendar.rate))
  local turns_us = math.min(TIMES.TURNS * TIMES.LONGEST_US, TIMES.TICKET_TURNS * burst_us)
  return math.max(TIMES.FURTHEST_US, turns_us) + 2 * TIMES.SECOND_US
end

-- Takes back what was counted for a decision that did not keep it. States that changed before in a call are written
-- with all that was done to them: what a denial counts would else depend on the charges beside it.
function CALENDAR.uncount(calendar)
  if calendar.uncounted then
    calendar.kept, calendar.since, calendar.claimed, calendar.lost = unpack(calendar.uncounted)
    calendar.uncounted = false
  end
end

-- Forgets what is over, and counts how much of it was claimed.
function CALENDAR.advance(calendar, now)
  CALENDAR.uncount(calendar)
  local first = floor_div(now, calendar.width) - calendar.lives + 1
  local gone, due, n = first - calendar.base, calendar.due, calendar.n
  if gone > 0 then
    for i = 1, gone < n and gone or n do
      calendar.lost = math.min(MOST_COUNTED, calendar.lost + due[i])
    end
    if gone >= n then
      calendar.due, calendar.n = {}, 0
    else
      calendar.due, calendar.n = { unpack(due, gone + 1, n) }, n - gone
    end
    calendar.base = first
  end
  local larger_until = calendar.larger_until
  if larger_until > now and larger_until > now + longest_us(calendar) then
    calendar.larger_until = 0
  end
  if calendar.since > now then
    calendar.since = now
  elseif calendar.claimed + calendar.lost > 0 and now >= calendar.since + TIMES.SECOND_US then
    count_kept(calendar, now)
  end
end

-- Whether nothing of it matters any more.
function CALENDAR.is_over(calendar, now)
  if calendar.n > 0 or calendar.turn > now or calendar.again > now or calendar.larger_until > now
    or calendar.kept < TIMES.WHOLE and now < calendar.since + calendar.pace.waited_us then
    return false
  end
  -- As LINE.waiting would count them now: that changes nothing.
  local round = floor_div(now, calendar.pace.shared_us)
  if round == calendar.round then
    return calendar.here + calendar.before == 0
  end
  return round ~= calendar.round + 1 or calendar.here == 0
end

function CALENDAR.due_in(calendar, bin)
  return calendar.due[bin - calendar.base + 1] or 0
end

function CALENDAR.add(calendar, bin, quanta)
  local at, due = bin - calendar.base + 1, calendar.due
  for i = calendar.n + 1, at do
    due[i] = 0
  end
  calendar.n, calendar.changes = at > calendar.n and at or calendar.n, calendar.changes + 1
  due[at] = due[at] + quanta
end

-- Takes back, at most what is due there.
function CALENDAR.remove(calendar, bin, quanta)
  local at, due = bin - calendar.base + 1, calendar.due
  if not due[at] then
    return
  end
  due[at] = math.max(0, due[at] - quanta)
  local n = calendar.n
  while n > 0 and due[n] == 0 do
    due[n] = nil
    n = n - 1
  end
  calendar.n, calendar.changes = n, calendar.changes + 1
end

function CALENDAR.claim(calendar, quanta)
  calendar.claimed = math.min(MOST_COUNTED, calendar.claimed + quanta)
end

-- The number of 64ths of a promise that weigh in a share.
function CALENDAR.parts(calendar)
  return math.max(1, floor_div(calendar.kept * calendar.kept, TIMES.WHOLE))
end

-- The room at this level, in quanta, as if nothing were due; below 0 if there is a debt.
function CALENDAR.room(calendar, level)
  return calendar.whole - ceil_div(level, calendar.quantum)
end

-- How far ahead estimates, turns and shares of a cost that takes `each` are at most: as it, or so many such costs.
function CALENDAR.furthest_us(calendar, each)
  return math.max(TIMES.FURTHEST_US, CALENDAR.bins(calendar) * calendar.width, TIMES.TURNS * each)
end

-- Returns how much drains before the next bin begins, and the number of that bin.
function CALENDAR.first_drain(calendar, now)
  local next_bin = floor_div(now, calendar.width) + 1
  return floor_div(calendar.rate * (next_bin * calendar.width - now), calendar.quantum), next_bin
end

-- How much is due in the bins that have begun.
function CALENDAR.due_by(calendar, now)
  local sum, due = 0, calendar.due
  for i = 1, math.min(calendar.n, floor_div(now, calendar.width) - calendar.base + 1) do
    sum = sum + due[i]
  end
  return sum
end

-- The room for a newcomer at this level beside all that is due, in quanta.
function CALENDAR.free(calendar, level, now)
  local first, next_bin = CALENDAR.first_drain(calendar, now)
  local left, due, present, n = CALENDAR.room(calendar, level), calendar.due, next_bin - calendar.base, calendar.n
  local free, step, before = left, calendar.step, math.max(0, math.min(n, present))
  for i = 1, before do
    left = left - due[i]
  end
  free = left < free and left or free
  left = left + first + (before - present) * step
  for i = before + 1, n do
    left = left - due[i]
    free = left < free and left or free
    left = left + step
  end
  return free
end

-- The instant in a bin at which what is due in it has drained, or its last one.
function CALENDAR.drained_at(calendar, bin)
  local width = calendar.width
  local drain_us = floor_div(CALENDAR.due_in(calendar, bin) * calendar.quantum, calendar.rate)
  return bin * width + (drain_us < width and drain_us or width - 1)
end

return CALENDAR
