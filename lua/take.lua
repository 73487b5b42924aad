-- The fast lane of charges that demand more than rates: quotas, permits, congestion, overflow, a reservation. Each
-- takes everything that it demands, or nothing. What needs a queue it hands back untouched; queue.lua decides that.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   then   the states of keys, tenants and the cluster, each once
--   then   all other keys that the charges may touch, in any order: <state>:counters, <state>:permits:<limit>,
--          <state>:hold:<id>, and weir:holds, the index of open reservations; on a Redis Cluster weir:{pNN}:holds
-- ARGV
--   1      not_after, as of charge.lua, and 2 bytes: how many states there are. Then the charges, packed, 19 bytes
--          for each
--            template   2 bytes: which argument holds it
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 where it is not needed
--            cluster    2 bytes: the same of the cluster
--            others     2 bytes: which argument holds what is demanded beside rates, 0 for nothing
--            hold       2 bytes: which argument holds what the request holds, 0 for nothing
--   then   templates, as of charge.lua; and text, as lib/mixed.lua has it
-- RETURNS
--   { clock_us }                  not_after has passed: nothing was taken
--   { clock_us, answer... }       for each charge, in order
--     { ALLOWED, ... }            as lib/mixed.lua has it; units used of buckets with the cost among them
--     { DENIED, ..., wait_us, 1 } the same without it; the wait until the last limit has room, an estimate
--     { NEVER_ALLOWED, ... }      a limit never has room
--     { QUEUED }                  nothing was taken: ask queue.lua
--     { STALE, revision }         a newer revision was published: nothing was taken
--     { OUTSIDE }                 the periods of a quota in the arguments are not those of this instant
--     { AGAIN, used... }          the reservation is there already: nothing more was taken
--     { ENDED }                   the reservation was there, and has ended
--     { FAILED, text }            what is in Redis cannot be understood
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   states as of charge.lua; counters until the last window ends; permits an hour or two after they were last used;
--   a reservation an hour after its time is over

--@include now
--@include codes
--@include layout
--@include layout_of
--@include policy_of
--@include values_of
--@include expiry_of
--@include template_of
--@include ceil_div
--@include drained
--@include any_buckets
--@include write_states
--@include counters
--@include kinds
--@include quota
--@include permit
--@include congestion
--@include ledger
--@include permits_key
--@include reservation_standing
--@include ledger_write
--@include mixed
--@include mixed_take

local WIDTH = 7
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local charges = { struct.unpack('>' .. string.rep('I2I7I2I2I2I2I2', (#ARGV[1] - 9) / 19), ARGV[1], 10) }
local policy = policy_of(redis.call, KEYS[1])
local values = values_of(redis.call, KEYS, 1 + state_count)
local index = string.gsub(KEYS[1], 'policy$', 'holds')
local answers, ledger, known, templates, queued = { now_us(1) }, {}, {}, {}, {}
local heads, texts, times, known_others = {}, {}, {}, {}

local function value_of(k)
  local head = heads[k]
  return head and head .. (texts[k] or string.sub(values[k], #head + 1)) or values[k]
end

local function state_keys_of(keys)
  local names = {}
  for scope = CODES.KEY, CODES.CLUSTER do
    names[scope] = KEYS[keys[scope]]
  end
  return names
end

local function read_charge(i)
  local base = WIDTH * (i - 1)
  local charge = { now = now_us(i), cost = charges[base + 2], others = {},
    keys = { charges[base + 3], charges[base + 4], charges[base + 5] } }
  charge.state_keys = state_keys_of(charge.keys)
  local at = charges[base + 1]
  templates[at] = templates[at] or template_of(ARGV[at])
  charge.template = templates[at]
  local others = charges[base + 6]
  if others > 0 then
    known_others[others] = known_others[others] or others_of(ARGV[others])
    charge.others = known_others[others]
  end
  if charges[base + 7] > 0 then
    charge.hold = hold_of(ARGV[charges[base + 7]])
  end
  return charge
end

local function hand_back(charge)
  for _, scope in ipairs(charge.template.scopes) do
    queued[charge.keys[scope]] = true
  end
  return { CODES.QUEUED }
end

-- Whether a bucket has to be looked at that only the queue lane reads.
local function has_level_of_overflow(charge)
  for _, demand in ipairs(charge.others) do
    if demand.bucket and charge.template.has_overflow then
      return true
    end
  end
  return false
end

local function is_queued(charge)
  for _, scope in ipairs(charge.template.scopes) do
    if queued[charge.keys[scope]] then
      return true
    end
  end
  return false
end

-- The ways and the numbers of all states, by scope; nil where the queue lane has to decide. Overflows are not among
-- them.
local function ways_of(charge)
  local ways, now = {}, charge.now
  for _, scope in ipairs(charge.template.scopes) do
    local value = value_of(charge.keys[scope])
    if value and (#value < LAYOUT.HEAD_BYTES or struct.unpack('>I7', value, 3) > now) then
      return nil
    end
  end
  for scope, of_scope in pairs(charge.template.by_scope) do
    local way, numbers = way_and_numbers(value_of(charge.keys[scope]), of_scope, known, now)
    if not way or now < numbers[2] or numbers[3] > charge.template.revision then
      return nil
    end
    ways[scope] = { way = way, numbers = numbers, elapsed = now - numbers[2], of_scope = of_scope }
  end
  return ways
end

-- What is used now of each demand's bucket, in the order of the template; 0 of overflows, which nobody asked.
local function used_now(charge, ways)
  local used, by_name = {}, {}
  for i, demand in ipairs(charge.template.demands) do
    local of_scope, level = ways[demand.scope], 0
    if of_scope and not demand.overflow then
      level = drained(of_scope.numbers[of_scope.way.index[demand.field]] or 0, demand.rate, of_scope.elapsed)
    end
    used[i], by_name[demand.name] = level, level
  end
  return used, by_name
end

-- The longest wait of the buckets, and whether one can never hold the cost, or holds more than it can.
local function rates_wait(charge, cost, used)
  local wait, is_never
  for i, demand in ipairs(charge.template.demands) do
    local each = demand.requests and demand.units or demand.units * cost
    if not demand.overflow and used[i] > demand.capacity then
      return nil, false, true
    elseif not demand.overflow and each > demand.capacity then
      is_never = true
    elseif not demand.overflow and used[i] > demand.capacity - each then
      wait = math.max(wait or 0, ceil_div(used[i] - (demand.capacity - each), demand.rate))
    end
  end
  return wait, is_never, false
end

local function commit(charge, ways, cost)
  for scope, of_scope in pairs(ways) do
    local way, numbers, k = of_scope.way, of_scope.numbers, charge.keys[scope]
    local until_us = taken(way, numbers, charge.template.revision, cost, 1, charge.now)
    texts[k] = way.text or texts[k]
    if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
      numbers[LAYOUT.EXPIRES] = expiry_of(until_us, charge.now)
      times[k] = numbers[LAYOUT.EXPIRES]
    end
    heads[k] = struct.pack(way.format, unpack(numbers))
  end
end

local function with_wait(answer, wait_us)
  answer[#answer + 1], answer[#answer + 2] = wait_us, 1
  return answer
end

local function decide_on(charge, ways)
  local used, by_name = used_now(charge, ways)
  charge.used_of = function(bucket)
    return by_name[bucket] or 0
  end
  local looked = look_at(charge, ledger, redis.call)
  if not looked then
    return { CODES.OUTSIDE }
  end
  local wait, is_never, is_other = rates_wait(charge, looked.cost, used)
  local needs_queue = is_other
    or charge.template.has_overflow and (wait or is_never or looked.wait_us or looked.is_never)
    or wait and not looked.wait_us and charge.template.mode ~= CODES.OFF
  if needs_queue then
    return hand_back(charge)
  elseif is_never or looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used, looked, 0)
  elseif wait or looked.wait_us then
    keep_counters(charge, looked, 'denied')
    return with_wait(answer_of(CODES.DENIED, used, looked, 0), math.max(wait or 0, looked.wait_us or 0))
  end
  commit(charge, ways, looked.cost)
  local payers = {}
  for i, demand in ipairs(charge.template.demands) do
    if not demand.overflow then
      used[i] = used[i] + (demand.requests and demand.units or demand.units * looked.cost)
      payers[#payers + 1] = demand
    end
  end
  take_others(charge, looked, payers, index, redis.call)
  return answer_of(CODES.ALLOWED, used, looked, 0)
end

local function decide(charge)
  learn(policy, charge.template.revision)
  if policy.newest > charge.template.revision then
    return { CODES.STALE, policy.newest }
  elseif is_queued(charge) or has_level_of_overflow(charge) then
    return hand_back(charge)
  end
  local ways = ways_of(charge)
  if not ways then
    return hand_back(charge)
  end
  local reserves = charge.hold and charge.hold.reserves
  local before = reserves and reservation_standing(redis.call('GET', reservation_key(charge)), charge.now)
  if before and before ~= 'open' then
    return { CODES.ENDED }
  elseif before and charge.template.has_overflow then
    return hand_back(charge)
  elseif before then
    return { CODES.AGAIN, unpack((used_now(charge, ways))) }
  end
  return decide_on(charge, ways)
end

-- What is wrong with one state does not touch the other charges; nothing is written before all that is needed was read.
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
