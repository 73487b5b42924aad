-- Ends a session.
--
-- KEYS
--   1      weir:sessions  hash, as of session_put.lua
-- ARGV
--   1      name           of the session
-- RETURNS
--   { 1 } if there was one, else { 0 }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   unchanged

return { redis.call('HDEL', KEYS[1], ARGV[1]) }
