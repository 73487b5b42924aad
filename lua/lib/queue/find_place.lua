-- Finds a place for a request in the calendars of its buckets. PlaceSearch.java and Reach.java have the same.

local ceil_div = require('ceil_div')
local floor_div = require('floor_div')
local CALENDAR = require('queue/calendar')
local HEADROOM = require('queue/headroom')
local STRANGERS = require('queue/strangers')
local VIEW = require('queue/view')
local holds = require('queue/view').holds
local WAITER = require('queue/waiter')
local TIMES = require('times')

local ROUNDS = 4

-- Sees what all buckets may promise; returns how many of them are the key's own, and whether one promises to anybody
-- what is left over.
local function reach(request)
  local views, own, has_near = request.views, 0, false
  for i = 1, #views do
    local view = views[i]
    VIEW.reach(view, request.wants)
    own, has_near = view.is_shared and own or own + 1, has_near or view.near
  end
  return own, has_near
end

local function covers(view, micros)
  return floor_div(micros, view.calendar.width) <= view.last
end

-- The first instant from one on with room in a bucket; nil if there is none. `is_near` if it may promise what is left
-- over.
local function next_in(view, at, is_near)
  local calendar, from, last = view.calendar, view.from, view.last
  if is_near and view.near then
    from, last = view.now, view.near
  end
  local width, base = calendar.width, calendar.base
  local first = floor_div(at > from and at or from, width)
  local quanta = VIEW.needed_quanta(view, 1)
  local bin = HEADROOM.first_bin(VIEW.headroom(view), calendar, quanta, first > base and first or base, last)
  if bin > last then
    return nil
  end
  local begins = bin * width
  return begins > at and begins or at
end

-- The first instant with room in all of these; nil if there is none. All of them have been asked about
-- an instant once the turn comes to the bucket that moved it last.
local function first_in(views, shared, now, is_near)
  local at, moved = now + 1, 0
  for _ = 1, ROUNDS do
    for i = 1, #views do
      if i == moved then
        return at
      end
      local later = not holds(views[i], shared) and at or next_in(views[i], at, is_near)
      if not later then
        return nil
      elseif later > at then
        at, moved = later, i
      end
    end
    if moved == 0 then
      return at
    end
  end
  return nil
end

-- Places of a bin come one after another, unless that leaves the bin of another bucket.
local function within(views, shared, at)
  local widest
  for i = 1, #views do
    local calendar = views[i].calendar
    widest = holds(views[i], shared) and (not widest or calendar.width > widest.width) and calendar or widest
  end
  local later = CALENDAR.drained_at(widest, floor_div(at, widest.width))
  later = later > at and later or at
  for i = 1, #views do
    local width = views[i].calendar.width
    if holds(views[i], shared) and floor_div(later, width) ~= floor_div(at, width) then
      return at
    end
  end
  return later
end

-- Whether the buckets of the key alone may hold a place: shared ones have room, and nobody else waits for them.
local function can_leave_out_shared(views)
  for i = 1, #views do
    if views[i].is_shared and not VIEW.is_open(views[i]) then
      return false
    end
  end
  return true
end

-- The first instant with room in all buckets; in those of the key alone if it is further away than
-- the shared buckets promise anything.
local function first_instant(views, own, now)
  local at = first_in(views, 1, now, false)
  if at then
    return at, 1
  end
  at = own > 0 and own < #views and can_leave_out_shared(views) and first_in(views, 0, now, false)
  for i = 1, at and #views or 0 do
    if views[i].is_shared and covers(views[i], at) then
      return nil
    end
  end
  return at, 0
end

-- While nothing is due in the buckets, the first instant, by whole steps, at which the levels let the
-- request pass; nil if it is too far away. It may lie within a bin.
local function alone(request, step)
  local views, now, wait = request.views, request.now, 1
  for i = 1, #views do
    if views[i].calendar.n > 0 then
      return nil
    end
    wait = math.max(wait, VIEW.level_wait_us(views[i]))
  end
  local at = now + ceil_div(wait, step) * step
  for i = 1, #views do
    if not covers(views[i], at) or floor_div(at, views[i].calendar.width) < views[i].calendar.base
      or views[i].is_shared and not views[i].is_mine then
      return nil
    end
  end
  return { slot = at, due = at, times = 1, shared = 1 }
end

-- A place for a ticket, if it is known what all buckets may promise.
local function slot_in(request, own, has_near, turn)
  local views, first = request.views, alone(request, 1)
  if first then
    return first
  end
  local at, shared = has_near and first_in(views, 1, request.now, true), 1
  if not at then
    at, shared = first_instant(views, own, request.now)
  end
  if not at then
    return nil
  end
  local slot = within(views, shared, at)
  for i = 1, #views do
    local view = views[i]
    if not view.is_shared and not view.has_waited and slot > turn + CALENDAR.BINS_BEHIND_TURN * view.calendar.width then
      return nil
    end
  end
  return { slot = slot, due = slot, times = 1, shared = shared }
end

-- A place for a ticket; nil if there is none, or it is further away than the turn of a newcomer. Second, how many of
-- the buckets are the key's own.
local function find_slot(request, turn)
  local own, has_near = reach(request)
  return slot_in(request, own, has_near, turn), own
end

-- Whether a bin has room for so many costs; for one that is passed by others also behind all of them.
local function has_room_in(view, bin, times)
  local calendar, quanta = view.calendar, VIEW.needed_quanta(view, times)
  if view.is_passed then
    return HEADROOM.first_bin(VIEW.headroom(view), calendar, quanta, bin, bin) == bin
  end
  return view.quanta <= calendar.most and HEADROOM.at(VIEW.headroom(view), calendar, bin) >= quanta
end

local function has_room_at(view, now, slot, due, times)
  local calendar = view.calendar
  local bin = floor_div(due, calendar.width)
  return bin <= view.last and bin >= math.max(calendar.base, floor_div(now, calendar.width))
    and view.from <= slot and has_room_in(view, bin, times)
end

-- 1 if all buckets have room, 0 if those of the key alone hold it, nil if there is no room.
local function room_at(views, own, now, slot, due, times)
  local shared = 1
  for i = 1, #views do
    shared = covers(views[i], due) and shared or 0
  end
  if shared == 0 and (own == 0 or not can_leave_out_shared(views)) then
    return nil
  end
  for i = 1, #views do
    local view = views[i]
    local is_held = holds(view, shared)
    if is_held and not has_room_at(view, now, slot, due, times) or not is_held and covers(view, due) then
      return nil
    end
  end
  return shared
end

-- The first whole second from now until the turn with room for the request and for the strangers of its kind then;
-- what shared buckets do not hold is for the second of the turn: they would be full before it. `own` is how many of the
-- buckets are the key's own, nil if find_slot was not asked.
local function find_moment(request, own, turn, waiter, strangers, mark_of)
  own = own or reach(request)
  local views, now, finest, is_large = request.views, request.now, math.huge, false
  for i = 1, #views do
    local view = views[i]
    finest = math.min(finest, view.calendar.width)
    is_large = is_large or 2 * view.cost >= view.capacity
  end
  local is_exact = is_large or finest > TIMES.SECOND_US
  local first_place = is_exact and #waiter.moments < TIMES.MOMENTS and alone(request, TIMES.SECOND_US)
  if first_place and not WAITER.moment_at(waiter, first_place.due) then
    return first_place
  end
  local most = 1 + STRANGERS.company(strangers, finest, request.cost)
  for i = 1, #views do
    most = 2 * views[i].cost > views[i].capacity and 1 or most
  end
  local at = first_instant(views, own, now)
  local first = at and ceil_div(at - now, TIMES.SECOND_US) or 1
  local last = at and math.min(first + TIMES.SECONDS_TRIED - 1, ceil_div(turn - now, TIMES.SECOND_US)) or 0
  for second = first, last do
    local slot = now + second * TIMES.SECOND_US
    local due = floor_div(slot, finest) * finest
    local known = WAITER.moment_at(waiter, due)
    local times = known and 1 or most
    local shared = (known or #waiter.moments < TIMES.MOMENTS) and room_at(views, own, now, slot, due, times)
    if shared and (shared == 1 or slot + TIMES.SECOND_US > turn)
      and (not known or known.shared == shared and known.mark == mark_of(request, shared)) then
      return { slot = slot, due = due, times = times, shared = shared }
    end
  end
  return nil
end

return { find_moment = find_moment, find_slot = find_slot, slot_in = slot_in }
