-- Keeps the draft of the policy that an operator writes, in place of the one before.
--
-- KEYS
--   1      weir:draft:<operator> text: JSON
-- ARGV
--   1      text           JSON
--   2      lasts_ms       whole number > 0
-- RETURNS
--   { 1 }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lasts_ms

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 1 }
