-- One bucket as one request sees it: what is free beside all that is due. BucketView.java has the
-- same. A view is a table of
--   demand, cost       what the request demands, and its cost in units of the bucket; from the demand
--                      its capacity
--   each               the time that the cost takes at the whole rate, 0 before anybody has asked for it
--   used, debt         the bucket at `now`; is_carried if that is after a change of policy
--   calendar, quanta   the calendar, false if nobody waits, and the cost in its quanta
--   child, line        the state of the key in a bucket of its tenant, of the tenant in one of the
--                      cluster, and what it keeps for this bucket
--   waiting            the keys or tenants that wait, with this one among them
--   held, bin          whether the request has a place in it, that was given back, and the bin
--   has_waited         whether the request has waited for it: at another bucket it is a newcomer
--   spare, refused     units that are left free for others, and whether the request has to wait
--   for_larger         of these, what is left free for a larger cost that waits (queue/larger.lua)
--   is_mine, from, last   whether any of its bins may be promised to the request, and of a place where it
--                      may begin, and how far away it may be (queue/find_place.lua)
--   is_packed, near    whether places follow one another, and the last bin that it may promise to anybody then, else
--                      false
--   is_passed          whether a crowd of others would pass the key for ever, though it is within its share

local ceil_div = require('ceil_div')
local CODES = require('codes')
local floor_div = require('floor_div')
local CALENDAR = require('queue/calendar')
local LARGER = require('queue/larger')
local LINE = require('queue/line')
local HEADROOM = require('queue/headroom')
local level_of = require('state/level_of')
local pace_of = require('queue/pace')
local TIMES = require('times')

local VIEW = {}

local function see_line(view)
  view.line = view.child.lines[view.demand.field] or LINE.NONE
  view.waiting = view.is_shared and view.calendar and LINE.waiting(view.calendar, view.line, view.now) or 1
end

-- The view of a demand whose bucket has a level and a debt, in the states of the request, by scope.
function VIEW.at(demand, cost, used, debt, is_carried, states, now)
  local scope, capacity = demand.scope, demand.capacity
  local calendar = states[scope].calendars[demand.name]
  if not calendar or calendar.field ~= demand.field or calendar.capacity ~= capacity then
    calendar = false
  end
  -- 32 fields: a table of one more takes twice the memory.
  local view = { demand = demand, capacity = capacity, cost = cost, each = 0, used = used, debt = debt,
    is_carried = is_carried, calendar = calendar, quanta = calendar and ceil_div(cost, calendar.quantum) or 0,
    is_shared = scope ~= CODES.KEY, now = now, child = states[scope == CODES.CLUSTER and CODES.TENANT or CODES.KEY],
    line = LINE.NONE, waiting = 1, held = false, bin = 0, spare = 0, refused = false, was_plain = true, seen = 0,
    free = 0, free_by = -1, free_at = -1, headroom = false, from = 0, last = 0, is_mine = false, has_waited = false,
    for_larger = 0, is_packed = false, near = false, is_passed = false }
  see_line(view)
  return view
end

-- The view of a demand in the states of the request, by scope.
function VIEW.of(demand, cost, states, now)
  local used, debt, is_carried = level_of(demand, states[demand.scope], now)
  return VIEW.at(demand, cost, used, debt, is_carried, states, now)
end

-- Prepares it for the next of several equal requests.
function VIEW.look_again(view, state)
  view.held = false
  view.calendar = view.calendar and state.calendars[view.demand.name] or false
  see_line(view)
end

local function is_plain(view)
  return not view.calendar or view.calendar.n == 0
end

-- Whether it holds a place, which is held in shared buckets, too, or in those of the key alone.
function VIEW.holds(view, shared)
  return shared == 1 or not view.is_shared
end

-- A request's own place, at the moment of its bin.
function VIEW.is_alive(view, moment)
  return view.calendar and floor_div(moment, view.calendar.width) >= view.calendar.base
end

function VIEW.give_back(view, moment)
  view.held, view.bin = true, floor_div(moment, view.calendar.width)
  CALENDAR.remove(view.calendar, view.bin, view.quanta)
end

function VIEW.restore(view)
  CALENDAR.add(view.calendar, view.bin, view.quanta)
end

-- The room for a newcomer beside all that is due, in quanta; kept while neither the level nor the due amount changes.
local function free_of(view)
  local calendar, level = view.calendar, view.used
  if view.free_by == calendar.changes and view.free_at == level then
    return view.free
  end
  local free = CALENDAR.free(calendar, level, view.now)
  view.free, view.free_by, view.free_at = free, calendar.changes, level
  return free
end

-- The room that a request leaves free for other callers: for a larger request that waits; a shared bucket keeps some
-- room for children within their share while several wait, and for those that have waited.
function VIEW.spare_for(view, waited, wants)
  view.for_larger = 0
  if not view.calendar or view.held then
    return 0
  end
  view.for_larger = waited and 0 or LARGER.left_by(view.calendar, view.cost, view.now)
  if not view.is_shared or floor_div(view.capacity, 4) < view.cost or VIEW.is_mine(view, waited) then
    return view.for_larger
  end
  local steps = (view.waiting > 1 and 1 or 0) + (wants and not waited and 1 or 0)
  local step = math.max(floor_div(view.capacity, 32), math.min(view.demand.units, floor_div(view.capacity, 8)))
  return math.max(view.for_larger, steps * step)
end

-- Whether the bucket lets it pass: with a place by its level alone, else beside all that is due and
-- what it leaves free.
function VIEW.has_room(view)
  local plain, calendar, spare = is_plain(view), view.calendar, view.spare
  view.was_plain, view.seen = plain, plain and 0 or free_of(view)
  if plain or view.held then
    view.refused = view.used > view.capacity - view.cost - spare
  else
    view.refused = view.seen < view.quanta + (spare > 0 and ceil_div(spare, calendar.quantum) or 0)
  end
  return not view.refused
end

local function capped_units(calendar, quanta)
  return quanta > TIMES.MAX_UNITS / calendar.quantum and TIMES.MAX_UNITS or quanta * calendar.quantum
end

-- The wait until it has room beside what is due by then.
function VIEW.wait_us(view)
  if is_plain(view) then
    local missing = view.used - (view.capacity - view.cost - view.spare)
    return missing > 0 and math.min(TIMES.MOST_WAIT_US, ceil_div(missing, view.demand.rate)) or 0
  end
  local calendar = view.calendar
  local missing = CALENDAR.due_by(calendar, view.now) + view.quanta + ceil_div(view.spare, calendar.quantum)
    - CALENDAR.room(calendar, view.used)
  return math.min(TIMES.MOST_WAIT_US, ceil_div(capped_units(calendar, math.max(0, missing)), view.demand.rate))
end

-- The wait until a newcomer has room beside all that is due, if nobody else comes.
function VIEW.newcomer_wait_us(view)
  if is_plain(view) then
    return VIEW.wait_us(view)
  end
  local calendar, wait = view.calendar, 1
  local first, next_bin = CALENDAR.first_drain(calendar, view.now)
  local missing = VIEW.needed_quanta(view, 1) - CALENDAR.room(calendar, view.used)
  for i = 1, calendar.n do
    local bin = calendar.base + i - 1
    missing = missing + calendar.due[i]
    local beyond = bin < next_bin and missing or missing - first - (bin - next_bin) * calendar.step
    if beyond > 0 then
      local begins = math.max(0, bin * calendar.width - view.now)
      wait = math.max(wait, begins + ceil_div(capped_units(calendar, beyond), view.demand.rate))
    end
  end
  return math.min(TIMES.MOST_WAIT_US, wait)
end

-- The time that so many costs take at the whole rate, one if that is left out.
function VIEW.each_us(view, times)
  local micros = view.each
  if micros == 0 then
    micros = math.min(TIMES.LONGEST_US, ceil_div(view.cost, view.demand.rate))
    view.each = micros
  end
  if not times then
    return micros
  end
  return times > floor_div(TIMES.LONGEST_US, micros) and TIMES.LONGEST_US or micros * times
end

-- How many such costs drain in a second, for one of those that wait.
function VIEW.per_second(view)
  return floor_div(TIMES.SECOND_US, VIEW.each_us(view) * view.waiting)
end

-- How far ahead its estimates, turns and shares are at most: as its calendar, or so many such costs.
function VIEW.furthest_us(view)
  local calendar, each = view.calendar, VIEW.each_us(view)
  return calendar and CALENDAR.furthest_us(calendar, each) or math.max(TIMES.FURTHEST_US, TIMES.TURNS * each)
end

function VIEW.waited_us(view)
  local calendar = view.calendar
  return (calendar and calendar.pace or pace_of(view.demand.field)).waited_us
end

-- Its line, which is kept from now on.
function VIEW.own_line(view)
  if view.line == LINE.NONE then
    view.line = LINE.new(view.demand.field)
    view.child.lines[view.demand.field] = view.line
  end
  return view.line
end

local function takes(view, each, of, parts)
  local calendar, now = view.calendar, view.now
  LINE.takes(VIEW.own_line(view), each, of, parts, now, now + VIEW.furthest_us(view))
  if view.is_shared and view.line.served > now then
    LINE.count(calendar, view.line, now)
  end
end

-- Takes the cost.
function VIEW.take(view)
  local calendar, used, quanta = view.calendar, view.used + view.cost, view.quanta
  view.used, view.debt = used, used > view.capacity and used - view.capacity or 0
  if not calendar then
    return
  end
  LARGER.take(calendar, view.cost)
  if not view.was_plain then
    view.seen = view.seen - quanta
  end
  if calendar.quantum == 1 and view.free_by == calendar.changes then
    view.free, view.free_at = view.free - quanta, used
  end
  if view.held then
    CALENDAR.claim(calendar, quanta)
  elseif view.is_shared then
    takes(view, VIEW.each_us(view), view.waiting, 1)
  end
end

function VIEW.need_calendar(view)
  local calendar = view.calendar
  if not calendar then
    calendar = CALENDAR.begin(view.demand, view.cost, view.now)
    view.calendar, view.quanta = calendar, ceil_div(view.cost, calendar.quantum)
  elseif calendar.n == 0 and not CALENDAR.suits(calendar, view.demand, view.cost) then
    CALENDAR.refine(calendar, view.demand, view.cost, view.now)
    view.headroom = false
  end
  return calendar
end

-- Whether any of its bins may be promised to this request.
function VIEW.is_mine(view, waited)
  return view.held or (view.line.served <= view.now and (waited or view.line.turn <= view.now))
end

-- Whether a shared bucket has room for the request, which waits for another bucket, and no other key or tenant waits:
-- then a place takes nothing from anybody, whatever share was had.
function VIEW.is_open(view)
  return view.is_shared and view.waiting == 1 and not view.refused
end

-- The request waits without a place until then.
function VIEW.waits_until(view, until_us)
  LARGER.waits(VIEW.need_calendar(view), view.cost, view.now, until_us)
end

-- The room that a place for so many costs needs in a bin, beside a larger one that waits.
function VIEW.needed_quanta(view, times)
  return view.quanta * times + ceil_div(view.for_larger, view.calendar.quantum)
end

-- The wait until its level alone lets the cost pass, beside a larger one.
function VIEW.level_wait_us(view)
  local missing = view.used + view.cost + view.for_larger - view.capacity
  return missing > 0 and math.min(TIMES.MOST_WAIT_US, ceil_div(missing, view.demand.rate)) or 0
end

-- The room in its bins for this request, once VIEW.reach has seen it; kept while nothing changes.
function VIEW.headroom(view)
  local calendar, headroom = view.calendar, view.headroom
  local others = view.is_shared and not view.is_mine and not view.is_packed and view.waiting + 1 or 0
  local free = CALENDAR.room(calendar, view.used)
  if not headroom or headroom.changes ~= calendar.changes or headroom.free ~= free or headroom.others ~= others then
    headroom = HEADROOM.of(calendar, free, view.now, others, view.quanta)
    view.headroom = headroom
  end
  return headroom
end

-- Whether a gap between places for such costs would be too small for anybody, while they are claimed.
function VIEW.has_no_gaps(view)
  return view.is_shared and 2 * view.cost > view.capacity
    and 4 * CALENDAR.parts(VIEW.need_calendar(view)) >= 3 * TIMES.WHOLE
end

-- How many bins ahead the bucket may promise something. A key within its share finds a place behind the places of
-- others, if they follow one another.
local function reach_of(view, calendar, has_gaps)
  local bins, is_mine = CALENDAR.bins(calendar) - calendar.lives, view.is_mine
  if not view.is_shared then
    return bins
  end
  local shared = floor_div(view.calendar.pace.shared_us, calendar.width)
  bins = view.is_packed and not is_mine and floor_div(3 * bins, 8) or bins
  return math.min(is_mine and not has_gaps and 2 * shared or shared, bins)
end

-- Finds out how far the bucket may promise something to the request.
function VIEW.reach(view, wants)
  local has_gaps = not VIEW.has_no_gaps(view)
  view.is_packed = wants and not has_gaps
  local calendar, now = VIEW.need_calendar(view), view.now
  view.from = view.is_mine and now or view.line.served
  view.last = floor_div(now, calendar.width) + reach_of(view, calendar, has_gaps)
  view.near = view.is_packed and not view.is_mine
    and math.min(view.last, floor_div(now + VIEW.each_us(view), calendar.width))
  view.is_passed = view.is_mine and not has_gaps and calendar.turn > now + view.calendar.pace.shared_us
end

-- Holds so many costs in the bin of an instant; returns when that bin is over.
function VIEW.hold(view, moment, times)
  local calendar = view.calendar
  local bin, parts = floor_div(moment, calendar.width), CALENDAR.parts(calendar)
  CALENDAR.add(calendar, bin, view.quanta * times)
  if not view.is_shared and parts == TIMES.WHOLE then
    return (bin + calendar.lives) * calendar.width
  end
  local each = VIEW.each_us(view, times)
  if view.is_shared then
    takes(view, each, TIMES.WHOLE * (view.is_packed and view.waiting or view.waiting + 1), parts)
  else
    takes(view, each, TIMES.WHOLE, parts)
  end
  return (bin + calendar.lives) * calendar.width
end

-- The units used as a newcomer sees them, with all that was due when it was judged.
function VIEW.shown_units(view)
  local used, capacity = view.used, view.capacity
  if view.was_plain then
    return view.refused and math.max(used, math.min(capacity, used + view.spare)) or used
  end
  local left = math.max(0, view.seen) * view.calendar.quantum - (view.refused and view.spare or 0)
  return math.max(used, capacity - math.max(0, left))
end

return VIEW
