-- Decides the charges of charge.lua, in their order, on the states of a call. A lane has the states of
-- the call, the policy, and what queue/rates.lua says.

local CODES = require('codes')
local asked_of = require('queue/asked')
local charge_each = require('queue/charge_each')
local BEFORE_STATES = require('state/charge_short').BEFORE_STATES
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

local function charge_one(lane, charges, base, now, answers)
  local states, policy = lane.states, lane.policy
  local template_text = lane.arguments[charges[base + 1]]
  local own = own_buckets_of(template_text)
  if own then
    learn(policy, own[1])
  end
  local shows = charges[base + TICKET] > 0 and lane.arguments[charges[base + TICKET]]
  local is_short = not shows or string.byte(shows, -1) == 32 -- no ticket behind the last space
  local is_done, is_full = false, false
  if is_short then
    is_done, is_full = charge_own(states, charges, base, own, policy.newest, now, answers)
  end
  if is_done then
    return
  end
  local template = template_of(template_text)
  learn(policy, template.revision)
  if policy.newest > template.revision then
    answers[#answers + 1] = { CODES.STALE, policy.newest }
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
  local text = lane.arguments[1]
  local charges = { struct.unpack('>' .. string.rep(FORMAT, (#text - 9) / BYTES), text, 10) }
  local answers = { now_us(1) }
  for i = 1, #charges / WIDTH do
    charge_one(lane, charges, WIDTH * (i - 1), now_us(i), answers)
  end
  return answers
end

return charge_all
