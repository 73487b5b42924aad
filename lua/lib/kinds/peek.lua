-- The answer that a newcomer would get: see peek.lua.

local CODES = require('codes')
local failed = require('failed')
local LONG = require('kinds/charge_long')
local amount_of = require('kinds/partial')
local read_charge = require('kinds/read_charge').read_charge
local numbers_of = require('kinds/read_charge').numbers_of
local DECIDE = require('queue/decide')
local RATES = require('queue/rates')
local template_of = require('state/template_of').template_of

local function peek_rates(lane, charge)
  local answer = RATES.begin(lane, charge)
  return answer or RATES.answer(DECIDE.peek(charge), charge.views)
end

local function peek_mixed(lane, charge)
  if charge.least > 0 then
    charge.cost = amount_of(lane, charge)
  end
  return LONG.peek(lane, charge)
end

local function peek(lane, now)
  local charge = read_charge(lane, numbers_of(lane), 0, {})
  charge.now, charge.template = now, template_of(charge.template_text)
  charge.asked.ticket = ''
  if lane.policy.newest > charge.template.revision then
    return { CODES.STALE, lane.policy.newest }
  end
  local is_mixed = #charge.others > 0 or charge.hold or charge.template.is_unusual or charge.least > 0
  local is_done, answer = pcall(is_mixed and peek_mixed or peek_rates, lane, charge)
  return is_done and answer or failed(answer)
end

return peek
