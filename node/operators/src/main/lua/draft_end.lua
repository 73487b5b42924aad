-- Forgets the draft of the policy that an operator wrote.
--
-- KEYS
--   1      weir:draft:<operator> text, as of draft_put.lua
-- ARGV
--   none
-- RETURNS
--   { 1 } if there was one, else { 0 }
-- ERRORS
--   only that of a Redis that accepts no writes
-- TTL
--   the key is removed

return { redis.call('DEL', KEYS[1]) }
