-- Takes a place for a new key of a tenant, until its record is written; or gives it back. Who counts the records after
-- it has taken a place, and adds the places that others took before it, does not overlook a key: the record of each is
-- in the index before its place is given back.
--
-- KEYS
--   1      weir:{p}:key-places:<tenant>   sorted set: ids of keys that are being made, each with the microsecond of
--                                         its end
-- ARGV
--   1      id           of the new key
--   2      verb         take, or free
--   3      lives_us     the time that a place is kept if nobody gives it back
--   4      most         places at a time
-- RETURNS
--   { DONE, before }    the number of places that others had taken before; 0 for free
--   { BUSY }            all places are taken; nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lives_us behind the last place that was taken

local clock = require('now')

local DONE, BUSY = 0, 1

local now_us = clock(ARGV)
local id, verb = ARGV[1], ARGV[2]
local lives_us, most = tonumber(ARGV[3]), tonumber(ARGV[4])
if verb == 'free' then
  redis.call('ZREM', KEYS[1], id)
  return { DONE, 0 }
end

local now = now_us(1)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local before = redis.call('ZCARD', KEYS[1])
if before >= most then
  return { BUSY }
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + lives_us), id)
redis.call('PEXPIRE', KEYS[1], math.ceil(lives_us / 1000))
return { DONE, before }
