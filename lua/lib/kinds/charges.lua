-- Decides the charges of take.lua, in their order. A lane has the states of the call, its ledger, the
-- policy, the key of open reservations, and what queue/rates.lua says.

local CODES = require('codes')
local EFFORT = require('effort')
local failed = require('failed')
local amount_of = require('kinds/partial')
local SHORT = require('kinds/charge_short')
local numbers_of = require('kinds/read_charge').numbers_of
local read_charge = require('kinds/read_charge').read_charge
local WIDTH = require('kinds/read_charge').WIDTH
local learn = require('state/policy_of').learn
local template_of = require('state/template_of').template_of

local function decide(lane, charge)
  local template = template_of(charge.template_text)
  charge.template = template
  learn(lane.policy, template.revision)
  if lane.policy.newest > template.revision then
    return { CODES.STALE, lane.policy.newest }
  end
  if charge.least > 0 then
    charge.cost = amount_of(lane, charge)
    if EFFORT.is_spent(lane) then
      return EFFORT.LATER
    end
  end
  local answer = SHORT.decide(lane, charge)
  if not answer then
    EFFORT.spend(lane, #template.demands)
    answer = require('kinds/charge_long').decide(lane, charge) -- a script builds it when it is needed
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

return { charge_all = charge_all, decided = decided }
