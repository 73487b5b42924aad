-- Decides the charges of charge.lua, in their order, on the states of a call. A lane has the states of
-- the call, the policy, what state/charge_alone.lua has found out (is_tried, is_long, asked), and what queue/rates.lua
-- says.

local CODES = require('codes')
local EFFORT = require('effort')
local ENTRY = require('state/entry')
local asked_of = require('queue/asked')
local is_newcomer = require('state/entry').is_newcomer
local learn = require('state/policy_of').learn
local SHORT = require('state/short')
local head_of = require('state/simple').head_of
local is_denied = require('state/simple').is_denied
local is_for_long_way = require('state/simple').is_for_long_way
local put_value = require('state/states').put_value
local value_of = require('state/states').value_of
local completed = require('state/template_of').completed
local has_places_alone = require('state/template_of').has_places_alone
local short_of = require('state/template_of').short_of

-- The numbers of a charge: how many, the last one before the keys of the states, and those of its ticket.
local WIDTH, BEFORE_STATES, TICKET, BITS = 8, 3, 7, 8
local formats = {}

-- The long way. A script builds it when a charge needs it first.
local function charge_each(...)
  return require('queue/charge_each')(...)
end

local function place_own(...)
  return require('queue/place_own')(...)
end

-- A charge for the long way, with the fields of a request.
local function charge_of(lane, charges, base, template, now)
  return { now = now, cost = charges[base + 3], template = template,
    keys = { charges[base + 4], charges[base + 5], charges[base + 6] },
    asked = lane.asked or asked_of(lane.arguments[charges[base + TICKET]], lane.keys[charges[base + BITS]]),
    states = false, views = false, paid = 0, lane = lane, shown = false, moment = false, is_early = false,
    has_waited = false, wants = false }
end

-- The template in an argument, for all charges of a call.
local function template_at(lane, argument)
  local template = lane.templates[argument]
  if not template then
    template = short_of(lane.arguments[argument])
    learn(lane.policy, template.revision)
    lane.templates[argument] = template
  end
  return template
end

-- Charges equal ones the short way; returns how many are left to the long way.
local function charge_short(states, charges, base, template, now, answers)
  local keys, cost, count, scopes = base + BEFORE_STATES, charges[base + 3], charges[base + 2], template.scopes
  local fits, is_off = SHORT.tried(states, charges, keys, template, cost, count, now), template.mode == CODES.OFF
  if not fits or fits == 0 and not is_off then
    return count
  end
  if fits < count then
    answers[#answers + 1] = fits
    fits = fits > 0 and SHORT.tried(states, charges, keys, template, cost, fits, now) or fits
  end
  if fits > 0 then
    SHORT.commit(states, charges, keys, template)
  end
  local n = #answers
  for s = 1, #scopes do
    local k = charges[keys + scopes[s]]
    answers[n + s] = fits > 0 and SHORT.ways[scopes[s]].is_own and states.heads[k] or value_of(states, k) or ''
  end
  return (fits < 0 or is_off) and 0 or count - fits
end

-- Decides equal charges in their key's own buckets; returns how many are left to the long way. Errors are left to it,
-- too.
local function decide_own(lane, charges, base, left, template, now, answers)
  local states, k, cost, buckets = lane.states, charges[base + BEFORE_STATES + CODES.KEY], charges[base + 3],
    template.own.count
  local value, times = not states.tables[k] and value_of(states, k), math.min(left, EFFORT.left(lane, buckets))
  if not value or times == 0 then
    return left
  end
  local asked = asked_of(lane.arguments[charges[base + TICKET]], lane.keys[charges[base + BITS]])
  local is_done, after, expires_ms, decided = pcall(place_own, lane.call, lane.sha1, value, template, cost, asked, now,
    times)
  if not is_done or not after then
    return left
  end
  put_value(states, k, after, expires_ms)
  for i = 1, times do
    EFFORT.spend(lane, buckets)
    answers[#answers + 1] = decided[i]
  end
  return left - times
end

-- Decides equal charges, as far as the call has not done enough.
local function charge(lane, charges, base, now, answers)
  local template, policy = template_at(lane, charges[base + 1]), lane.policy
  if policy.newest > template.revision then
    answers[#answers + 1] = { CODES.STALE, policy.newest }
    return
  end
  local left, alone, is_long = charges[base + 2], template.alone, lane.is_long
  if is_newcomer(lane.arguments[charges[base + TICKET]]) then
    local states, times = lane.states, charges[base + 3] * left
    if alone then
      local k, way = charges[base + BEFORE_STATES + alone.scope], alone.usual
      local value = way and not lane.is_tried and not states.heads[k] and not states.tables[k] and states.values[k]
      local head = value and head_of(way, value, template.revision, times, now)
      if head then
        states.heads[k], answers[#answers + 1] = head, head
        return
      elseif value and is_denied(head, left, template.mode) then
        answers[#answers + 1], answers[#answers + 2] = 0, value
        return
      end
      is_long = is_long or value and is_for_long_way(value, head, left, template.mode)
    elseif SHORT.take(states, charges, base + BEFORE_STATES, template, times, now, answers) then
      return
    end
    left = is_long and left or charge_short(states, charges, base, template, now, answers)
  end
  if left > 0 and not lane.asked and has_places_alone(template) then
    left = decide_own(lane, charges, base, left, completed(template), now, answers)
  end
  if left > 0 then
    charge_each(lane, charge_of(lane, charges, base, completed(template), now), left, answers)
  end
end

-- The format of so many entries; a call has at most some hundreds.
local function format_of(count)
  local format = formats[count] or '>' .. string.rep(ENTRY.FORMAT, count)
  formats[count] = format
  return format
end

local function charge_all(lane, now_us)
  local text = lane.arguments[1]
  local charges = { struct.unpack(format_of((#text + 1 - ENTRY.FIRST) / ENTRY.BYTES), text, ENTRY.FIRST) }
  local answers = { now_us(1) }
  for i = 1, #charges / WIDTH do
    if EFFORT.is_spent(lane) then
      answers[#answers + 1] = EFFORT.LATER
    else
      charge(lane, charges, WIDTH * (i - 1), now_us(i), answers)
    end
  end
  return answers
end

return charge_all
