-- Returns the candidate for the policy that is rehearsed, without its document if it is the one that is known.
--
-- KEYS
--   1      weir:rehearsal  hash, as of rehearsal_put.lua
-- ARGV
--   1      known           text: the id of the known one; empty for none
-- RETURNS
--   {}                     there is none
--   { id }                 it is the known one
--   { id, by, since_ms, until_ms, document }
-- ERRORS
--   none
-- TTL
--   writes no key

local id = redis.call('HGET', KEYS[1], 'id')
if not id then
  return {}
end
if id == ARGV[1] then
  return { id }
end
return redis.call('HMGET', KEYS[1], 'id', 'by', 'since', 'until', 'document')
