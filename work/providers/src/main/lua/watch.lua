-- Elects the node that checks the health of an upstream's providers, until its lease ends.
--
-- KEYS
--   1      weir:{pNN}:upstream:<name>:watch    text: the node that checks
-- ARGV
--   1      node        text: the candidate, or the node that checks
--   2      lease_ms    integer, above 0: the length of the lease
-- RETURNS
--   { 1 if it is the one that checks, else 0 }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   the lease

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return { 0 }
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 1 }
