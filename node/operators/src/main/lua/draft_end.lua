-- Forgets the draft of the policy that an operator wrote in a session, or in all.
--
-- KEYS
--   1      weir:drafts:<operator> hash, as of draft_put.lua
-- ARGV
--   1      session        name; '' for all
-- RETURNS
--   { 1 } if there was one, else { 0 }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   unchanged; without a draft the key is removed

if ARGV[1] == '' then
  return { redis.call('DEL', KEYS[1]) }
end
return { redis.call('HDEL', KEYS[1], ARGV[1]) }
