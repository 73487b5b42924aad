-- The short way of a charge of several kinds: any buckets of which nobody waits, as numbers, with or without
-- marks (state/short.lua). It marks reservations.

local CODES = require('codes')
local counters_at = require('kinds/ledger').counters_at
local MARKS = require('kinds/marks')
local answer_of = require('kinds/mixed').answer_of
local full_until = require('kinds/mixed').full_until
local look_at = require('kinds/mixed').look_at
local most_at_once = require('kinds/mixed').most_at_once
local keep_counters = require('kinds/mixed_take').keep_counters
local take_others = require('kinds/mixed_take').take_others
local room_of = require('kinds/room').of_bucket
local layout_of_way = require('state/own_way').layout
local TRIED = require('state/short')

local NOTHING = {}
local SHORT = {}

-- The units used of all demands, with the cost or without it.
local function used_of(charge, is_taken)
  local used = {}
  for i, demand in ipairs(charge.template.demands) do
    local scope = demand.scope
    local units = demand.requests and demand.units or demand.units * charge.cost
    used[i] = TRIED.lefts[scope][layout_of_way(TRIED.ways[scope]).index[demand.field]] - (is_taken and 0 or units)
  end
  return used
end

-- Marks a reservation: the levels with its cost are the lowest from now on.
local function mark(lane, charge)
  local paid = {}
  for i, demand in ipairs(charge.template.demands) do
    local scope = demand.scope
    local numbers, index = TRIED.lefts[scope], layout_of_way(TRIED.ways[scope]).index
    local low_at, used = index[demand.field .. '.low'], numbers[index[demand.field]]
    paid[i] = { name = demand.name, rate = demand.rate, capacity = demand.capacity, low = TRIED.lowests[scope][low_at],
      used = used, counters = counters_at(lane.ledger, lane.call, charge.state_keys[scope], charge.now) }
    numbers[low_at] = used
  end
  charge.mark = MARKS.reserve(paid, charge.now + charge.hold.lease_us, charge.now)
end

-- Tries the charge: whether it fits.
local function fits(states, charge, template, reserves)
  local alone, keys, cost, now = template.alone, charge.keys, charge.cost, charge.now
  return alone and not reserves and TRIED.tried_alone(states, keys[alone.scope], alone, template.revision, cost, now)
    or TRIED.tried(states, keys, 0, template, cost, 1, now, reserves) == 1
end

-- Whether a charge may go this way at all.
local function is_short(lane, charge)
  local held, template = charge.hold, charge.template
  return charge.asked.ticket == '' and not charge.others.has_levels and not template.has_overflow
    and #template.demands > 0 and not (held and held.reserves and lane.call('GET', held.key))
end

-- The operations that a bucket has room for, after a cost of 0 was tried: what counts requests has taken one.
local function room_left(demand)
  local scope = demand.scope
  local used = TRIED.lefts[scope][layout_of_way(TRIED.ways[scope]).index[demand.field]]
  return room_of(demand, demand.requests and used - demand.units or used)
end

-- The most operations that all buckets have room for now; nil in other cases.
function SHORT.room(lane, charge)
  local reserves = charge.hold and charge.hold.reserves
  local fit = is_short(lane, charge)
    and TRIED.tried(lane.states, charge.keys, 0, charge.template, 0, 1, charge.now, reserves)
  if not fit then
    return nil
  end
  return fit == 1 and most_at_once(charge.template.demands, room_left) or 0
end

-- The answer; nil in other cases: nothing was taken.
function SHORT.decide(lane, charge)
  local reserves, template = charge.hold and charge.hold.reserves, charge.template
  if not is_short(lane, charge) then
    return nil
  end
  local looked = fits(lane.states, charge, template, reserves) and look_at(charge, lane.ledger, lane.call)
  if not looked then
    return nil
  elseif looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used_of(charge, false), charge, looked, 0)
  elseif looked.wait_us then
    keep_counters(charge, 'denied')
    return full_until(looked.wait_us, used_of(charge, false), charge, looked, 0)
  end
  if reserves then
    mark(lane, charge)
  end
  TRIED.commit(lane.states, charge.keys, 0, template)
  take_others(charge, looked, NOTHING, lane.holds_index, lane.call)
  return answer_of(CODES.ALLOWED, used_of(charge, true), charge, looked, 0)
end

return SHORT
