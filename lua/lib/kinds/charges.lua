-- Decides the charges of take.lua, in their order. A lane has the states of the call, its ledger, the
-- policy, the key of open reservations, and what queue/rates.lua says.

local CODES = require('codes')
local EFFORT = require('effort')
local failed = require('failed')
local LONG = require('kinds/charge_long')
local SHORT = require('kinds/charge_short')
local refused = require('kinds/refused')
local answer_of = require('kinds/mixed').answer_of
local look_at = require('kinds/mixed').look_at
local take_others = require('kinds/mixed_take').take_others
local numbers_of = require('kinds/read_charge').numbers_of
local read_charge = require('kinds/read_charge').read_charge
local WIDTH = require('kinds/read_charge').WIDTH
local LAYOUT = require('state/layout')
local OWN_DEMANDS = require('state/own_buckets').OWN_DEMANDS
local own_buckets_of = require('state/own_buckets').own_buckets_of
local taken_from_own = require('state/own_buckets').taken_from_own
local learn = require('state/policy_of').learn
local value_of = require('state/states').value_of
local template_of = require('state/template_of')

local NOTHING = {}

-- The most frequent charge, in the fewest steps, as in charge.lua. Nil in other cases: nothing was
-- taken.
local function decide_own(lane, charge, own)
  local states, k = lane.states, charge.keys[1]
  local value = value_of(states, k)
  if not value or states.tables[k] or charge.asked.ticket ~= '' or charge.others.has_levels
    or #value ~= own.bytes
    or charge.hold and charge.hold.reserves then
    return nil
  end
  local head, _, numbers = taken_from_own(own, value, 1, charge.cost, charge.now)
  local looked = head and look_at(charge, lane.ledger, lane.call)
  if not looked then
    return nil
  end
  local used = { unpack(numbers, LAYOUT.BEFORE_FIELDS + 1, own.last) }
  if looked.is_never or looked.wait_us then
    for j = 1, #used do
      used[j] = used[j] - own[OWN_DEMANDS + 4 * j - 1] * charge.cost
    end
    return refused(charge, looked, used)
  end
  states.heads[k], states.numbers[k] = head, nil
  take_others(charge, looked, NOTHING, lane.holds_index, lane.call)
  return answer_of(CODES.ALLOWED, used, charge, looked, 0)
end

local function decide(lane, charge)
  local own = own_buckets_of(charge.template_text)
  local revision = own and own[1] or template_of(charge.template_text).revision
  learn(lane.policy, revision)
  if lane.policy.newest > revision then
    return { CODES.STALE, lane.policy.newest }
  end
  local answer = own and decide_own(lane, charge, own)
  if answer then
    return answer
  end
  charge.template = template_of(charge.template_text)
  answer = SHORT.decide(lane, charge)
  if not answer then
    EFFORT.spend(lane, #charge.template.demands)
    answer = LONG.decide(lane, charge)
  end
  return answer
end

-- An error in one state does not affect the other charges; all reads come before the first write.
local function decided(lane, charge)
  local is_done, answer = pcall(decide, lane, charge)
  return is_done and answer or failed(answer)
end

local function charge_all(lane, now_us)
  local answers, known, charges = { now_us(1) }, {}, numbers_of(lane)
  for i = 1, #charges / WIDTH do
    local charge = read_charge(lane, charges, WIDTH * (i - 1), known)
    charge.now = now_us(i)
    answers[i + 1] = EFFORT.is_spent(lane) and EFFORT.LATER or decided(lane, charge)
  end
  return answers
end

return charge_all
