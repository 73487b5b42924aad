-- The long way of a charge of several kinds: any buckets, overflows, queues, tickets, changes of
-- policy, clock steps. The lane and the charge are those of queue/rates.lua; a charge has also
--   others, hold, state_keys   its demands other than rates, the hold of the request, and the keys of
--                   the states by scope

local CODES = require('codes')
local EFFORT = require('effort')
local counters_at = require('kinds/ledger').counters_at
local MARKS = require('kinds/marks')
local answer_of = require('kinds/mixed').answer_of
local full_until = require('kinds/mixed').full_until
local known_reservation = require('kinds/mixed').known_reservation
local look_at = require('kinds/mixed').look_at
local most_at_once = require('kinds/mixed').most_at_once
local keep_counters = require('kinds/mixed_take').keep_counters
local take_others = require('kinds/mixed_take').take_others
local room_of = require('kinds/room').of_bucket
local DECIDE = require('queue/decide')
local PAYERS = require('queue/payers')
local RATES = require('queue/rates')
local TICKET = require('queue/ticket')
local VIEW = require('queue/view')

local LONG = {}

local function views_of(charge)
  local views = RATES.views(charge)
  charge.used_of = function(bucket)
    for _, view in ipairs(views) do
      if view.demand.name == bucket then
        return view.used
      end
    end
    return 0
  end
  return views
end

-- The units used of all demands.
local function shown_of(views)
  local used = {}
  for i, view in ipairs(views) do
    used[i] = VIEW.shown_units(view)
  end
  return used
end

-- The answer if the reservation of a charge already exists, else nil.
local function answer_again(lane, charge, views)
  local before, cost = known_reservation(charge, lane.call)
  if before ~= CODES.AGAIN then
    return before and { before }
  end
  local answer = shown_of(views)
  answer[#answer + 1] = cost
  return { CODES.AGAIN, unpack(answer) }
end

-- The request to the buckets that pay: those of the ticket's place, if it is for this request.
local function request_of(lane, charge, views)
  if charge.asked.ticket ~= '' then
    local ticket = TICKET.parse(charge.asked.ticket)
    local payers, paid = PAYERS.by(views, ticket.paid)
    RATES.request(lane, charge, payers, paid)
    if ticket.number > 0 and paid == ticket.paid and DECIDE.is_signed(charge, ticket) then
      return charge
    end
  end
  return RATES.request(lane, charge, PAYERS.of(views))
end

-- The numbers of the demands that do not pay.
local function unpaid_of(views, payers)
  local pays, unpaid = {}, {}
  for _, view in ipairs(payers) do
    pays[view] = true
  end
  for i, view in ipairs(views) do
    if not pays[view] then
      unpaid[#unpaid + 1] = i
    end
  end
  return unpaid
end

-- The denial of a charge if another limit than a rate is full.
local function refused(charge, views, request, looked)
  local wait = #request.views > 0 and DECIDE.alone(request).wait_us or 0
  return full_until(math.max(looked.wait_us, wait), shown_of(views), charge, looked, request.paid)
end

-- Everything that a decision needs; or the answer, if there is nothing to decide.
local function prepared(lane, charge)
  local newest = RATES.load(lane, charge)
  if newest then
    return { CODES.STALE, newest }
  end
  local views = views_of(charge)
  local again = answer_again(lane, charge, views)
  local looked = not again and look_at(charge, lane.ledger, lane.call)
  if not looked then
    return again or { CODES.OUTSIDE }
  elseif looked.cost ~= charge.cost then
    charge.cost = looked.cost
    views = views_of(charge)
  end
  -- The answer to a cost that never fits has the units used alone: they are taken before the views are judged.
  local never = (RATES.is_never(views) or looked.is_never) and shown_of(views)
  local request = request_of(lane, charge, views)
  if never then
    return answer_of(CODES.NEVER_ALLOWED, never, charge, looked, request.paid)
  end
  return nil, views, request, looked
end

local function decided(charge, decide, views, request, looked)
  local decision = #request.views == 0 and { admitted = true, returned = CODES.NOT } or decide(request)
  local code = decision.admitted and CODES.ALLOWED or CODES.DENIED
  local answer = answer_of(code, shown_of(views), charge, looked, request.paid)
  return RATES.with_wait(decision, answer), decision.admitted
end

-- The buckets that pay for a reservation, as MARKS.reserve says, with the counters of their owners: all
-- reads come before the first write. Their levels follow.
local function paid_of(lane, charge, views)
  local paid = {}
  for i, view in ipairs(views) do
    paid[i] = { name = view.demand.name, rate = view.demand.rate, capacity = view.capacity, scope = view.demand.scope,
      counters = counters_at(lane.ledger, lane.call, charge.state_keys[view.demand.scope], charge.now) }
  end
  return paid
end

local function mark(charge, paid)
  for _, one in ipairs(paid) do
    local bucket = charge.states[one.scope].buckets[one.name]
    one.low, one.used, bucket.low = bucket.low, bucket.used, bucket.used
  end
  charge.mark = MARKS.reserve(paid, charge.now + charge.hold.lease_us, charge.now)
end

function LONG.decide(lane, charge)
  local answer, views, request, looked = prepared(lane, charge)
  if answer then
    return answer
  elseif looked.wait_us then
    keep_counters(charge, 'denied')
    return refused(charge, views, request, looked)
  end
  local paid = charge.hold and charge.hold.reserves and paid_of(lane, charge, request.views)
  local is_admitted
  answer, is_admitted = decided(charge, RATES.decide, views, request, looked)
  if is_admitted then
    if paid then
      mark(charge, paid)
    end
    take_others(charge, looked, unpaid_of(views, request.views), lane.holds_index, lane.call)
  else
    keep_counters(charge, 'denied')
  end
  return answer
end

-- The most operations that all buckets have room for now; nil if others wait for one of them, or if another policy
-- decides.
function LONG.room(lane, charge)
  if RATES.load(lane, charge) then
    return nil
  end
  local used = {}
  for _, view in ipairs(views_of(charge)) do
    if view.calendar then
      return nil
    end
    used[view.demand] = view.used
  end
  EFFORT.spend(lane, #charge.template.demands)
  return most_at_once(charge.template.demands, function(demand)
    return room_of(demand, used[demand])
  end)
end

-- The same as LONG.decide with nothing changed: what a newcomer would get.
function LONG.peek(lane, charge)
  local answer, views, request, looked = prepared(lane, charge)
  if answer then
    return answer
  elseif looked.wait_us then
    return refused(charge, views, request, looked)
  end
  return (decided(charge, DECIDE.peek, views, request, looked))
end

return LONG
