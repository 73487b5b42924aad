-- The short way of a charge of several kinds: any buckets of which nobody waits, as numbers, with or without
-- marks (state/any_buckets.lua). It marks reservations.

local CODES = require('codes')
local counters_at = require('kinds/ledger').counters_at
local MARKS = require('kinds/marks')
local answer_of = require('kinds/mixed').answer_of
local look_at = require('kinds/mixed').look_at
local take_others = require('kinds/mixed_take').take_others
local refused = require('kinds/refused')
local marking = require('state/any_buckets').marking
local taken = require('state/any_buckets').taken
local way_and_numbers = require('state/any_buckets').way_and_numbers
local commit = require('state/states').commit

local NOTHING = {}
local SHORT = {}

-- Tries the charge on its states and changes nothing. Returns by scope the way, the numbers, the instant at
-- which they are empty, and the lowest levels; nil if the long way has to decide.
local function tried(lane, charge, reserves)
  local template, states, results = charge.template, lane.states, {}
  for _, scope in ipairs(template.scopes) do
    local k, of_scope = charge.keys[scope], template.by_scope[scope]
    local way, numbers, left
    if not states.tables[k] then
      way, numbers, left = way_and_numbers(states, k, reserves and marking(of_scope) or of_scope, charge.now)
    end
    if not way then
      return nil
    end
    local until_us, fit, lowest = taken(way, numbers, left, template.revision, charge.cost, 1, charge.now)
    if not until_us or fit < 1 then
      return nil
    end
    results[scope] = { way = way, numbers = left, until_us = until_us, lowest = lowest }
  end
  return results
end

-- The units used of all demands, with the cost or without it.
local function used_of(charge, results, is_taken)
  local used = {}
  for i, demand in ipairs(charge.template.demands) do
    local result = results[demand.scope]
    local units = demand.requests and demand.units or demand.units * charge.cost
    used[i] = result.numbers[result.way.index[demand.field]] - (is_taken and 0 or units)
  end
  return used
end

-- Marks a reservation: the levels with its cost are the lowest from now on.
local function mark(lane, charge, results)
  local paid = {}
  for i, demand in ipairs(charge.template.demands) do
    local result = results[demand.scope]
    local numbers, low_at = result.numbers, result.way.index[demand.field .. '.low']
    local used = numbers[result.way.index[demand.field]]
    paid[i] = { name = demand.name, rate = demand.rate, capacity = demand.capacity, low = result.lowest[low_at],
      used = used, counters = counters_at(lane.ledger, lane.call, charge.state_keys[demand.scope], charge.now) }
    numbers[low_at] = used
  end
  charge.mark = MARKS.reserve(paid, charge.now + charge.hold.lease_us, charge.now)
end

-- The answer; nil in other cases: nothing was taken.
function SHORT.decide(lane, charge)
  local reserves, template = charge.hold and charge.hold.reserves, charge.template
  if charge.asked.ticket ~= '' or charge.others.has_levels or template.has_overflow or #template.demands == 0
    or reserves and lane.call('GET', charge.hold.key) then
    return nil
  end
  local results = tried(lane, charge, reserves)
  local looked = results and look_at(charge, lane.ledger, lane.call)
  if not looked then
    return nil
  elseif looked.is_never or looked.wait_us then
    return refused(charge, looked, used_of(charge, results, false))
  end
  if reserves then
    mark(lane, charge, results)
  end
  for scope, result in pairs(results) do
    commit(lane.states, charge.keys[scope], result.way, result.numbers, result.until_us)
  end
  take_others(charge, looked, NOTHING, lane.holds_index, lane.call)
  return answer_of(CODES.ALLOWED, used_of(charge, results, true), charge, looked, 0)
end

return SHORT
