-- Decides a charge of several kinds on states of any scope with any buckets; see kinds/charges.lua
-- for the lane.

local ceil_div = require('ceil_div')
local CODES = require('codes')
local answer_of = require('kinds/mixed').answer_of
local known_reservation = require('kinds/mixed').known_reservation
local look_at = require('kinds/mixed').look_at
local take_others = require('kinds/mixed_take').take_others
local refused = require('kinds/refused')
local taken = require('state/any_buckets').taken
local way_and_numbers = require('state/any_buckets').way_and_numbers
local drained = require('state/drained')
local LAYOUT = require('state/layout')
local commit = require('state/states').commit
local hand_back = require('state/states').hand_back
local is_queued = require('state/states').is_queued
local value_of = require('state/states').value_of

local function to_queue(lane, charge)
  hand_back(lane.states, charge.template.scopes, charge.keys, 0)
  return { CODES.QUEUED }
end

-- Whether a level is needed of a bucket that only the queue lane reads.
local function has_level_of_overflow(charge)
  for _, demand in ipairs(charge.others) do
    if demand.bucket and charge.template.has_overflow then
      return true
    end
  end
  return false
end

-- The ways and the numbers of all states, by scope, without overflows; nil if the queue lane has to
-- decide.
local function ways_of(lane, charge)
  local ways, now = {}, charge.now
  for _, scope in ipairs(charge.template.scopes) do
    local value = value_of(lane.states, charge.keys[scope])
    if value and (#value < LAYOUT.HEAD_BYTES or struct.unpack('>I7', value, 3) > now) then
      return nil
    end
  end
  for scope, of_scope in pairs(charge.template.by_scope) do
    local way, numbers = way_and_numbers(value_of(lane.states, charge.keys[scope]), of_scope, now)
    if not way or now < numbers[2] or numbers[3] > charge.template.revision then
      return nil
    end
    ways[scope] = { way = way, numbers = numbers, elapsed = now - numbers[2], of_scope = of_scope }
  end
  return ways
end

-- The units used now of each demand's bucket, in the order of the template; 0 for overflows, which
-- are not read.
local function used_now(charge, ways)
  local used, by_name = {}, {}
  for i, demand in ipairs(charge.template.demands) do
    local of_scope, level = ways[demand.scope], 0
    if of_scope and not demand.overflow then
      level = drained(of_scope.numbers[of_scope.way.index[demand.field]] or 0, demand.rate, of_scope.elapsed)
    end
    used[i], by_name[demand.name] = level, level
  end
  return used, by_name
end

-- The longest wait of the buckets; whether one can never hold the cost; whether one is above its
-- capacity.
local function rates_wait(charge, cost, used)
  local wait, is_never
  for i, demand in ipairs(charge.template.demands) do
    local each = demand.requests and demand.units or demand.units * cost
    if not demand.overflow and used[i] > demand.capacity then
      return nil, false, true
    elseif not demand.overflow and each > demand.capacity then
      is_never = true
    elseif not demand.overflow and used[i] > demand.capacity - each then
      wait = math.max(wait or 0, ceil_div(used[i] - (demand.capacity - each), demand.rate))
    end
  end
  return wait, is_never, false
end

local function take_rates(lane, charge, ways, cost)
  for scope, of_scope in pairs(ways) do
    local until_us = taken(of_scope.way, of_scope.numbers, charge.template.revision, cost, 1, charge.now)
    commit(lane.states, charge.keys[scope], of_scope.way, of_scope.numbers, until_us)
  end
end

local function take(lane, charge, ways, looked, used)
  take_rates(lane, charge, ways, looked.cost)
  local unpaid = {}
  for i, demand in ipairs(charge.template.demands) do
    if demand.overflow then
      unpaid[#unpaid + 1] = i
    else
      used[i] = used[i] + (demand.requests and demand.units or demand.units * looked.cost)
    end
  end
  take_others(charge, looked, unpaid, lane.holds_index, lane.call)
  return answer_of(CODES.ALLOWED, used, charge, looked, 0)
end

local function decide_on(lane, charge, ways)
  local used, by_name = used_now(charge, ways)
  charge.used_of = function(bucket)
    return by_name[bucket] or 0
  end
  local looked = look_at(charge, lane.ledger, lane.call)
  if not looked then
    return { CODES.OUTSIDE }
  end
  local wait, is_never, is_other = rates_wait(charge, looked.cost, used)
  local needs_queue = is_other
    or charge.template.has_overflow and (wait or is_never or looked.wait_us or looked.is_never)
    or wait and not looked.wait_us and charge.template.mode ~= CODES.OFF
  if needs_queue then
    return to_queue(lane, charge)
  end
  return refused(charge, looked, used, wait, is_never) or take(lane, charge, ways, looked, used)
end

local function charge_any(lane, charge)
  if is_queued(lane.states, charge.template.scopes, charge.keys, 0) or has_level_of_overflow(charge) then
    return to_queue(lane, charge)
  end
  local ways = ways_of(lane, charge)
  if not ways then
    return to_queue(lane, charge)
  end
  local before = known_reservation(charge, lane.call)
  if before and before ~= CODES.AGAIN then
    return { before }
  elseif before and charge.template.has_overflow then
    return to_queue(lane, charge)
  elseif before then
    return { CODES.AGAIN, unpack((used_now(charge, ways))) }
  end
  return decide_on(lane, charge, ways)
end

return charge_any
