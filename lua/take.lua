-- The fast lane of charges that demand more than rates: quotas, permits, congestion, overflow, a
-- reservation. Each takes all of its demands, or nothing. Charges that need a queue are handed back
-- untouched; queue.lua decides those.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   then   the states of keys, tenants and the cluster, each once
--   then   all other keys that the charges may touch, in any order: <state>:counters,
--          <state>:permits:<limit>, <state>:hold:<id>, and weir:holds, the index of open
--          reservations; on a Redis Cluster weir:{pNN}:holds
-- ARGV
--   1      not_after, as of charge.lua, and 2 bytes: the number of states. Then the charges,
--          packed, 19 bytes for each
--            template   2 bytes: which argument holds it
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 if it is not needed
--            cluster    2 bytes: the same of the cluster
--            others     2 bytes: which argument holds the demands other than rates, 0 for none
--            hold       2 bytes: which argument holds the hold of the request, 0 for none
--   then   templates, as of charge.lua; demands other than rates, as of lib/kinds/others_of.lua; and
--          holds of requests, as of hold_of in lib/kinds/mixed.lua
-- RETURNS
--   { clock_us }                  not_after has passed: nothing was taken
--   { clock_us, answer... }       for each charge, in order
--     { ALLOWED, ... }            as of lib/kinds/mixed.lua; the units used of buckets include the cost
--     { DENIED, ..., wait_us, 1 } the same without it; the wait until the last limit has room, an
--                                 estimate
--     { NEVER_ALLOWED, ... }      a limit never has room
--     { QUEUED }                  nothing was taken: ask queue.lua
--     { STALE, revision }         a newer revision was published: nothing was taken
--     { OUTSIDE }                 the periods of a quota in the arguments do not include this
--                                 instant
--     { AGAIN, used... }          the reservation already exists: nothing more was taken
--     { ENDED }                   the reservation existed, and has ended
--     { REUSED }                  a reservation of this id exists for another request
--     { FAILED, text }            the data in Redis cannot be read
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   states as of charge.lua; counters until the last window ends; permits one to two hours after
--   the last use; a reservation one hour after it expires

--@include now
--@include leased
--@include codes
--@include state/layout
--@include state/policy_of
--@include state/values_of
--@include state/expiry_of
--@include ceil_div
--@include state/drained
--@include state/own_buckets
--@include state/write_states
--@include kinds/counters
--@include kinds/kinds
--@include kinds/quota
--@include kinds/permit
--@include kinds/congestion
--@include kinds/ledger
--@include kinds/permits_key
--@include kinds/reservation_standing
--@include kinds/ledger_write
--@include kinds/others_of
--@include kinds/mixed
--@include kinds/mixed_take

local WIDTH = 7
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local charges = { struct.unpack('>' .. string.rep('I2I7I2I2I2I2I2', (#ARGV[1] - 9) / 19), ARGV[1], 10) }
local policy = policy_of(redis.call, KEYS[1])
local values = values_of(redis.call, KEYS, 1 + state_count)
local holds_index = string.gsub(KEYS[1], 'policy$', 'holds')
local answers, ledger, owns, queued, lane = { now_us(1) }, new_ledger(), {}, {}, nil
local heads, texts, times, known_others = {}, {}, {}, {}
local NOTHING = {}

local function value_of(k)
  local head = heads[k]
  return head and head .. (texts[k] or string.sub(values[k], #head + 1)) or values[k]
end

local function own_at(at)
  if owns[at] == nil then
    owns[at] = own_buckets_of(ARGV[at])
  end
  return owns[at]
end

local function others_at(at)
  if at > 0 and not known_others[at] then
    known_others[at] = others_of(ARGV[at])
  end
  return known_others[at] or NOTHING, ARGV[at] or ''
end

local function read_charge(i)
  local base = WIDTH * (i - 1)
  local at, key, tenant, cluster = charges[base + 1], charges[base + 3], charges[base + 4], charges[base + 5]
  local of_key, of_tenant, of_cluster = KEYS[key], KEYS[tenant], KEYS[cluster]
  local others, others_text = others_at(charges[base + 6])
  local hold_text = ARGV[charges[base + 7]]
  return { now = now_us(i), cost = charges[base + 2], keys = { key, tenant, cluster },
    state_keys = { of_key, of_tenant, of_cluster }, others = others, others_text = others_text,
    hold = hold_text and hold_of(hold_text, of_key), at = at, template_text = ARGV[at] }
end

local function with_wait(answer, wait_us)
  answer[#answer + 1], answer[#answer + 2] = wait_us, 1
  return answer
end

-- The answer if a limit is full; nil if none is. `wait` and `is_never` are the results of the
-- rates.
local function refused(charge, looked, used, wait, is_never)
  if is_never or looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used, charge, looked, 0)
  elseif wait or looked.wait_us then
    keep_counters(charge, 'denied')
    return with_wait(answer_of(CODES.DENIED, used, charge, looked, 0), math.max(wait or 0, looked.wait_us or 0))
  end
  return nil
end

-- The most frequent charge, in the fewest steps, as in charge.lua. Nil in other cases: nothing was
-- taken.
local function decide_own(charge, own)
  local k = charge.keys[1]
  local value = value_of(k)
  if not value or queued[k] or charge.others.has_levels or string.sub(value, own.from) ~= own.fields
    or charge.hold and charge.hold.reserves and redis.call('GET', charge.hold.key) then
    return nil
  end
  local head, _, numbers = taken_from_own(own, value, 1, charge.cost, charge.now)
  local looked = head and look_at(charge, ledger, redis.call)
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
  heads[k] = head
  take_others(charge, looked, NOTHING, holds_index, redis.call)
  return answer_of(CODES.ALLOWED, used, charge, looked, 0)
end

-- Created only if a charge needs it: creating all of its functions takes as long as a decision.
local function any_lane(call)
--@include state/layout_of
--@include state/template_of
--@include state/any_buckets
--@include state/take_any
  return { template_of = template_of_charge, decide = decide_any }
end

local function decide(charge)
  local own = own_at(charge.at)
  if not own then
    lane = lane or any_lane(redis.call)
    charge.template = lane.template_of(charge)
  end
  local revision = own and own[1] or charge.template.revision
  learn(policy, revision)
  if policy.newest > revision then
    return { CODES.STALE, policy.newest }
  end
  local answer = own and decide_own(charge, own)
  if answer then
    return answer
  end
  lane = lane or any_lane(redis.call)
  charge.template = lane.template_of(charge)
  return lane.decide(charge)
end

-- An error in one state does not affect the other charges; all reads come before the first write.
local function decided(i)
  local is_done, answer = pcall(decide, read_charge(i))
  if is_done then
    return answer
  end
  local text = type(answer) == 'table' and answer.err or tostring(answer)
  if string.find(text, '^-?READONLY ') then
    error(answer, 0)
  end
  return { CODES.FAILED, text }
end

for i = 1, #charges / WIDTH do
  answers[i + 1] = decided(i)
end

keep_learned(redis.call, policy)
write_counters(ledger, redis.call)
write_states(redis.call, KEYS, 1 + state_count, { heads = heads, texts = texts, times = times }, value_of)
return answers
