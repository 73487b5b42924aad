-- Compares the counters of an upstream with the requests under way to it.
--
-- KEYS
--   1, 2   as of book.lua
-- ARGV
--   1      the most requests and fields: more are not compared
--   2      1 to repair what differs, else 0
-- RETURNS
--   { size, then for each difference: place, counted, found }
--   as of lib/drift.lua; size is the larger number of requests under way and of fields
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of book.lua

local DRIFT = require('drift')

local most = tonumber(ARGV[1])

local function counted()
  local counters, fields = {}, redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 5) == 'busy:' then
      counters[fields[i]] = tonumber(fields[i + 1]) or -1
    end
  end
  return counters
end

local function under_way()
  local found = {}
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local provider = string.match(member, '^%S+ (%S+)$')
    if provider then
      found['busy:' .. provider] = (found['busy:' .. provider] or 0) + 1
    end
  end
  return found
end

local size = math.max(redis.call('HLEN', KEYS[1]), redis.call('ZCARD', KEYS[2]))
if size > most then
  return { size }
end
local comparison = DRIFT.comparison(redis.call, size, ARGV[2] == '1')
DRIFT.fields(comparison, 'upstream', KEYS[1], counted(), under_way())
return comparison.answer
