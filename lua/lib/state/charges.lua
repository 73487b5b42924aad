-- Decides the charges of charge.lua, in their order, on the states of a call. A lane has the states of
-- the call, the policy, and what queue/rates.lua says.

local CODES = require('codes')
local EFFORT = require('effort')
local asked_of = require('queue/asked')
local learn = require('state/policy_of').learn
local SHORT = require('state/short')
local value_of = require('state/states').value_of
local template_of = require('state/template_of')

-- The numbers of a charge, and where they are: the last one before the keys of the states, and those of its ticket.
local FORMAT, BYTES, WIDTH, BEFORE_STATES, TICKET, BITS = 'I2I2I7I2I2I2I2I2', 21, 8, 3, 7, 8

-- The long way. A script builds it when a charge needs it first.
local function charge_each(...)
  return require('queue/charge_each')(...)
end

-- A charge for the long way, with the fields of a request.
local function charge_of(lane, charges, base, template, now)
  return { now = now, cost = charges[base + 3], template = template,
    keys = { charges[base + 4], charges[base + 5], charges[base + 6] },
    asked = asked_of(lane.arguments[charges[base + TICKET]], lane.keys[charges[base + BITS]]), states = false,
    views = false, paid = 0, lane = lane, shown = false, moment = false, is_early = false, has_waited = false }
end

-- The template in an argument, for all charges of a call.
local function template_at(lane, argument)
  local template = lane.templates[argument]
  if not template then
    template = template_of(lane.arguments[argument])
    learn(lane.policy, template.revision)
    lane.templates[argument] = template
  end
  return template
end

-- Whether a charge comes without a ticket: nothing is behind the last space of its ticket data.
local function is_newcomer(lane, argument)
  return argument == 0 or string.byte(lane.arguments[argument], -1) == 32
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

-- Decides equal charges, as far as the call has not done enough.
local function charge(lane, charges, base, now, answers)
  local template, policy = template_at(lane, charges[base + 1]), lane.policy
  if policy.newest > template.revision then
    answers[#answers + 1] = { CODES.STALE, policy.newest }
    return
  end
  local left, alone = charges[base + 2], template.alone
  if is_newcomer(lane, charges[base + TICKET]) then
    local head = alone and SHORT.take(lane.states, charges[base + BEFORE_STATES + alone.scope], alone.usual,
      template.revision, charges[base + 3] * left, now)
    if head then
      answers[#answers + 1] = head
      return
    end
    left = charge_short(lane.states, charges, base, template, now, answers)
  end
  if left > 0 then
    charge_each(lane, charge_of(lane, charges, base, template, now), left, answers)
  end
end

local function charge_all(lane, now_us)
  local text = lane.arguments[1]
  local charges = { struct.unpack('>' .. string.rep(FORMAT, (#text - 9) / BYTES), text, 10) }
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
