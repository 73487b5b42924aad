-- Replaces a node's list of most-denied callers, and returns the time. Once per minute it removes the lists of nodes
-- that have ended.
--
-- KEYS
--   1      weir:top       hash: by the name of a node its text, after the instant in milliseconds and a space
-- ARGV
--   1      node           text: its name
--   2      text           JSON
-- RETURNS
--   { now_us }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   two minutes from now on

local clock = require('now')

local LIVES_MS, MINUTE_MS = 120000, 60000

local now_us = clock(ARGV)(1)
local now_ms = math.floor(now_us / 1000)

local function is_old(text)
  return now_ms - tonumber(string.match(text, '^(%d+) ') or 0) > LIVES_MS
end

local before = redis.call('HGET', KEYS[1], ARGV[1])
local before_ms = before and tonumber(string.match(before, '^(%d+) ')) or 0
if math.floor(before_ms / MINUTE_MS) ~= math.floor(now_ms / MINUTE_MS) then
  local stored = redis.call('HGETALL', KEYS[1])
  for i = 1, #stored, 2 do
    if is_old(stored[i + 1]) then
      redis.call('HDEL', KEYS[1], stored[i])
    end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d ', now_ms) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], LIVES_MS)
return { now_us }
