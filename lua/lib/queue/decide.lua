-- Decides on one request by the rates of its buckets: it is admitted, or gets a place in the
-- calendars of its buckets, or an estimate. SlotDecision.java has the same. A request is a table of
--   now, cost, template   its instant, its cost in operations, and its template
--   asked             its ticket data (queue/asked.lua)
--   views, states     its buckets (queue/view.lua), and the states by scope
--   paid              which overflows pay, as bits
--   lane              what runs commands (call) and makes digests (sha1)
--   shown, moment     the ticket that is good, and the moment that it came back to, else false
--   is_early, has_waited   whether it is before its slot, and whether it has waited for the buckets of its ticket
--   wants             whether the caller wants a ticket for any wait; others may come back after whole seconds
-- A decision is a table of
--   admitted, wait_us, estimate, ticket   whether it was admitted; else its wait, whether nothing is
--                     promised, and the text of its ticket, or empty
--   returned, made    what became of the place that it came back to; whether a place was made

local ceil_div = require('ceil_div')
local CODES = require('codes')
local find_moment = require('queue/find_place').find_moment
local find_slot = require('queue/find_place').find_slot
local TICKET = require('queue/ticket')
local TURNS = require('queue/turns')
local VIEW = require('queue/view')
local holds = require('queue/view').holds
local STRANGERS = require('queue/strangers')
local WAITER = require('queue/waiter')
local expiry_of = require('state/expiry_of')
local STATE = require('state/state')
local TIMES = require('times')

local LATE_US = 500000
local NOTHING = ''

-- A number that stands for the demands.
local function kind_of(request)
  local template, paid = request.template, request.paid
  if template.kinds[paid] then
    return template.kinds[paid]
  end
  local demands = {}
  for i, view in ipairs(request.views) do
    demands[i] = view.demand
  end
  return TICKET.kind_of(template, paid, demands, request.lane.sha1)
end

-- Stands for the demands and the calendars that hold a place.
local function mark_of(request, shared)
  local mark = kind_of(request)
  local views = request.views
  for i = 1, #views do
    local view = views[i]
    if holds(view, shared) then
      mark = TICKET.marked(mark, view.calendar)
    end
  end
  return mark
end

-- The same for a moment. It is for one cost if a demand counts requests: a moment counts operations, and what it keeps
-- of such a bucket is not a part for each of them.
local function moment_mark_of(request, shared)
  local mark, views = mark_of(request, shared), request.views
  for i = 1, #views do
    if views[i].demand.requests then
      return TICKET.marked_by_cost(mark, request.cost)
    end
  end
  return mark
end

local function is_alive(request, moment, shared)
  local views = request.views
  for i = 1, #views do
    if holds(views[i], shared) and not VIEW.is_alive(views[i], moment) then
      return false
    end
  end
  return true
end

local function give_back(request, moment, shared)
  local views = request.views
  for i = 1, #views do
    if holds(views[i], shared) then
      VIEW.give_back(views[i], moment)
      views[i].held = not request.is_early
    end
  end
end

-- Whether a ticket is signed for this request.
local function is_signed(request, ticket)
  local waiter = request.states[CODES.KEY].waiter
  if not waiter or waiter.secret == '' then
    return false
  end
  local mark = ticket.number > 0 and mark_of(request, ticket.shared) or kind_of(request)
  return TICKET.is_signed(ticket, waiter.secret, request.cost, mark, request.lane.sha1)
end

-- The longest of a time of the buckets of the request.
local function longest_of(request, time_of)
  local longest, views = 0, request.views
  for i = 1, #views do
    longest = math.max(longest, time_of(views[i]))
  end
  return longest
end

-- The effects of the ticket that is shown; returns the code of its return.
local function show(request)
  local ticket, now = TICKET.parse(request.asked.ticket), request.now
  if not is_signed(request, ticket) then
    return ticket.slot < now - LATE_US and CODES.LATE or CODES.UNKNOWN
  end
  local is_ahead = now < ticket.slot
  request.shown = ticket
  request.has_waited = not is_ahead and now <= ticket.slot + longest_of(request, VIEW.waited_us)
  if ticket.number == 0 then
    request.is_early = is_ahead
    return CODES.NOT
  elseif not is_alive(request, ticket.slot, ticket.shared) then
    return CODES.LATE
  elseif not TICKET.is_unused(request.lane.call, request.asked.bits, ticket.number) then
    return CODES.UNKNOWN
  end
  request.is_early = is_ahead
  give_back(request, ticket.slot, ticket.shared)
  return CODES.KEPT
end

-- Whether somebody waits in a bucket of the request.
local function has_queue(request)
  local views = request.views
  for i = 1, #views do
    if views[i].calendar then
      return true
    end
  end
  return false
end

-- This waiter's share of the drain rate, in operations of such requests per second.
local function drained_of(request)
  local least, views = math.huge, request.views
  for i = 1, #views do
    least = math.min(least, VIEW.per_second(views[i]))
  end
  return least > TIMES.MAX_UNITS / request.cost and TIMES.MAX_UNITS or least * request.cost
end

-- The callers of its key without tickets that make such requests.
local function strangers_of(request, waiter)
  local kind = kind_of(request)
  return WAITER.known_strangers(waiter, kind) or WAITER.new_strangers(waiter, kind, request.now, drained_of(request))
end

local function note(request, waiter)
  WAITER.note(waiter, strangers_of(request, waiter), request.now, request.cost, longest_of(request, VIEW.furthest_us))
end

-- Finds the place that the request comes back to, and gives it back.
local function find_place(request)
  local waiter, asked = request.states[CODES.KEY].waiter, request.asked
  local returned = asked.ticket ~= '' and show(request) or CODES.NOT
  if not request.wants and returned ~= CODES.KEPT and waiter and request.template.mode ~= CODES.OFF
    and has_queue(request) then
    note(request, waiter)
    local moment = #waiter.moments > 0 and waiter.moments[1].at <= request.now
      and WAITER.due(waiter, request.now, request.cost, moment_mark_of(request, 0), moment_mark_of(request, 1))
    if moment and is_alive(request, moment.at, moment.shared) then
      request.moment = moment
      give_back(request, moment.at, moment.shared)
      return CODES.KEPT
    end
  end
  return returned
end

-- The place is used up: a ticket works once.
local function spend(request)
  if request.moment then
    local waiter = request.states[CODES.KEY].waiter
    WAITER.claim(waiter, request.moment, request.cost)
    STRANGERS.claim(strangers_of(request, waiter), request.cost)
  else
    TICKET.use(request.lane.call, request.asked.bits, request.shown.number)
  end
end

local function come_again(request, is_ours)
  local shown = request.shown
  if is_ours then
    for _, view in ipairs(request.views) do
      if holds(view, shown.shared) then
        VIEW.restore(view)
      end
    end
  end
  return { wait_us = shown.slot - request.now, estimate = shown.number == 0, ticket = request.asked.ticket,
    returned = CODES.EARLY }
end

-- The wait of a plan without slots: the same for all callers.
local function off(request, returned)
  local wait = 0
  for _, view in ipairs(request.views) do
    wait = math.max(wait, view.refused and VIEW.newcomer_wait_us(view) or 0)
  end
  return { wait_us = wait, estimate = true, ticket = NOTHING, returned = returned }
end

local function waiter_of(request)
  local key = request.states[CODES.KEY]
  if not key.waiter then
    key.waiter = WAITER.new()
    if not request.wants then
      note(request, key.waiter)
    end
  end
  return key.waiter
end

-- Holds a place in its bins; returns when the last of them is over.
local function hold(request, place)
  local until_us, views = 0, request.views
  for i = 1, #views do
    if holds(views[i], place.shared) then
      local over = VIEW.hold(views[i], place.due, place.times)
      until_us = over > until_us and over or until_us
    end
  end
  return until_us
end

local function with_ticket(request, place, waiter, returned)
  local until_us = hold(request, place)
  local known_until = math.max(until_us, place.slot + longest_of(request, VIEW.waited_us))
  local secret = WAITER.secret_for(waiter, request.asked.secret, known_until)
  local number = WAITER.next_number(waiter, until_us)
  TICKET.open(request.lane.call, request.asked.bits, number, expiry_of(waiter.needed_us, request.now))
  local ticket = { slot = place.slot, number = number, paid = request.paid, shared = place.shared }
  return { wait_us = place.slot - request.now, estimate = false, returned = returned, made = true,
    ticket = TICKET.signed(ticket, secret, request.cost, mark_of(request, place.shared), request.lane.sha1) }
end

local function at_moment(request, place, waiter, returned)
  local until_us, cost = hold(request, place), request.cost
  local operations = place.times > TIMES.MAX_UNITS / cost and TIMES.MAX_UNITS or cost * place.times
  WAITER.keep(waiter, { at = place.due, operations = operations, mark = moment_mark_of(request, place.shared),
    shared = place.shared, until_us = until_us })
  return { wait_us = place.slot - request.now, estimate = false, ticket = NOTHING, returned = returned, made = true }
end

local function estimate(request, soonest, returned)
  local wait, ticket, waiter, views = soonest - request.now, NOTHING, request.states[CODES.KEY].waiter, request.views
  local until_us = request.now + ceil_div(wait, TIMES.SECOND_US) * TIMES.SECOND_US + TIMES.ON_ITS_WAY_US
  for i = 1, #views do
    local view = views[i]
    if view.refused and (view.is_mine or view.waiting == 1) then
      VIEW.waits_until(view, until_us)
    end
  end
  if request.template.mode == CODES.RESERVE and waiter and wait <= request.asked.within then
    local secret = WAITER.secret_for(waiter, request.asked.secret, soonest + longest_of(request, VIEW.waited_us))
    ticket = TICKET.signed({ slot = soonest, number = 0, paid = TICKET.named(views), shared = 0 }, secret,
      request.cost, kind_of(request), request.lane.sha1)
  end
  return { wait_us = wait, estimate = true, ticket = ticket, returned = returned }
end

-- The turn of the request, when it fits, and whether others come before a place for it.
local function turn_of(request)
  local turn, soonest, is_behind, views = request.now, request.now, false, request.views
  for i = 1, #views do
    local view = views[i]
    view.is_mine = VIEW.is_mine(view, view.has_waited) or request.wants and VIEW.is_open(view)
    if view.refused then
      local turn_here, sooner, is_behind_here = TURNS.next(view, view.has_waited, request.wants,
        request.asked.within)
      turn, soonest, is_behind = math.max(turn, turn_here), math.max(soonest, sooner), is_behind or is_behind_here
    end
  end
  return turn, soonest, is_behind
end

-- The answer with a place; nil if there is none.
local function placed(request, turn, is_behind, returned)
  local waiter, asked = waiter_of(request), request.asked
  if is_behind then
    return nil
  end
  local place, own
  if asked.within >= 0 and WAITER.has_number(waiter, request.now) then
    place, own = find_slot(request, turn)
  end
  if place and place.slot - request.now <= asked.within then
    return with_ticket(request, place, waiter, returned)
  elseif not place and request.wants then
    return nil
  end
  place = find_moment(request, own, turn, waiter, strangers_of(request, waiter), moment_mark_of)
  return place and at_moment(request, place, waiter, returned)
end

local function denied(request, returned)
  local turn, soonest, is_behind = turn_of(request)
  return request.template.mode == CODES.RESERVE and placed(request, turn, is_behind, returned)
    or estimate(request, soonest, returned)
end

local DECIDE = { is_signed = is_signed }

function DECIDE.decide(request)
  request.shown, request.moment, request.is_early, request.has_waited = false, false, false, false
  request.wants = request.asked.always
  local returned, fits, views = find_place(request), true, request.views
  local is_off, is_ours, wants = request.template.mode == CODES.OFF, returned == CODES.KEPT, request.wants
  for i = 1, #views do
    local view = views[i]
    view.has_waited = request.has_waited and TICKET.is_for(request.shown, i)
    view.spare = is_off and 0 or VIEW.spare_for(view, view.has_waited, wants)
    fits = VIEW.has_room(view) and fits
  end
  if not fits and request.is_early then
    return come_again(request, is_ours)
  end
  if is_ours then
    spend(request)
  end
  if not fits then
    returned = is_ours and CODES.BROKEN or returned
    return is_off and off(request, returned) or denied(request, returned)
  end
  for i = 1, #views do
    VIEW.take(views[i])
  end
  return { admitted = true, returned = returned }
end

-- Prepares a request for the next of several equal ones, as if its states were read anew.
function DECIDE.next(request)
  local states, views = request.states, request.views
  for scope = CODES.KEY, CODES.CLUSTER do
    if states[scope] then
      STATE.forget(states[scope], request.now)
    end
  end
  for i = 1, #views do
    VIEW.look_again(views[i], states[views[i].demand.scope])
  end
end

-- The answer to a newcomer with no regard for others who wait; changes nothing.
function DECIDE.alone(request)
  local fits = true
  for _, view in ipairs(request.views) do
    view.spare = 0
    fits = VIEW.has_room(view) and fits
  end
  return fits and { admitted = true, returned = CODES.NOT } or off(request, CODES.NOT)
end

-- The answer that a newcomer would get; changes nothing.
function DECIDE.peek(request)
  if request.template.mode == CODES.OFF then
    return DECIDE.alone(request)
  end
  local wait_us = 0
  for _, view in ipairs(request.views) do
    view.spare = VIEW.spare_for(view, false, request.asked.always)
    if not VIEW.has_room(view) then
      wait_us = math.max(wait_us, VIEW.wait_us(view), VIEW.newcomer_wait_us(view))
    end
  end
  return wait_us == 0 and { admitted = true, returned = CODES.NOT }
    or { wait_us = wait_us, estimate = true, ticket = NOTHING, returned = CODES.NOT }
end

return DECIDE
