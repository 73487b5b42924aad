-- Decides the charges of charge.lua, in their order, on the states of a call. A lane has the states of
-- the call, the policy, and what queue/rates.lua says.

local CODES = require('codes')
local EFFORT = require('effort')
local asked_of = require('queue/asked')
local charge_each = require('queue/charge_each')
local BEFORE_STATES = require('state/charge_short').BEFORE_STATES
local KEY = require('state/charge_short').KEY
local charge_any = require('state/charge_short').charge_any
local charge_own = require('state/charge_short').charge_own
local own_buckets_of = require('state/own_buckets').own_buckets_of
local learn = require('state/policy_of').learn
local has_table = require('state/states').has_table
local template_of = require('state/template_of')

-- The numbers of a charge, and of them those of its ticket.
local FORMAT, BYTES, WIDTH, TICKET, BITS = 'I2I2I7I2I2I2I2I2', 21, 8, 7, 8

-- A charge for the long way, with the fields of a request.
local function charge_of(lane, charges, base, template, now)
  return { now = now, cost = charges[base + 3], template = template,
    keys = { charges[base + 4], charges[base + 5], charges[base + 6] },
    asked = asked_of(lane.arguments[charges[base + TICKET]], lane.keys[charges[base + BITS]]), states = false,
    views = false, paid = 0, lane = lane, shown = false, moment = false, is_early = false, has_waited = false }
end

-- What own_buckets_of tells of the template in an argument, for all charges of a call; false, too, if a
-- newer policy is known.
local function own_of(lane, argument)
  local own = lane.owns[argument]
  if own == nil then
    own = own_buckets_of(lane.arguments[argument])
    if own then
      learn(lane.policy, own[1])
    end
    lane.owns[argument] = own
  end
  return own and lane.policy.newest <= own[1] and own
end

-- Whether a charge comes without a ticket: nothing is behind the last space of its ticket data.
local function is_newcomer(lane, argument)
  return argument == 0 or string.byte(lane.arguments[argument], -1) == 32
end

-- Decides a charge that is not of the most frequent kind; `is_full` if it would be, but does not fit.
local function charge_one(lane, charges, base, is_short, is_full, now, answers)
  local states, policy, template = lane.states, lane.policy, template_of(lane.arguments[charges[base + 1]])
  learn(policy, template.revision)
  if policy.newest > template.revision then
    answers[#answers + 1] = { CODES.STALE, policy.newest }
    return
  elseif is_full and template.mode == CODES.OFF then
    answers[#answers + 1] = 0
    answers[#answers + 1] = states.values[charges[base + KEY]]
    return
  end
  local left = charges[base + 2]
  if is_short and not is_full and not has_table(states, template.scopes, charges, base + BEFORE_STATES) then
    left = charge_any(states, charges, base, template, now, answers)
  end
  if left > 0 then
    charge_each(lane, charge_of(lane, charges, base, template, now), left, answers)
  end
end

local function charge_all(lane, now_us)
  local text, states = lane.arguments[1], lane.states
  local charges = { struct.unpack('>' .. string.rep(FORMAT, (#text - 9) / BYTES), text, 10) }
  local answers, count = { now_us(1) }, 1
  for i = 1, #charges / WIDTH do
    local base, now, head, is_full = WIDTH * (i - 1), now_us(i), nil, false
    local is_later = EFFORT.is_spent(lane)
    local own, is_short = own_of(lane, charges[base + 1]), is_newcomer(lane, charges[base + TICKET])
    if own and is_short and not is_later then
      head, is_full = charge_own(states, charges, base, own, now)
    end
    if head or is_later then
      count = count + 1
      answers[count] = head or EFFORT.LATER
    else
      charge_one(lane, charges, base, is_short, is_full, now, answers)
      count = #answers
    end
  end
  return answers
end

return charge_all
