-- Gives back operations that nothing has reserved: as many as are in use, as nothing says which of these they are.
--
-- KEYS
--   1      the state of a key
--   2      <state>:counters
-- ARGV
--   1 not_after   nothing is given back after it, by Redis's clock: the caller has given up; 0 for never
--   2 count       operations, 1 to 2^63: those above what is in use do not count
--   3 rates       text: <bucket>@<rate as in the state> <capacity> <units of an operation>, with a
--                 semicolon between; '' for none
--   4 quotas      text: their names with a space between; '' for none
-- RETURNS
--   { clock_us }             not_after has passed
--   { clock_us, given... }   for each bucket, then for each quota: the units, or operations, that were given back
-- ERRORS
--   the key holds no state, or no counters; those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of a state is unchanged; counters as of take.lua

local correction_of = require('kinds/correction').correction_of
local write_correction = require('kinds/correction').write_correction
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local clock = require('now')
local level_of = require('state/level_of')
local scaled = require('state/units').scaled
local units_of = require('state/units').units_of

local now_us = clock(ARGV)

local ENDS, USED = 2, 3
local now, not_after, count = now_us(1), tonumber(ARGV[1]), tonumber(ARGV[2])
local given = { now }
if not_after > 0 and now > not_after then
  return given
end

-- The lowest level since reservations were taken falls with the level: they give back no part of this again.
local function refund_bucket(state, demand)
  local bucket, level = state.buckets[demand.name], level_of(demand, state, state.at_us)
  local part = math.min(level, units_of(count, demand.units))
  if part > 0 then
    local left = level - part
    bucket.used = scaled(left, demand.rate, bucket.rate)
    bucket.low = math.min(bucket.low, bucket.used)
    bucket.debt = bucket.key == demand.field and math.max(0, left - demand.capacity) or 0
  end
  return part
end

local function refund_rates(state)
  local has_changed = false
  for field, capacity, units in string.gmatch(ARGV[3], '([^; ]+) (%d+) (%d+)') do
    local name, rate = string.match(field, '^([^@]+)@(%d+)')
    local part = refund_bucket(state, { name = name, field = field, rate = tonumber(rate),
      capacity = tonumber(capacity), units = tonumber(units) })
    given[#given + 1], has_changed = part, has_changed or part > 0
  end
  return has_changed
end

-- The use of a period that has ended stays.
local function refund_quotas(counters)
  for name in string.gmatch(ARGV[4], '%S+') do
    local counter = stored_of(counters, name)
    local part = (counter[ENDS] or 0) > now and math.min(counter[USED], count) or 0
    if part > 0 then
      put_counter(counters, name, { counter[1], counter[ENDS], counter[USED] - part, counter[4] }, now)
    end
    given[#given + 1] = part
  end
end

local correction = correction_of(redis.call, KEYS[1], now)
if not correction then
  return redis.error_reply(KEYS[1] .. ' holds no state')
end
local has_changed = refund_rates(correction.state)
refund_quotas(correction.counters)
write_correction(redis.call, correction, has_changed)
return given
