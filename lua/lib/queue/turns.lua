-- When a request may try again at a bucket without room for it. Turns.java has the same.

local CALENDAR = require('queue/calendar')
local LINE = require('queue/line')
local floor_div = require('floor_div')
local TIMES = require('times')
local VIEW = require('queue/view')

local TURNS = {}

-- The next turn behind the last one, and what is the last one from then on. Turns further away than the latest begin
-- again half as far ahead: no two are the same. If those of callers with tickets are further away, they stay, and a
-- caller without one gets the turns of that half one after another.
local function next_turn(from, last, step, now, latest, wants)
  local half_us = floor_div(latest - now, 2)
  local begin = math.max(from, now + half_us)
  if last > latest and not wants then
    return begin + step * (1 + last % math.max(1, floor_div(half_us, step))), last + 1
  end
  local turn = (from > last and from or last) + step
  turn = turn > latest and begin + step or turn
  return turn, turn
end

-- The time that a turn of a caller with a ticket leaves idle before the next one. If two such costs do not fit, far
-- turns leave room for the bins between two places. Near turns of the only key leave room for a caller that comes late,
-- unless the bucket has it beside the cost: else each one makes the next one miss its turn.
local function idle_us(calendar, cost, each, is_shared, now)
  local lives, width, beside = calendar.lives, calendar.width, calendar.capacity - cost
  if lives > 2 or cost <= beside then
    return 0
  elseif calendar.turn > now + TIMES.TURNS * each then
    return 2 * lives * width
  end
  return is_shared and 0 or math.max(0, width - floor_div(beside, calendar.rate))
end

-- The step to the next turn of a caller with a ticket, and how far ahead the turn may be, at least `furthest_us`:
-- each caller of a crowd has a turn of its own while promises are claimed.
local function with_ticket(calendar, cost, each, is_shared, furthest_us, now)
  local turns = floor_div(TIMES.TICKET_TURNS * CALENDAR.parts(calendar), TIMES.WHOLE)
  return each + idle_us(calendar, cost, each, is_shared, now),
    math.max(furthest_us, math.min(TIMES.TURNS * TIMES.LONGEST_US, turns * each))
end

-- The turn, of all in its key's own bucket, of a caller with a ticket whose cost takes `each` and fits from `from` on;
-- moves the turns on.
function TURNS.with_ticket(calendar, cost, each, from, now)
  local step, furthest_us = with_ticket(calendar, cost, each, false, CALENDAR.furthest_us(calendar, each), now)
  local turn
  turn, calendar.turn = next_turn(from, calendar.turn, step, now, now + furthest_us, true)
  return turn
end

-- Its turn among all; among those of its own line alone if others pushed it far back: whoever is told
-- a time before others that were told theirs makes one of these come once more, and that one the next.
-- Second, whether others pushed it back.
local function own_turn(view, calendar, from, each, wants)
  local now, step, furthest_us = view.now, each, VIEW.furthest_us(view)
  local turn, own
  if wants then
    step, furthest_us = with_ticket(calendar, view.cost, each, view.is_shared, furthest_us, now)
  end
  turn, calendar.turn = next_turn(from, calendar.turn, step, now, now + furthest_us, wants)
  if not view.is_shared then
    return turn, false
  end
  local line = VIEW.own_line(view)
  own, line.turn = next_turn(from, line.turn, VIEW.each_us(view, view.waiting), now, now + furthest_us, wants)
  LINE.count(calendar, line, now)
  local is_pushed = TIMES.PUSHED * (own - now) + view.calendar.pace.shared_us < turn - now
  return is_pushed and own or turn, is_pushed
end

-- Whether others come before a place for a newcomer, unless its key is within its share: one that has waited is still
-- without room, or the times of a shared bucket until its turn were told to others.
local function is_behind(view, calendar, turn, is_pushed)
  local is_told = view.is_shared and not is_pushed and 2 * view.cost <= view.capacity
    and turn > view.now + view.calendar.pace.shared_us
  return not (view.is_shared and view.is_mine) and (calendar.again > view.now or is_told)
end

-- When the request fits that has this turn: sooner by its own cost if nobody has a place. In a bucket of
-- few operations the turn before it is over by then; for a caller with a ticket also if the holder of a
-- place comes late. Never before there is room beside what is due.
local function fits_at(view, turn, each, wants)
  local calendar, now = view.calendar, view.now
  if view.was_plain then
    return turn - each
  elseif calendar.lives > 2 then
    return turn
  end
  local sooner = turn - each + (wants and (calendar.lives + 1) * calendar.width or 0)
  return math.min(turn, math.max(sooner, now + VIEW.newcomer_wait_us(view)))
end

-- Callers that wait whole seconds return in the part of a second in which they came. In a bucket that has no place
-- a second ahead, those that come together would meet again: they get different seconds, none behind their turns.
local function among_seconds(view, fits, turn, each, from)
  local calendar = view.calendar
  if (CALENDAR.bins(calendar) - calendar.lives) * calendar.width >= TIMES.SECOND_US then
    return fits
  end
  local seconds = floor_div(fits - view.now, TIMES.SECOND_US)
  local earlier = seconds - math.fmod(floor_div(turn, each), seconds + 1)
  return math.max(from, fits - earlier * TIMES.SECOND_US)
end

-- Whether a request without a ticket that has got its turn is within the share of its key, though that turn is ahead,
-- in a bucket of one operation. Such a caller is new each time it asks, and each answer moves the turn of its key, also
-- while the key is served nothing: so its share is told by the times of others, which are far behind.
local function is_passed_over(view)
  local now, line, is_of_one = view.now, view.line, 2 * view.demand.units > view.capacity
  if view.waiting == 1 or line.served > now or not is_of_one or not VIEW.has_no_gaps(view) then
    return false
  end
  local calendar, ahead = view.calendar, math.max(0, line.turn - now)
  return TIMES.PASSED_OVER * ahead + calendar.pace.shared_us < calendar.turn - now
end

-- The turn of this request in a bucket without room for it; moves the turns on. Second, when it fits; third, whether
-- others come before a place for it. Finds out whether the key is passed over.
function TURNS.next(view, waited, wants, within)
  local calendar, now, each = VIEW.need_calendar(view), view.now, VIEW.each_us(view)
  local from = now + VIEW.wait_us(view)
  if waited then
    local turn = math.max(from, calendar.again) + each
    calendar.again = math.min(turn, now + view.calendar.pace.shared_us)
    return turn, fits_at(view, turn, each, wants), false
  end
  local turn, is_pushed = own_turn(view, calendar, from, each, wants)
  local fits = fits_at(view, turn, each, wants)
  view.is_mine = view.is_mine or not wants and is_passed_over(view)
  fits = fits - now > within and among_seconds(view, fits, turn, each, from) or fits
  return turn, fits, is_behind(view, calendar, turn, is_pushed)
end

return TURNS
