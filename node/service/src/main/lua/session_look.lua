-- Returns a session that is not over.
--
-- KEYS
--   1      weir:sessions  hash, as of session_put.lua
-- ARGV
--   1      name           of the session
-- RETURNS
--   {}                    there is none
--   { operator, sealed }
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then
  return {}
end
local end_ms, operator, sealed = string.match(text, '^(%d+) (%S+) (.*)$')
if tonumber(end_ms or 0) * 1000 <= clock(ARGV)(1) then
  return {}
end
return { operator, sealed }
