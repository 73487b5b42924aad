-- Keeps the draft of the policy that an operator writes in a session, in place of the one before. If there are too
-- many, the one that ends first is forgotten.
--
-- KEYS
--   1      weir:drafts:<operator> hash: by the name of a session "<end, in milliseconds> <JSON>"
-- ARGV
--   1      session        name; - for none
--   2      text           JSON
--   3      lasts_ms       whole number > 0
--   4      most           drafts
-- RETURNS
--   { 1 }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lasts_ms: until the end of the newest draft

local clock = require('now')

local session, lasts_ms, most = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local end_ms = math.floor(clock(ARGV)(1) / 1000) + lasts_ms

local function first_to_end()
  local stored = redis.call('HGETALL', KEYS[1])
  local found, least
  for i = 1, #stored, 2 do
    local at = tonumber(string.match(stored[i + 1], '^%d+') or 0)
    if not least or at < least then
      found, least = stored[i], at
    end
  end
  return found
end

if redis.call('HSTRLEN', KEYS[1], session) == 0 and redis.call('HLEN', KEYS[1]) >= most then
  redis.call('HDEL', KEYS[1], first_to_end())
end
redis.call('HSET', KEYS[1], session, string.format('%.0f %s', end_ms, ARGV[2]))
redis.call('PEXPIRE', KEYS[1], lasts_ms)
return { 1 }
