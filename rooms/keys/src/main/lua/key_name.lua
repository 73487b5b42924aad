-- Lets a key be found by the hash of its text, or no longer.
--
-- KEYS
--   1      weir:{p}:apikey-of:<hash>   hash: the id of the key
--   2, 3   weir:keys, weir:keys:changes, as of key_put.lua
-- ARGV
--   1      name       of:<hash>, for the list of changes
--   2      id         of the key
--   3      verb       keep, or forget: to find it no longer
-- RETURNS
--   { DONE }
--   { TAKEN }                it names another key; nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none: the name of a key goes with its record

local clock = require('now')
local record_change = require('key_change')

local DONE, TAKEN = 0, 1

local now_us = clock(ARGV)
local name, id, verb = ARGV[1], ARGV[2], ARGV[3]
local named = redis.call('HGET', KEYS[1], 'id')
if named and named ~= id then
  return { TAKEN }
end
redis.call('DEL', KEYS[1])
if verb == 'keep' then
  redis.call('HSET', KEYS[1], 'id', id)
end
record_change(redis.call, KEYS[2], KEYS[3], name, now_us(1))
return { DONE }
