-- Announces the revision in force to a partition of a Redis Cluster: from then on it decides
-- nothing by an older one.
--
-- KEYS
--   1      weir:{pNN}:policy
-- ARGV
--   1      revision    integer, above 0
-- RETURNS
--   the newest revision that is known there
-- ERRORS
--   only those of wrong arguments
-- TTL
--   none: it stays

local known = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) or 0
local revision = tonumber(ARGV[1])
if revision > known then
  redis.call('HSET', KEYS[1], 'revision', string.format('%d', revision))
  known = revision
end
return known
