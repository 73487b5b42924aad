-- The fast lane: charges on states without a queue, in their order; each takes its cost from all of
-- its buckets, or from none. A charge that it cannot decide is handed back untouched, with all
-- later charges on the same states; queue.lua decides those. Equal charges are sent as one with a
-- count.
--
-- KEYS
--   1      weir:policy, for the revision that was published last; on a Redis Cluster
--          weir:{pNN}:policy, the partition's copy of it, which is raised to the newest revision of
--          any charge
--   then   the states of keys, tenants and the cluster, each once
-- ARGV
--   1      not_after, 7 bytes, most significant first: the instant, in microseconds since the
--          epoch, after which nothing in this call is decided; 0 for never. Then the charges,
--          packed, 17 bytes for each
--            template   2 bytes: which argument holds it
--            count      2 bytes, above 0: how many equal charges the entry stands for
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant
--            cluster    2 bytes: the same of the cluster
--   then   templates, packed
--            revision   7 bytes, above 0: the revision of the caller's policy
--            slots      1 byte: 0 reserve, 1 estimate, 2 off
--            lateness   7 bytes, microseconds: how long after its slot a place is kept
--            max_queue  4 bytes: the most places of a queue
--            horizon    7 bytes, microseconds: how far ahead a slot is at most
--            own        1 byte: 1 if all buckets are the key's own, and a charge takes its cost
--                       from each, else 0
--            demands      2 bytes, 1 to 500, each of another bucket; for each
--              scope    1 byte: 1 key, 2 tenant, 3 cluster: whose bucket it is
--              rate     7 bytes: units drained a microsecond, 1 to 9.007e12
--              capacity 7 bytes: units, 1 to 9.007e15
--              units    7 bytes: of one operation, 1 to capacity
--            fields     text, for each demand <bucket>@<rate>, with a space between
-- RETURNS
--   { clock_us }                 not_after has passed: nothing was taken
--   { clock_us, answer... }      for each charge, in order, one or more of
--     value...           the whole count is ALLOWED: the new states of its template, by scope;
--                        without the fields if these are exactly those of the template, in their
--                        order
--     admitted, value... so many are ALLOWED. With slots off the others are DENIED and take
--                        nothing; otherwise the answer to the others follows. -1: all are
--                        NEVER_ALLOWED
--     { QUEUED }         the others: nothing was taken, ask queue.lua
--     { STALE, revision } a newer revision was published: nothing was taken
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   a written state expires when its last bucket is empty, or later: its TTL is up to twice that
--   time plus 1 s, so that it is rarely rewritten

--@include now
--@include codes
--@include state/layout
--@include state/layout_of
--@include state/policy_of
--@include state/values_of
--@include state/expiry_of
--@include state/template_of
--@include state/drained
--@include state/own_buckets
--@include state/any_buckets
--@include state/write_states

local sub, WIDTH = string.sub, 6
local not_after = struct.unpack('>I7', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local charges = { struct.unpack('>' .. string.rep('I2I2I7I2I2I2', (#ARGV[1] - 7) / 17), ARGV[1], 8) }
local policy = policy_of(redis.call, KEYS[1])
local values = values_of(redis.call, KEYS, #KEYS)
local answers, answered = { now_us(1) }, 1
-- The states to write, by the index of the key: the packed numbers; the fields, if they changed;
-- the TTL, if it changed. `queued` marks states whose charges were handed back.
local heads, texts, times, queued = {}, {}, {}, {}
local owns, templates, known = {}, {}, {}

local function answer(what)
  answered = answered + 1
  answers[answered] = what
end

-- The current value of a state, false if there is none.
local function value_of(k)
  local head = heads[k]
  return head and head .. (texts[k] or sub(values[k], #head + 1)) or values[k]
end

local function commit(k, way, numbers, until_us)
  texts[k] = way.text or texts[k]
  if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
    numbers[LAYOUT.EXPIRES] = expiry_of(until_us, numbers[LAYOUT.AT])
    times[k] = numbers[LAYOUT.EXPIRES]
  end
  heads[k] = struct.pack(way.format, unpack(numbers))
  answer(way.is_own and heads[k] or value_of(k))
end

local function hand_back(base, template)
  for _, scope in ipairs(template.scopes) do
    queued[charges[base + 3 + scope]] = true
  end
  answer({ CODES.QUEUED })
end

local function is_queued(base, template)
  for _, scope in ipairs(template.scopes) do
    if queued[charges[base + 3 + scope]] then
      return true
    end
  end
  return false
end

-- Tries `count` charges on all of their states and changes nothing. Returns, by scope, the way, the
-- numbers and the instant at which they are empty; and how many of the charges fit. Returns nil if
-- the queue lane has to decide.
local function tried(base, template, count, now)
  local results, fits = {}, count
  for s, scope in ipairs(template.scopes) do
    local way, numbers = way_and_numbers(value_of(charges[base + 3 + scope]), template.by_scope[scope], known, now)
    if not way then
      return nil
    end
    local until_us, fit = taken(way, numbers, template.revision, charges[base + 3], count, now)
    if not until_us then
      return nil
    end
    fits = fit < fits and fit or fits
    results[s] = { way, numbers, until_us }
  end
  return results, fits
end

local function answer_levels(base, template)
  for _, scope in ipairs(template.scopes) do
    answer(value_of(charges[base + 3 + scope]) or '')
  end
end

local function charge_any(i, base, template)
  local count, now = charges[base + 2], now_us(i)
  if policy.newest > template.revision then
    answer({ CODES.STALE, policy.newest })
    return
  end
  local results, fits = tried(base, template, count, now)
  if not results then
    hand_back(base, template)
    return
  end
  if fits > 0 and fits < count then
    results = tried(base, template, fits, now)
  end
  if fits < count and (fits ~= 0 or template.mode == CODES.OFF) then
    answer(fits)
  end
  if fits > 0 then
    for s, scope in ipairs(template.scopes) do
      commit(charges[base + 3 + scope], unpack(results[s]))
    end
  elseif fits < 0 or template.mode == CODES.OFF then
    answer_levels(base, template)
  end
  if fits >= 0 and fits < count and template.mode ~= CODES.OFF then
    hand_back(base, template)
  end
end

-- Whether the charge was decided as one of the most frequent kind.
local function charge_own(i, base)
  local at, k = charges[base + 1], charges[base + 4]
  local own, value = owns[at], values[k]
  if own == nil then
    own = own_buckets_of(ARGV[at])
    owns[at] = own
    learn(policy, own and own[1] or 0)
  end
  if not own or not value or heads[k] or queued[k] or policy.newest > own[1] or sub(value, own.from) ~= own.fields then
    return false
  end
  local head, is_denied = taken_from_own(own, value, charges[base + 2], charges[base + 3], now_us(i))
  if head then
    heads[k], answered = head, answered + 1
    answers[answered] = head
  elseif is_denied then
    answers[answered + 1], answers[answered + 2], answered = 0, value, answered + 2
  end
  return head or is_denied
end

for i = 1, #charges / WIDTH do
  local base = WIDTH * (i - 1)
  if not charge_own(i, base) then
    local at = charges[base + 1]
    local template = templates[at] or template_of(ARGV[at])
    templates[at] = template
    learn(policy, template.revision)
    if is_queued(base, template) then
      hand_back(base, template)
    else
      charge_any(i, base, template)
    end
  end
end

keep_learned(redis.call, policy)
write_states(redis.call, KEYS, #KEYS, { heads = heads, texts = texts, times = times }, value_of)
return answers
