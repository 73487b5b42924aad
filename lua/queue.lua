-- The queue lane: decides the charges handed back by the fast lane, charge.lua, and all cases of a
-- queue: places, tickets, changes of policy, clock steps. Each charge takes its cost from all of
-- its buckets, or from none; a denial makes a place in the queue. The work of a call is bounded by
-- its charges, not by the length of a queue.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   then   the states of keys, tenants and the cluster, each once
--   then   of each state, in the same order: <state>:queue, which holds the places,
--          <state>:queue:kinds, the index of places that any caller may use, and <state>:estimates,
--          the last estimates given
--   then   all other keys that charges of several kinds may touch, as of take.lua
-- ARGV
--   1      not_after and the number of states, as of take.lua. Then the charges, packed, 25 bytes
--          for each, most significant byte first
--            template   2 bytes: which argument holds it
--            count      2 bytes, above 0: how many equal charges the entry stands for
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 if nothing is the tenant's
--            cluster    2 bytes: the same of the cluster
--            others     2 bytes: which argument holds the demands other than rates, as of take.lua,
--                       0 for none
--            hold       2 bytes: which argument holds the hold of the request, 0 for none
--            ticket     2 bytes: which argument holds the ticket data of the caller, 0 for none
--            spare      2 bytes: how many extra moments an estimate may take, for later callers
--   then   templates, as of charge.lua
--          or the ticket data of a caller, text: <within> <new_id> <ticket>
--            within     microseconds: the longest wait for which a ticket is wanted, -1 for never
--            new_id     22 unguessable characters, or empty: the id of a new ticket
--            ticket     <deadline>.<id>, or empty
-- RETURNS
--   { clock_us }                 not_after has passed: nothing was taken
--   { clock_us, answer... }      for each charge, in order, an answer for each of the count, or
--                                fewer if one answer covers several
--     { ALLOWED, used... }         per demand the units used, including the cost
--     { DENIED, used... }          per demand the units used as a newcomer sees them: in a queue
--                                  all but the unclaimed
--     { NEVER_ALLOWED, used... }   a cost is above its capacity; for all that are left
--     { STALE, revision }          a newer revision was published or has decided; for all that are
--                                  left
--     { FAILED, text }             the data in Redis cannot be read; for all that are left
--   of a denial followed by
--     wait_us, estimate  until the slot; estimate is 1 if nothing is promised
--   and, if the key or tenant has a queue or the charge has to wait, followed by
--     deadline_us        the ticket is <deadline_us>.<id>; 0 for no ticket
--     is_new             1 if the ticket's id is new_id, 0 if it is the one that was shown
--     returned           0 not, 1 early, 2 kept, 3 late, 4 unknown, 5 broken
--     made, lost, length 1 if a place was made; how many overdue places were removed; the number of
--                        places now
--     step_us, moments   of an estimate: it covers `moments` answers, each step_us after the one
--                        before; those beyond the count are for later callers; 0 for one answer
--     until_us           the earliest instant at which another newcomer may get a different answer
--   of a charge of several kinds the first three have more after the units used, as of
--   lib/kinds/mixed.lua; or
--     { OUTSIDE }, { AGAIN, used... }, { ENDED } or { REUSED }, as of take.lua
-- ERRORS
--   only those of wrong arguments, and of a replica, which accepts no writes
-- TTL
--   a written state expires when its last bucket is empty and no request waits, or later: its TTL
--   is up to twice that time plus 1 s; a queue and its index one to two minutes after its last
--   place; estimates with the last of them

local CODES = require('codes')
local new_ledger = require('kinds/ledger').new_ledger
local write_counters = require('kinds/ledger_write').write_counters
local answer_of = require('kinds/mixed').answer_of
local hold_of = require('kinds/mixed').hold_of
local known_reservation = require('kinds/mixed').known_reservation
local look_at = require('kinds/mixed').look_at
local keep_counters = require('kinds/mixed_take').keep_counters
local take_others = require('kinds/mixed_take').take_others
local others_of = require('kinds/others_of')
local clock = require('now')
local admit = require('queue/booking').admit
local book = require('queue/booking').book
local can_book = require('queue/booking').can_book
local furthest_us = require('queue/booking').furthest_us
local moved = require('queue/booking').moved
local tolerance_of = require('queue/booking').tolerance_of
local whole_second = require('queue/booking').whole_second
local drain = require('queue/drain')
local estimate = require('queue/estimate')
local has_queue = require('queue/has_queue')
local let_go = require('queue/let_go')
local payers_of = require('queue/payers')
local index_text_of = require('queue/places').index_text_of
local is_anybodys = require('queue/places').is_anybodys
local is_idle = require('queue/places').is_idle
local is_in_tenants_queue = require('queue/places').is_in_tenants_queue
local kind_of = require('queue/places').kind_of
local mark_held = require('queue/places').mark_held
local place_of = require('queue/places').place_of
local shares_of = require('queue/places').shares_of
local text_of = require('queue/places').text_of
local end_queue_of = require('queue/release').end_queue_of
local release = require('queue/release').release
local shown = require('queue/slot_of').shown
local slot_of = require('queue/slot_of').slot_of
local state_from = require('queue/state_from')
local bucket_of = require('state/bucket_of').bucket_of
local has_other_rate = require('state/bucket_of').has_other_rate
local demands_of = require('state/demands_of').demands_of
local is_never = require('state/demands_of').is_never
local expiry_of = require('state/expiry_of')
local keep_learned = require('state/policy_of').keep_learned
local learn = require('state/policy_of').learn
local policy_of = require('state/policy_of').policy_of
local state_value = require('state/state_value')
local template_of = require('state/template_of')
local unpacked = require('state/unpacked')
local values_of = require('state/values_of')
local TIMES = require('times')

local now_us = clock(ARGV)

local WIDTH, ANY_WAIT = 10, 1e15
local LETTERS = { 'k', 't' }
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local charges = { struct.unpack('>' .. string.rep('I2I2I7I2I2I2I2I2I2I2', (#ARGV[1] - 9) / 25), ARGV[1], 10) }
local policy, LAST_STATE = policy_of(redis.call, KEYS[1]), 1 + state_count
local index, ledger = string.gsub(KEYS[1], 'policy$', 'holds'), new_ledger()
local known_others = {}
local values = values_of(redis.call, KEYS, LAST_STATE)
local states, written = {}, {}

local function state_of(k, scope)
  local state = states[k]
  if not state then
    local layout, numbers = unpacked(values[k])
    if not layout then
      error(KEYS[k] .. ' holds no state', 0)
    end
    state = state_from(layout, numbers)
    state.key, state.scope = KEYS[k], scope
    local before = LAST_STATE + 3 * (k - 2)
    state.queue, state.kinds, state.told = KEYS[before + 1], KEYS[before + 2], KEYS[before + 3]
    states[k] = state
  end
  return state
end

-- Marks a state to be written, as of `now`; the buckets of the demands in `drawn` replace its own.
local function commit(state, now, drawn, template)
  for name, bucket in pairs(state.buckets) do
    drain(bucket, state.at_us, now)
    if bucket.used == 0 and bucket.waiting == 0 then
      state.buckets[name] = nil
    end
  end
  for _, demand in ipairs(drawn) do
    if demand.scope == state.scope then
      state.buckets[demand.name] = demand.bucket
      state.revision = template.revision
    end
  end
  state.at_us = now
  written[state] = template
end

local function length_of(state)
  if not state.length then
    state.length = state.queue_us and redis.call('ZCARD', state.queue) or 0
  end
  return state.length
end

local function end_queue(state)
  for _, bucket in pairs(state.buckets) do
    end_queue_of(bucket)
  end
  if state.queue_us then
    redis.call('UNLINK', state.queue, state.kinds)
  end
  state.queue_us, state.sweep_us, state.kinds_us, state.length = nil, nil, nil, 0
end

-- After a step back of the clock the levels are those of this instant. If the step was longer than
-- the lateness, slots are void.
local function rebase(state, now, template)
  local ahead_us = state.at_us - now
  if ahead_us <= 0 then
    return
  end
  state.at_us = now
  if ahead_us > template.lateness then
    end_queue(state)
  end
  commit(state, now, {}, template)
end

local function remove(state, texts, index_texts)
  redis.call('ZREM', state.queue, unpack(texts))
  if #index_texts > 0 then
    redis.call('ZREM', state.kinds, unpack(index_texts))
  end
  state.length = state.length - #texts
end

local function first_of(state)
  local text = redis.call('ZRANGEBYLEX', state.queue, '-', '+', 'LIMIT', 0, 1)[1]
  return text and tonumber(string.sub(text, 1, 16)) or math.huge
end

local function is_all_overdue(state, now)
  local last = redis.call('ZREVRANGEBYLEX', state.queue, '+', '-', 'LIMIT', 0, 1)[1]
  return not last or tonumber(string.sub(last, 1, 16)) < now
end

-- Removes overdue places from the front of a queue, or the queue if all are overdue. Returns their
-- number.
local function sweep(state, now, template)
  local length = length_of(state)
  if not state.queue_us or (length > 0 and now <= state.sweep_us) then
    return 0
  end
  if length == 0 or is_all_overdue(state, now) then
    end_queue(state)
    commit(state, now, {}, template)
    return length
  end
  local overdue = redis.call('ZRANGEBYLEX', state.queue, '-', string.format('(%016d', now), 'LIMIT', 0,
    TIMES.SWEPT_AT_MOST)
  if #overdue == 0 then
    state.sweep_us = first_of(state) -- the first place was used meanwhile; nothing else has changed
    written[state] = written[state] or template
    return 0
  end
  local indexed, lost = {}, 0
  for _, text in ipairs(overdue) do
    local place = place_of(text)
    let_go(state, LETTERS[state.scope], place)
    lost = lost + (is_idle(place) and 0 or 1)
    if is_anybodys(place) then
      indexed[#indexed + 1] = index_text_of(place)
    end
  end
  remove(state, overdue, indexed)
  state.sweep_us = first_of(state)
  commit(state, now, {}, template)
  return lost
end

local function add(state, place, now)
  if not state.queue_us then
    if redis.call('ZCARD', state.queue) > 0 then
      redis.call('UNLINK', state.queue, state.kinds) -- left over from a state that was lost
    end
    state.kinds_us, state.length = nil, 0
  end
  local length = length_of(state)
  state.length = length + redis.call('ZADD', state.queue, 0, text_of(place))
  local is_indexed = is_anybodys(place) and state.scope == CODES.KEY
  if is_indexed then
    redis.call('ZADD', state.kinds, 0, index_text_of(place))
  end
  if not state.queue_us or place.deadline > state.queue_us then
    state.queue_us = place.deadline + TIMES.KEPT_US
    redis.call('PEXPIREAT', state.queue, string.format('%d', expiry_of(state.queue_us, now)))
  end
  if is_indexed and (state.kinds_us or 0) < state.queue_us then
    redis.call('PEXPIREAT', state.kinds, string.format('%d', expiry_of(state.queue_us, now)))
    state.kinds_us = state.queue_us
  end
  state.sweep_us = math.min(state.sweep_us or place.deadline, place.deadline)
end

local function drop(state, place)
  local is_indexed = is_anybodys(place) and state.scope == CODES.KEY
  remove(state, { place.text }, is_indexed and { index_text_of(place) } or {})
  if state.length == 0 then
    end_queue(state)
  end
end

-- The estimates that were given, by bucket: <bucket>@<rate> <instant>, two words each.
local function estimates_of(state)
  if not state.estimates then
    state.estimates = {}
    local text = redis.call('GET', state.told) or ''
    for name, rate, at in string.gmatch(text, '([^@%s]+)(@%S+) (%d+)') do
      state.estimates[name] = { field = name .. rate, at_us = tonumber(at) }
    end
  end
  return state.estimates
end

local function write_estimates(state, now)
  local text, last = {}, now
  for _, told in pairs(state.estimates) do
    if told.at_us > now then
      text[#text + 1] = string.format('%s %d', told.field, told.at_us)
      last = math.max(last, told.at_us)
    end
  end
  table.sort(text)
  redis.call('SET', state.told, table.concat(text, ' '), 'PXAT',
    string.format('%d', math.ceil(last / 1000) + 1000))
end

local function cached_others(at)
  if at > 0 then
    known_others[at] = known_others[at] or others_of(ARGV[at])
  end
  return known_others[at] or {}
end

local function read_charge(i)
  local base, at = WIDTH * (i - 1), charges[WIDTH * (i - 1) + 9]
  local others, holds_at = charges[base + 7], charges[base + 8]
  local charge = { now = now_us(i), count = charges[base + 2], cost = charges[base + 3], spare = charges[base + 10],
    others = cached_others(others), hold = holds_at > 0 and hold_of(ARGV[holds_at], KEYS[charges[base + 4]]) or nil,
    keys = { charges[base + 4], charges[base + 5], charges[base + 6] }, within = -1, new_id = '', ticket = '',
    lost = 0, returned = CODES.NOT, others_text = others > 0 and ARGV[others] or '',
    template_text = ARGV[charges[base + 1]] }
  if at > 0 then
    local within, new_id, ticket = string.match(ARGV[at], '^(%S+) (%S*) (%S*)$')
    charge.within, charge.new_id, charge.ticket = tonumber(within), new_id, ticket
  end
  return charge
end

local function load_buckets(charge)
  for _, demand in ipairs(charge.demands) do
    demand.bucket, demand.is_carried = bucket_of(demand, charge.states[demand.scope], charge.now)
  end
end

-- Writes the changes of a charge to its buckets; for a denial that changed none, only those of a
-- change of policy.
local function commit_all(charge, has_changed)
  for _, scope in ipairs(charge.scopes) do
    local is_carried = false
    for _, demand in ipairs(charge.demands) do
      is_carried = is_carried or demand.scope == scope and demand.is_carried
    end
    if has_changed or is_carried then
      commit(charge.states[scope], charge.now, charge.demands, charge.template)
    end
  end
end

local function reply(status, charge)
  local answer = { status }
  for i, demand in ipairs(charge.demands) do
    answer[i + 1] = shown(demand)
  end
  return answer
end

local function reply_in_queue(status, charge, told)
  local answer = reply(status, charge)
  local n, place = #answer, told.place
  local has_ticket = place and not is_anybodys(place)
  answer[n + 1], answer[n + 2] = told.wait_us, told.estimate and 1 or 0
  answer[n + 3], answer[n + 4] = has_ticket and place.deadline or 0, has_ticket and place.id == charge.new_id and 1 or 0
  answer[n + 5], answer[n + 6], answer[n + 7] = charge.returned, told.made and 1 or 0, charge.lost
  answer[n + 8] = told.made and charge.states[1].length or 0
  answer[n + 9], answer[n + 10], answer[n + 11] = told.step or 0, told.moments or 0, told.until_us or 0
  return answer
end

-- The first place of the requested kind that is in time, and the time of its slot. Reads two
-- members.
local function first_of_kind(charge, state)
  local digest, from = charge.digest(), string.format('%016d', charge.now)
  local first, last = '[' .. digest .. '.' .. from, '(' .. digest .. '/'
  local entry = redis.call('ZRANGEBYLEX', state.kinds, first, last, 'LIMIT', 0, 1)[1]
  if not entry then
    return nil
  end
  local deadline, slot, until_us = string.match(entry, '%.(%d+) (%d+) (%d+)$')
  charge.due_us = tonumber(slot)
  if charge.due_us > charge.now then
    return nil
  end
  local prefix = deadline .. '.-' .. digest .. ' ' .. slot .. ' ' .. until_us
  return redis.call('ZRANGEBYLEX', state.queue, '[' .. prefix .. ' ', '(' .. prefix .. '!', 'LIMIT', 0, 1)[1]
end

-- The place that the caller returns to, if it is in time and of the same kind of request.
local function place_found(charge)
  local state, ticket, text = charge.states[1], charge.ticket, nil
  if length_of(state) > 0 and ticket ~= '' then
    text = redis.call('ZRANGEBYLEX', state.queue, '[' .. ticket .. ' ', '(' .. ticket .. '!', 'LIMIT', 0, 1)[1]
  elseif length_of(state) > 0 and charge.within < ANY_WAIT then
    text = first_of_kind(charge, state)
  end
  local place = text and place_of(text)
  local is_mine = place and place.deadline >= charge.now and kind_of(place.shares) == charge.kind()
    and (not is_in_tenants_queue(place) or redis.call('ZSCORE', charge.states[2].queue, text))
  if not is_mine and ticket ~= '' then
    charge.returned = tonumber(string.sub(ticket, 1, 16)) < charge.now and CODES.LATE or CODES.UNKNOWN
  end
  return is_mine and place or nil
end

local function store_places(charge, mine, places)
  for scope = CODES.KEY, CODES.TENANT do
    local state = charge.states[scope]
    for _, place in ipairs(places) do
      if state and (scope == CODES.KEY or is_in_tenants_queue(place)) then
        add(state, place, charge.now)
      end
    end
    if state and mine and (scope == CODES.KEY or is_in_tenants_queue(mine)) then
      drop(state, mine)
    end
    if state then
      commit(state, charge.now, {}, charge.template)
    end
  end
end

-- Whether the next equal charge has the same result: it has no place to return to, and none is
-- overdue.
local function is_settled(charge)
  for scope = CODES.KEY, CODES.TENANT do
    local state = charge.states[scope]
    if state and state.sweep_us and state.sweep_us < charge.now then
      return false
    end
  end
  return charge.returned == CODES.NOT
end

local function tell_estimate(charge, rules, slot)
  local touched = {}
  for _, demand in ipairs(charge.demands) do
    local state = charge.states[demand.scope]
    local told = estimates_of(state)[demand.name]
    demand.estimate = told and told.field == demand.field and told.at_us or 0
  end
  local left = is_settled(charge) and charge.left or 1
  local told, step, moments = estimate(charge.demands, charge.now, rules, left, charge.spare)
  for _, demand in ipairs(charge.demands) do
    local state = charge.states[demand.scope]
    if demand.estimate > charge.now then
      state.estimates[demand.name], touched[state] = { field = demand.field, at_us = demand.estimate }, true
    end
  end
  for state in pairs(touched) do
    write_estimates(state, charge.now)
  end
  local until_us = math.min(slot, charge.due_us and math.max(charge.due_us, charge.now) or math.huge)
  local in_reach = slot - furthest_us(slot - charge.now, rules)
  until_us = in_reach > charge.now and math.min(until_us, in_reach) or until_us
  for scope = CODES.KEY, CODES.TENANT do
    local state = charge.states[scope]
    until_us = math.min(until_us, state and state.sweep_us or math.huge)
  end
  return reply_in_queue(CODES.DENIED, charge,
    { wait_us = told - charge.now, estimate = true, step = step, moments = moments, until_us = until_us })
end

local function as_newcomer(charge, rules, was_released)
  local slot = slot_of(charge.demands, charge.now)
  if not slot then
    admit(charge.demands, charge.now)
    commit_all(charge, true)
    return reply_in_queue(CODES.ALLOWED, charge, { wait_us = 0 })
  end
  if rules.mode == CODES.OFF then
    commit_all(charge, was_released)
    return reply_in_queue(CODES.DENIED, charge, { wait_us = slot - charge.now, estimate = true })
  end
  if not can_book(charge.demands, slot, charge.now, rules) then
    commit_all(charge, was_released)
    return tell_estimate(charge, rules, slot)
  end
  local place, idle = book(charge.demands, slot, charge.now, rules)
  store_places(charge, nil, idle and { idle, place } or { place })
  commit_all(charge, true)
  return reply_in_queue(CODES.DENIED, charge, { wait_us = place.slot - charge.now, place = place, made = true })
end

-- A caller with a place, in time or early, for the same kind of request.
local function come_back(charge, mine, rules)
  local now, demands = charge.now, charge.demands
  if now < mine.slot then
    charge.returned = CODES.EARLY
    commit_all(charge, false)
    return reply_in_queue(CODES.DENIED, charge, { wait_us = mine.slot - now, place = mine })
  end
  mark_held(mine, demands)
  charge.returned = CODES.KEPT
  local slot = slot_of(demands, now)
  if not slot then
    store_places(charge, mine, {})
    return as_newcomer(charge, rules)
  end
  charge.returned = CODES.BROKEN
  local comes = is_anybodys(mine) and whole_second(now, slot) or slot
  if comes + tolerance_of(rules) <= mine.until_us then
    local place = moved(mine, demands, slot, comes, now, rules)
    store_places(charge, mine, { place })
    commit_all(charge, true)
    return reply_in_queue(CODES.DENIED, charge, { wait_us = slot - now, place = place })
  end
  store_places(charge, mine, {})
  for _, demand in ipairs(demands) do
    if demand.held then
      release(demand.bucket, demand.cost)
      demand.held = false
    end
  end
  return as_newcomer(charge, rules, true)
end

local function rules_of(charge)
  local template, states_of = charge.template, charge.states
  local rules = { mode = template.mode, lateness = template.lateness, horizon = template.horizon,
    within = charge.within, new_id = charge.new_id, digest = charge.digest }
  local max_queue, has_tenant = template.max_queue, states_of[2] ~= nil
  if has_tenant and length_of(states_of[1]) > 0 then
    -- A key with a queue leaves the other half of the tenant's queue to the tenant's other keys.
    rules.horizon, max_queue = math.floor(rules.horizon / 2), math.floor(max_queue / 2)
  end
  rules.has_room = length_of(states_of[1]) < max_queue and (not has_tenant or length_of(states_of[2]) < max_queue)
  return rules
end

local function without_queue(charge)
  if not slot_of(charge.demands, charge.now) then
    admit(charge.demands, charge.now)
    commit_all(charge, true)
    return reply(CODES.ALLOWED, charge)
  end
  commit_all(charge, false)
  local answer = reply(CODES.DENIED, charge)
  answer[#answer + 1], answer[#answer + 2] = slot_of(charge.demands, charge.now) - charge.now, 1
  return answer
end

-- Loads the states of a charge, including that of its key; returns a newer revision if one has
-- decided.
local function look(charge)
  charge.states, charge.scopes = {}, charge.template.scopes
  for _, scope in ipairs(charge.template.scopes) do
    local state = state_of(charge.keys[scope], scope)
    charge.states[scope] = state
    if state.revision > charge.template.revision then
      return state.revision
    end
  end
  charge.states[1] = charge.states[1] or state_of(charge.keys[1], CODES.KEY)
end

-- Texts are made once, and only if they are needed.
local function name_kind(charge)
  local kind, digest
  charge.kind = function()
    kind = kind or kind_of(shares_of(charge.demands))
    return kind
  end
  charge.digest = function()
    digest = digest or string.sub(redis.sha1hex(charge.kind()), 1, 10)
    return digest
  end
end

-- Moves states back that are ahead of the clock, and ends queues whose slots are void.
local function settle_states(charge)
  for _, scope in ipairs(charge.template.scopes) do
    local state = charge.states[scope]
    rebase(state, charge.now, charge.template)
    if has_other_rate(charge.demands, scope, state) and has_queue(state) then
      end_queue(state)
      commit(state, charge.now, {}, charge.template)
    end
  end
end

local function decide_on_rates(charge, waits)
  local template = charge.template
  if not waits and charge.ticket == '' then
    load_buckets(charge)
    if template.mode == CODES.OFF or not slot_of(charge.demands, charge.now) then
      return without_queue(charge)
    end
  end
  rebase(charge.states[1], charge.now, template)
  charge.lost = sweep(charge.states[1], charge.now, template)
  if charge.states[2] then
    sweep(charge.states[2], charge.now, template)
  end
  load_buckets(charge)
  name_kind(charge)
  local rules = rules_of(charge)
  local mine = place_found(charge)
  if mine then
    return come_back(charge, mine, rules)
  end
  return as_newcomer(charge, rules)
end

-- The shares of the place of a ticket that is in time, for any kind of request; nil if there is
-- none.
local function shares_of_ticket(charge)
  local state, ticket = charge.states[1], charge.ticket
  if ticket == '' or not state.queue_us or tonumber(string.sub(ticket, 1, 16)) < charge.now then
    return nil
  end
  local text = redis.call('ZRANGEBYLEX', state.queue, '[' .. ticket .. ' ', '(' .. ticket .. '!', 'LIMIT', 0, 1)[1]
  return text and place_of(text).shares
end

local function levels_of(charge)
  charge.demands = demands_of(charge.template, charge.cost)
  load_buckets(charge)
  local by_name = {}
  for _, demand in ipairs(charge.demands) do
    by_name[demand.name] = demand.bucket.used
  end
  charge.used_of = function(bucket)
    return by_name[bucket] or 0
  end
end

-- The units used of all demands: those in the answer as they are there, the others as they are.
local function used_of_all(all, asked, answer)
  local used = {}
  for i, demand in ipairs(all) do
    used[i] = shown(demand)
    for j, other in ipairs(asked) do
      if answer and other.name == demand.name and other.scope == demand.scope then
        used[i] = answer[j + 1]
      end
    end
  end
  return used
end

-- The answer if the reservation of a charge already exists, else nil.
local function answer_again(charge)
  local before = known_reservation(charge, redis.call)
  if before ~= CODES.AGAIN then
    return before and { before }
  end
  return { CODES.AGAIN, unpack(used_of_all(charge.demands, {})) }
end

-- Restricts the charge to these demands, and to the states that they need.
local function ask_alone(charge, payers)
  local all_states = charge.states
  charge.demands, charge.states, charge.scopes = payers, { all_states[1] }, {}
  local is_known = {}
  for _, demand in ipairs(payers) do
    if not is_known[demand.scope] then
      charge.scopes[#charge.scopes + 1], is_known[demand.scope] = demand.scope, true
      charge.states[demand.scope] = all_states[demand.scope]
    end
  end
end

local function waits_in(charge)
  for _, scope in ipairs(charge.scopes) do
    if has_queue(charge.states[scope]) then
      return true
    end
  end
  return false
end

-- The numbers of the demands that do not pay.
local function unpaid_of(all, payers)
  local pays, unpaid = {}, {}
  for _, demand in ipairs(payers) do
    pays[demand] = true
  end
  for i, demand in ipairs(all) do
    if not pays[demand] then
      unpaid[#unpaid + 1] = i
    end
  end
  return unpaid
end

local function decide_mixed(charge)
  charge.demands = demands_of(charge.template, charge.cost)
  settle_states(charge)
  levels_of(charge)
  local again = answer_again(charge)
  if again then
    return again
  end
  local looked = look_at(charge, ledger, redis.call)
  if not looked then
    return { CODES.OUTSIDE }
  end
  charge.cost = looked.cost
  levels_of(charge)
  local all = charge.demands
  local payers, paid = payers_of(all, charge.now, shares_of_ticket(charge))
  ask_alone(charge, payers)
  if is_never(all) or looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used_of_all(all, {}), charge, looked, paid)
  elseif looked.wait_us then
    keep_counters(charge, 'denied')
    local slot = slot_of(payers, charge.now)
    local answer = answer_of(CODES.DENIED, used_of_all(all, {}), charge, looked, paid)
    answer[#answer + 1] = math.max(looked.wait_us, slot and slot - charge.now or 0)
    answer[#answer + 1] = 1
    return answer
  end
  local of_rates = #payers == 0 and { CODES.ALLOWED } or decide_on_rates(charge, waits_in(charge))
  local answer = answer_of(of_rates[1], used_of_all(all, payers, of_rates), charge, looked, paid)
  for i = #payers + 2, #of_rates do
    answer[#answer + 1] = of_rates[i]
  end
  if of_rates[1] == CODES.ALLOWED then
    take_others(charge, looked, unpaid_of(all, payers), index, redis.call)
  else
    keep_counters(charge, 'denied')
  end
  return answer
end

local function state_keys_of(keys)
  local names = {}
  for scope = CODES.KEY, CODES.CLUSTER do
    names[scope] = KEYS[keys[scope]]
  end
  return names
end

local function is_mixed(charge)
  return #charge.others > 0 or charge.hold or charge.template.is_unusual
end

local function decide(charge)
  local template = charge.template
  learn(policy, template.revision)
  local newer = policy.newest > template.revision and policy.newest or look(charge)
  if newer then
    return { CODES.STALE, newer }
  end
  if is_mixed(charge) then
    charge.state_keys = state_keys_of(charge.keys)
    return decide_mixed(charge)
  end
  charge.demands = demands_of(template, charge.cost)
  if is_never(charge.demands) then
    load_buckets(charge)
    return reply(CODES.NEVER_ALLOWED, charge)
  end
  settle_states(charge)
  return decide_on_rates(charge, waits_in(charge))
end

-- Answers some of the remaining equal charges; returns how many.
local function answered(i, left, answers)
  local charge = read_charge(i)
  local at = charges[WIDTH * (i - 1) + 1]
  charge.template, charge.left = template_of(ARGV[at]), left
  local is_done, answer = pcall(decide, charge)
  if not is_done then
    local text = type(answer) == 'table' and answer.err or tostring(answer)
    if string.find(text, '^-?READONLY ') then
      error(answer, 0) -- a replica takes nothing of any charge: the master is another node
    end
    answer = { CODES.FAILED, text }
  end
  answers[#answers + 1] = answer
  if answer[1] >= CODES.NEVER_ALLOWED or is_mixed(charge) then
    return left
  end
  return math.max(1, math.min(left, answer[#charge.demands + 11] or 1))
end

local answers = { now_us(1) }
for i = 1, #charges / WIDTH do
  local left = charges[WIDTH * (i - 1) + 2]
  while left > 0 do
    left = left - answered(i, left, answers)
  end
end
keep_learned(redis.call, policy)
write_counters(ledger, redis.call)
for state, template in pairs(written) do
  local value = state_value(state, template.demands)
  redis.call('SET', state.key, value, 'PXAT', string.format('%d', state.expires_ms))
end
return answers
