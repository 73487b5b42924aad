-- The long way of a charge on rates: any buckets, queues, tickets, changes of policy, clock steps. A
-- charge is a table of
--   now, cost, template   its instant, its cost in operations, and its template
--   keys           the indices of its states, by scope
--   asked          its ticket data: within, secret, ticket, bits (the key of the key's unused tickets)
--   states         by scope, once they are loaded
-- and once it is a request, of what queue/decide.lua says; and a lane of
--   call, sha1, keys, states    functions, the keys, and the states of the call

local CODES = require('codes')
local DECIDE = require('queue/decide')
local VIEW = require('queue/view')
local STATE = require('state/state')
local table_of = require('state/states').table_of

local RATES = {}

-- Loads the states of a charge, that of its key in any case. Returns a newer revision if one has
-- decided.
function RATES.load(lane, charge)
  local template, keys, now, states, newest = charge.template, charge.keys, charge.now, { false, false, false }, 0
  for scope = CODES.KEY, CODES.CLUSTER do
    if keys[scope] > 0 then
      states[scope] = table_of(lane.states, keys[scope], lane.keys, scope, now)
    end
  end
  local scopes = template.scopes
  for i = 1, #scopes do
    local revision = states[scopes[i]].revision
    newest = revision > newest and revision or newest
  end
  charge.states = states
  return newest > template.revision and newest or nil
end

-- The views of a charge: one for each of its demands (queue/view.lua). A cost above the capacity is cut to one unit
-- above it.
function RATES.views(charge)
  local views, demands, cost, now = {}, charge.template.demands, charge.cost, charge.now
  for i = 1, #demands do
    local demand = demands[i]
    local units, capacity = demand.requests and demand.units or demand.units * cost, demand.capacity
    views[i] = VIEW.of(demand, units > capacity and capacity + 1 or units, charge.states, now)
  end
  return views
end

-- Whether a demand can never pass, and the demand it overflows to cannot either.
function RATES.is_never(views)
  for i = 1, #views do
    local view, other = views[i], views[i + 1]
    if view.cost > view.capacity and not view.demand.overflow
      and not (other and other.demand.overflow and other.cost <= other.capacity) then
      return true
    end
  end
  return false
end

-- Makes a charge a request for these buckets.
function RATES.request(lane, charge, views, paid)
  charge.lane, charge.views, charge.paid = lane, views, paid
  return charge
end

local function mark_changed(state, request)
  if state.at_us ~= request.now or not state.has_changed then
    STATE.move_to(state, request.now)
  end
  state.has_changed, state.demands = true, request.template.demands
  for _, calendar in pairs(state.calendars) do
    calendar.uncounted = false
  end
end

-- A change of policy drops the marks (kinds/marks.lua): a level that a smaller burst cuts is forgiven, and
-- a refund must not give it once more.
local function put(view, state, revision)
  local calendar, demand, buckets = view.calendar, view.demand, state.buckets
  local name = demand.name
  local bucket = buckets[name]
  if bucket then
    bucket.low = view.is_carried and 0 or bucket.low
    bucket.key, bucket.rate, bucket.used, bucket.debt = demand.field, demand.rate, view.used, view.debt
  else
    buckets[name] = { key = demand.field, rate = demand.rate, used = view.used, debt = view.debt, low = 0 }
  end
  state.calendars[name], state.revision = calendar or nil, revision
end

-- Keeps everything that a decision has changed.
local function commit(request)
  local states, views, template = request.states, request.views, request.template
  local key, scopes = states[CODES.KEY], template.scopes
  for i = 1, #scopes do
    mark_changed(states[scopes[i]], request)
  end
  for i = 1, #views do
    local view = views[i]
    if view.calendar and view.is_shared then
      mark_changed(key, request)
      mark_changed(view.child, request)
    end
  end
  for i = 1, #views do
    put(views[i], states[views[i].demand.scope], template.revision)
  end
end

-- Keeps only the effects of a step of the clock and of a change of policy.
local function commit_carried(request)
  local views = request.views
  for _, scope in ipairs(request.template.scopes) do
    local state, is_carried = request.states[scope], false
    for _, view in ipairs(views) do
      is_carried = is_carried or view.demand.scope == scope and view.is_carried
    end
    if state.at_us > request.now or is_carried then
      mark_changed(state, request)
    end
    for _, view in ipairs(is_carried and views or {}) do
      if view.demand.scope == scope then
        put(view, state, request.template.revision)
      end
    end
  end
end

-- Decides on a request and keeps its effects.
function RATES.decide(request)
  local decision = DECIDE.decide(request)
  if decision.admitted or request.template.mode ~= CODES.OFF or decision.returned == CODES.BROKEN then
    commit(request)
  else
    commit_carried(request)
  end
  return decision
end

local function with_used(code, views)
  local answer = { code, nil, nil, nil, nil, nil, nil, nil } -- as long as that to a denial by two buckets
  for i = 1, #views do
    answer[i + 1] = VIEW.shown_units(views[i])
  end
  return answer
end

-- Makes a charge a request for all of its buckets. Returns the answer if there is nothing to decide.
function RATES.begin(lane, charge)
  local newest = RATES.load(lane, charge)
  if newest then
    return { CODES.STALE, newest }
  end
  local views = RATES.views(charge)
  RATES.request(lane, charge, views, 0)
  return RATES.is_never(views) and with_used(CODES.NEVER_ALLOWED, views) or nil
end

-- The answer to a decision: its code, the units used, and of a denial its wait, whether that is an
-- estimate, and the ticket; what became of the place and whether one was made.
function RATES.answer(decision, views)
  return RATES.with_wait(decision, with_used(decision.admitted and CODES.ALLOWED or CODES.DENIED, views))
end

function RATES.with_wait(decision, answer)
  local n = #answer
  if not decision.admitted then
    answer[n + 1], answer[n + 2], n = decision.wait_us, decision.estimate and 1 or 0, n + 2
  end
  answer[n + 1], answer[n + 2] = decision.returned, decision.made and 1 or 0
  if not decision.admitted then
    answer[n + 3] = decision.ticket
  end
  return answer
end

return RATES
