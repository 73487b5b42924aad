-- Decides the charges of take.lua, in their order. A lane has the states of the call, its ledger, the
-- policy, the key of open reservations, and `call`, which runs a command.

local CODES = require('codes')
local decide_any = require('kinds/charge_any')
local refused = require('kinds/refused')
local hold_of = require('kinds/mixed').hold_of
local answer_of = require('kinds/mixed').answer_of
local look_at = require('kinds/mixed').look_at
local take_others = require('kinds/mixed_take').take_others
local others_of = require('kinds/others_of')
local LAYOUT = require('state/layout')
local OWN_DEMANDS = require('state/own_buckets').OWN_DEMANDS
local own_buckets_of = require('state/own_buckets').own_buckets_of
local taken_from_own = require('state/own_buckets').taken_from_own
local learn = require('state/policy_of').learn
local value_of = require('state/states').value_of
local template_of = require('state/template_of')

local WIDTH, NOTHING = 7, {}

-- `known` has the demands other than rates, by argument.
local function read_charge(charges, base, keys, arguments, known)
  local at, others, hold = charges[base + 1], charges[base + 6], arguments[charges[base + 7]]
  local key, tenant, cluster = charges[base + 3], charges[base + 4], charges[base + 5]
  if others > 0 and not known[others] then
    known[others] = others_of(arguments[others])
  end
  return { cost = charges[base + 2], keys = { key, tenant, cluster },
    state_keys = { keys[key], keys[tenant], keys[cluster] }, others = known[others] or NOTHING,
    others_text = arguments[others] or '', hold = hold and hold_of(hold, keys[key]), template_text = arguments[at] }
end

-- The most frequent charge, in the fewest steps, as in charge.lua. Nil in other cases: nothing was
-- taken.
local function decide_own(lane, charge, own)
  local states, k = lane.states, charge.keys[1]
  local value = value_of(states, k)
  if not value or states.queued[k] or charge.others.has_levels or string.sub(value, own.from) ~= own.fields
    or charge.hold and charge.hold.reserves and lane.call('GET', charge.hold.key) then
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
  states.heads[k] = head
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
  return decide_any(lane, charge)
end

-- An error in one state does not affect the other charges; all reads come before the first write.
local function decided(lane, charge)
  local is_done, answer = pcall(decide, lane, charge)
  if is_done then
    return answer
  end
  local text = type(answer) == 'table' and answer.err or tostring(answer)
  if string.find(text, '^-?READONLY ') then
    error(answer, 0)
  end
  return { CODES.FAILED, text }
end

local function charge_all(lane, keys, arguments, now_us)
  local text, answers, known = arguments[1], { now_us(1) }, {}
  local charges = { struct.unpack('>' .. string.rep('I2I7I2I2I2I2I2', (#text - 9) / 19), text, 10) }
  for i = 1, #charges / WIDTH do
    local charge = read_charge(charges, WIDTH * (i - 1), keys, arguments, known)
    charge.now = now_us(i)
    answers[i + 1] = decided(lane, charge)
  end
  return answers
end

return charge_all
