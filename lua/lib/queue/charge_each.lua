-- The long way of equal charges on rates: each is decided by itself.

local EFFORT = require('effort')
local failed = require('failed')
local DECIDE = require('queue/decide')
local RATES = require('queue/rates')

local function decide_each(lane, charge, left, answers)
  local answer, views = RATES.begin(lane, charge), charge.views
  if answer then
    answers[#answers + 1] = answer
    return
  end
  for i = 1, left do
    if EFFORT.is_spent(lane) then
      answers[#answers + 1] = EFFORT.LATER
      return
    elseif i > 1 then
      DECIDE.next(charge)
    end
    EFFORT.spend(lane, #views)
    answers[#answers + 1] = RATES.answer(RATES.decide(charge), views)
  end
end

-- Decides `left` equal charges. Errors of one state do not affect other charges.
local function charge_each(lane, charge, left, answers)
  local before = #answers
  local is_done, failure = pcall(decide_each, lane, charge, left, answers)
  if is_done then
    return
  end
  local answer = failed(failure)
  for i = #answers, before + 1, -1 do
    answers[i] = nil
  end
  answers[before + 1] = answer
end

return charge_each
