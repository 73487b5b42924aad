-- Ends the hold of a request: frees its permits and, for a reservation, charges the actual cost or
-- gives everything back. The first end counts. Differences are computed from the recorded
-- reservation, never from a policy.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   2..4   the states of the key, its tenant, the cluster
--   5..7   <state>:counters of each
--   8      <state of the key>:hold:<id>
--   9      weir:holds, or the index of its partition
--   then   <state>:permits:<limit>, of each permit that is held
-- ARGV
--   1      the end: 1 settled, 2 cancelled, 3 expired; or 4 released: its permits are freed, and a
--          reservation stays for another end
--   2      the actual cost, in operations, at least 0; -1 for the reserved cost
--   3      the id of the hold
--   4      the number of permits it has
--   then   for each permit: <scope> <limit>
-- RETURNS
--   { status, repeated, cost, capped }   of the end that counts; repeated is 1 if it had ended
--                                        before; the cost is the one that counts, without the
--                                        price; capped is 1 if a bucket owes less than that,
--                                        because numbers are limited
--   { OPEN, 0, cost }            it has not expired
--   { UNKNOWN_HOLD, 0, 0 }       the hold is unknown; or RELEASED: no reservation has ended, and its
--                                permits are free
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   states as of charge.lua; counters as of take.lua; an ended reservation is kept for ten minutes

local CODES = require('codes')
local MARKS = require('kinds/marks')
local priced = require('kinds/kinds').priced
local counters_at = require('kinds/ledger').counters_at
local new_ledger = require('kinds/ledger').new_ledger
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local write_counters = require('kinds/ledger_write').write_counters
local others_of = require('kinds/others_of')
local permit_released = require('kinds/permit_released')
local permits_key = require('kinds/permits_key')
local reservation_standing = require('kinds/reservation_standing')
local LEASED = require('leased')
local clock = require('now')
local scaled = require('state/units').scaled
local owe = require('state/owe')
local STATE = require('state/state')
local template_of = require('state/template_of').template_of
local units_of = require('state/units').units_of
local TIMES = require('times')

local now_us = clock(ARGV)

local ENDS_KEPT_US = 600000000
local ending, actual, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local now, ledger = now_us(1), new_ledger()
local states, is_capped = {}, false

local function counters_of(scope)
  return counters_at(ledger, redis.call, KEYS[1 + scope], now)
end

local function free_permits()
  local was_held = false
  for i = 5, 4 + tonumber(ARGV[4]) do
    local scope, name = string.match(ARGV[i], '^(%d) (%S+)$')
    local key = permits_key(KEYS[1 + tonumber(scope)], name)
    if LEASED.release(redis.call, key, KEYS[8], now)
      or LEASED.release(redis.call, key, id, now) then -- a generated id
      was_held = true
      local counters = counters_of(tonumber(scope))
      put_counter(counters, name, permit_released(stored_of(counters, name), now), now)
    end
  end
  return was_held
end

local function state_at(scope)
  if not states[scope] then
    local state = STATE.read(redis.call('GET', KEYS[1 + scope]), now)
    if not state then
      error(KEYS[1 + scope] .. ' holds no state', 0)
    end
    local at_us = math.max(state.at_us, now)
    STATE.forget(state, at_us)
    STATE.move_to(state, at_us)
    state.scope = scope
    states[scope] = state
  end
  return states[scope]
end

-- Charges a bucket for more units, or undoes the charge of units: those that have drained since are not
-- given back.
local function settle_bucket(reservation, demand, units)
  local state = state_at(demand.scope)
  local bucket = state.buckets[demand.name]
  if units > 0 then
    state.has_changed = true
    is_capped = owe(state, demand, units) or is_capped
  elseif units < 0 and bucket then
    state.has_changed = true
    local moved = scaled(-units, demand.rate, bucket.rate)
    if MARKS.undo(counters_of(demand.scope), bucket, demand.name, reservation.mark, moved, now) then
      bucket.debt = math.max(0, bucket.used - scaled(demand.capacity, demand.rate, bucket.rate))
    end
  end
end

-- The demands without those at these positions.
local function without(demands, numbers)
  local left_out, rest = {}, {}
  for number in string.gmatch(numbers, '%d+') do
    left_out[tonumber(number)] = true
  end
  for i, demand in ipairs(demands) do
    if not left_out[i] then
      rest[#rest + 1] = demand
    end
  end
  return rest
end

-- Parses a reservation that reservation_text has written. One of an older release has no mark, and gives
-- nothing back.
local function reservation_from(text)
  local expires_us, refunds, cost, price, taken_us, unpaid, uncharged, others, template =
    string.match(text, '^open (%d+) (%d) (%d+) (%d+) %d+ (%d+) (%S+) (%S+)[^\n]*\n([^\n]*)\n(.*)$')
  local mark = string.match(text, '^[^\n]* mark=(%d+)')
  return { mark = tonumber(mark or 0), expires_us = tonumber(expires_us), refunds = refunds == '1',
    cost = tonumber(cost), price = tonumber(price), taken_us = tonumber(taken_us),
    rates = without(template_of(template).demands, unpaid), others = without(others_of(others), uncharged) }
end

local function settle_rates(reservation, before, after, is_all)
  for _, demand in ipairs(reservation.rates) do
    if demand.requests then
      settle_bucket(reservation, demand, is_all and -demand.units or 0)
    else
      local owed = is_all and 0 or units_of(after, demand.units)
      is_capped = is_capped or owed >= TIMES.MAX_UNITS
      settle_bucket(reservation, demand, owed - units_of(before, demand.units))
    end
  end
end

local function settle_others(reservation, before, after, is_all)
  for _, demand in ipairs(reservation.others) do
    local delta = is_all and -(demand.requests and 1 or before) or demand.requests and 0 or after - before
    local counter
    if demand.kind.settled and delta ~= 0 then
      local stored = stored_of(counters_of(demand.scope), demand.name)
      counter = demand.kind.settled(demand, stored, delta, now, reservation.taken_us)
    end
    if counter then
      put_counter(counters_of(demand.scope), demand.name, counter, now)
    end
  end
end

local function write_states()
  for scope, state in pairs(states) do
    if state.has_changed then
      local value = STATE.value(state, {})
      redis.call('SET', KEYS[1 + scope], value, 'PXAT', string.format('%d', state.expires_ms))
    end
  end
end

local function settle(text)
  local reservation = reservation_from(text)
  if ending == CODES.EXPIRED and reservation.expires_us > now then
    return { CODES.OPEN, 0, reservation.cost }
  end
  for _, demand in ipairs(reservation.rates) do
    state_at(demand.scope) -- unreadable data is found before anything is written
    counters_of(demand.scope)
  end
  free_permits()
  local keeps = ending == CODES.EXPIRED and not reservation.refunds
  local is_all = ending ~= CODES.SETTLED and not keeps
  actual = keeps and reservation.cost or ending == CODES.SETTLED and (actual < 0 and reservation.cost or actual) or 0
  local before, after = priced(reservation.cost, reservation.price), priced(actual, reservation.price)
  settle_rates(reservation, before, after, is_all)
  settle_others(reservation, before, after, is_all)
  redis.call('SET', KEYS[8], string.format('ended %d %d %d', ending, actual, now + ENDS_KEPT_US), 'PXAT',
    string.format('%d', math.ceil((now + ENDS_KEPT_US) / 1000)))
  redis.call('ZREM', KEYS[9], KEYS[8])
  write_states()
  return { ending, 0, actual, is_capped and 1 or 0 }
end

local function release()
  return { free_permits() and CODES.RELEASED or CODES.UNKNOWN_HOLD, 0, 0 }
end

local function answer()
  if ending == CODES.RELEASED then
    return release()
  end
  local text = redis.call('GET', KEYS[8])
  local standing = reservation_standing(text, now)
  if standing == 'ended' then
    redis.call('ZREM', KEYS[9], KEYS[8])
    local status, cost = string.match(text, '^ended (%d) (%d+) ')
    return { tonumber(status), 1, tonumber(cost) }
  elseif standing then
    return settle(text)
  end
  redis.call('ZREM', KEYS[9], KEYS[8])
  return release()
end

local answered = answer()
write_counters(ledger, redis.call)
return answered
