-- Takes operations that are over already: all of them, beyond the limits if need be. What is above a limit is owed.
--
-- KEYS
--   1      the state of a key
--   2      <state>:counters
-- ARGV
--   1 not_after   nothing is taken after it, by Redis's clock: the caller has given up; 0 for never
--   2 count       operations, above 0
--   3 rates       text: <bucket>@<rate as in the state> <capacity> <units of an operation>, with a
--                 semicolon between; '' for none
--   4 quotas      text, as of lib/kinds/others_of.lua
-- RETURNS
--   { clock_us }       not_after has passed
--   { clock_us, 1 }    all is taken
-- ERRORS
--   the key holds no state, or no counters; those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   states and counters as of take.lua

local correction_of = require('kinds/correction').correction_of
local write_correction = require('kinds/correction').write_correction
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local others_of = require('kinds/others_of')
local clock = require('now')
local level_of = require('state/level_of')
local owe = require('state/owe')
local units_of = require('state/units').units_of

local now_us = clock(ARGV)

local now, not_after, count = now_us(1), tonumber(ARGV[1]), tonumber(ARGV[2])
if not_after > 0 and now > not_after then
  return { now }
end
local correction = correction_of(redis.call, KEYS[1], now)
if not correction then
  return redis.error_reply(KEYS[1] .. ' holds no state')
end
local state, counters = correction.state, correction.counters

-- A bucket of an older rate or burst is this one from now on: its debt would be void otherwise.
local function renew(demand)
  local bucket = state.buckets[demand.name]
  if bucket and bucket.key ~= demand.field then
    local level = level_of(demand, state, state.at_us)
    state.buckets[demand.name] = { key = demand.field, rate = demand.rate, used = level, debt = 0, low = 0 }
  end
end

for field, capacity, units in string.gmatch(ARGV[3], '([^; ]+) (%d+) (%d+)') do
  local name, rate = string.match(field, '^([^@]+)@(%d+)')
  local demand = { name = name, field = field, rate = tonumber(rate), capacity = tonumber(capacity) }
  renew(demand)
  owe(state, demand, units_of(count, tonumber(units)))
end
for _, quota in ipairs(others_of(ARGV[4])) do
  local counted = quota.kind.counts(quota, count)
  put_counter(counters, quota.name, quota.kind.settled(quota, stored_of(counters, quota.name), counted, now, now), now)
end
write_correction(redis.call, correction, ARGV[3] ~= '')
return { now, 1 }
