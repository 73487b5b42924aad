-- When a request may try again at a bucket without room for it. Turns.java has the same.

local LINE = require('queue/line')
local floor_div = require('floor_div')
local pace_of = require('queue/pace')
local TIMES = require('times')
local VIEW = require('queue/view')

local TURNS = {}

-- Turns further away than the latest begin again half as far ahead: no two are the same.
local function moved_on(from, last, step, now, latest)
  local turn = (from > last and from or last) + step
  return turn > latest and math.max(from, now + floor_div(latest - now, 2)) + step or turn
end

-- Its turn among all; among those of its own line alone if others pushed it far back: whoever is told
-- a time before others that were told theirs makes one of these come once more, and that one the next.
local function own_turn(view, calendar, from, each)
  local now, latest = view.now, view.now + VIEW.furthest_us(view)
  calendar.turn = moved_on(from, calendar.turn, each, now, latest)
  if not view.is_shared then
    return calendar.turn
  end
  local line = VIEW.own_line(view)
  line.turn = moved_on(from, line.turn, VIEW.each_us(view, view.waiting), now, latest)
  LINE.count(calendar, line, now)
  local is_pushed = TIMES.PUSHED * (line.turn - now) + pace_of(view.field).shared_us < calendar.turn - now
  return is_pushed and line.turn or calendar.turn
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

-- The turn of this request in a bucket without room for it; moves the turns on. Second, when it fits.
function TURNS.next(view, waited, wants)
  local calendar, now, each = VIEW.need_calendar(view), view.now, VIEW.each_us(view)
  local from = now + VIEW.wait_us(view)
  local turn
  if waited then
    turn = math.max(from, calendar.again) + each
    calendar.again = math.min(turn, now + pace_of(view.field).shared_us)
  else
    turn = own_turn(view, calendar, from, each)
  end
  return turn, fits_at(view, turn, each, wants)
end

return TURNS
