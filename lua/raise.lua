-- Raises a number: the revision in force of a partition of a Redis Cluster, which from then on decides nothing by an
-- older one; or the format of the state.
--
-- KEYS
--   1      weir:{pNN}:policy, or weir:policy, a hash
-- ARGV
--   1      field       text: revision, or format
--   2      number      integer, above 0
-- RETURNS
--   the highest number that was stored there
-- ERRORS
--   only those of wrong arguments
-- TTL
--   none: it stays

local field, number = ARGV[1], tonumber(ARGV[2])
local known = tonumber(redis.call('HGET', KEYS[1], field) or 0) or 0
if number > known then
  redis.call('HSET', KEYS[1], field, string.format('%d', number))
  known = number
end
return known
