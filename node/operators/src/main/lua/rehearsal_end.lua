-- Ends the rehearsal of the candidate for the policy.
--
-- KEYS
--   1      weir:rehearsal  hash, as of rehearsal_put.lua
-- ARGV
--   none
-- RETURNS
--   { 1 } if there was one, else { 0 }
-- ERRORS
--   only that of a Redis that accepts no writes
-- TTL
--   the key is removed

return { redis.call('DEL', KEYS[1]) }
