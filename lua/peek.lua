-- Returns the answer that a newcomer without a place would get, and changes nothing: an overdue
-- place counts until a charge removes it.
--
-- KEYS
--   as of charge.lua
-- ARGV
--   as of queue.lua, for one charge
-- RETURNS
--   { clock_us, answer }
--   { ALLOWED, used... }         per demand the units used, without the cost
--   { DENIED, used..., wait_us, 1 }   per demand the units used
--   { NEVER_ALLOWED, used... }   a cost is above its capacity
--   { STALE, revision }          a newer revision was published or has decided
--   { FAILED, text }             the data in Redis cannot be read
--   of charges of several kinds also as queue.lua: { OUTSIDE }, { AGAIN, used... }, { ENDED }, {
--   REUSED }
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local CODES = require('codes')
local new_ledger = require('kinds/ledger').new_ledger
local answer_of = require('kinds/mixed').answer_of
local hold_of = require('kinds/mixed').hold_of
local known_reservation = require('kinds/mixed').known_reservation
local look_at = require('kinds/mixed').look_at
local others_of = require('kinds/others_of')
local clock = require('now')
local has_queue = require('queue/has_queue')
local payers_of = require('queue/payers')
local shown = require('queue/slot_of').shown
local slot_of = require('queue/slot_of').slot_of
local state_from = require('queue/state_from')
local bucket_of = require('state/bucket_of').bucket_of
local has_other_rate = require('state/bucket_of').has_other_rate
local demands_of = require('state/demands_of').demands_of
local is_never = require('state/demands_of').is_never
local template_of = require('state/template_of')
local unpacked = require('state/unpacked')
local values_of = require('state/values_of')

local now_us = clock(ARGV)

local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
local at, _, cost, key, tenant, cluster, others, hold = struct.unpack('>I2I2I7I2I2I2I2I2', ARGV[1], 10)
local keys, template = { key, tenant, cluster }, template_of(ARGV[at])
local values = values_of(redis.call, KEYS, 1 + state_count)
local now, states = now_us(1), {}
local newest = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) or 0
local function state_keys_of(of)
  local names = {}
  for scope = CODES.KEY, CODES.CLUSTER do
    names[scope] = KEYS[of[scope]]
  end
  return names
end

local charge = { now = now, cost = cost, template = template, state_keys = state_keys_of(keys),
  others = others > 0 and others_of(ARGV[others]) or {}, hold = hold > 0 and hold_of(ARGV[hold], KEYS[key]) or nil }

local is_mixed = #charge.others > 0 or charge.hold or template.is_unusual

-- Whether the given slots are void.
local function has_void_queue(demands, state, scope)
  return state.at_us - now > template.lateness or has_other_rate(demands, scope, state) and has_queue(state)
end

-- Reads the states; returns a text if a value is not a state.
local function read_states(demands)
  for _, scope in ipairs(template.scopes) do
    local layout, numbers = unpacked(values[keys[scope]])
    if not layout then
      return KEYS[keys[scope]] .. ' holds no state'
    end
    local state = state_from(layout, numbers)
    if (is_mixed or not is_never(demands)) and has_void_queue(demands, state, scope) then
      for _, bucket in pairs(state.buckets) do
        bucket.waiting, bucket.unclaimed, bucket.slot = 0, 0, 0
      end
    end
    state.at_us = math.min(state.at_us, now)
    states[scope], newest = state, math.max(newest, state.revision)
  end
end

local function loaded(of_cost)
  local demands, used = demands_of(template, of_cost), {}
  local by_name = {}
  for i, demand in ipairs(demands) do
    demand.bucket = bucket_of(demand, states[demand.scope], now)
    used[i], by_name[demand.name] = shown(demand), demand.bucket.used
  end
  charge.used_of = function(bucket)
    return by_name[bucket] or 0
  end
  return demands, used
end

local function with_wait(answer, wait_us)
  answer[#answer + 1], answer[#answer + 2] = wait_us, 1
  return answer
end

-- Tickets are ignored.
local function peek_mixed()
  local _, used = loaded(cost)
  local before = known_reservation(charge, redis.call)
  if before then
    return before == CODES.AGAIN and { before, unpack(used) } or { before }
  end
  local looked = look_at(charge, new_ledger(), redis.call)
  if not looked then
    return { CODES.OUTSIDE }
  end
  local all
  all, used = loaded(looked.cost)
  local payers, paid = payers_of(all, now)
  local slot = slot_of(payers, now)
  if is_never(all) or looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used, charge, looked, paid)
  elseif slot or looked.wait_us then
    return with_wait(answer_of(CODES.DENIED, used, charge, looked, paid),
      math.max(slot and slot - now or 0, looked.wait_us or 0))
  end
  return answer_of(CODES.ALLOWED, used, charge, looked, paid)
end

local function peek_rates()
  local demands, used = loaded(cost)
  if is_never(demands) then
    return { CODES.NEVER_ALLOWED, unpack(used) }
  end
  local slot = slot_of(demands, now)
  if slot then
    return with_wait({ CODES.DENIED, unpack(used) }, slot - now)
  end
  return { CODES.ALLOWED, unpack(used) }
end

if not_after > 0 and now > not_after then
  return { now }
end
local problem = read_states(demands_of(template, cost))
if problem then
  return { now, { CODES.FAILED, problem } }
elseif newest > template.revision then
  return { now, { CODES.STALE, newest } }
elseif is_mixed then
  return { now, peek_mixed() }
end
return { now, peek_rates() }
