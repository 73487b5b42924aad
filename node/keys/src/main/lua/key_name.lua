-- Lets a key be found by the hash of its text, or no longer.
--
-- KEYS
--   1         weir:{p}:apikey-of:<hash>   hash: the id of the key, and the version
--   2, 3, 4   weir:keys, weir:keys:changes, weir:keys:gone, as of key_put.lua
-- ARGV
--   1      name       of:<hash>, for the list of changes
--   2      highest    version that the writer has seen in this part of the shared state
--   3      id         of the key
--   4      verb       keep, or forget: to find it no longer
-- RETURNS
--   { DONE }
--   { TAKEN }                it names another key; nothing was written
--   { UNCERTAIN }            as of key_put.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none: the name of a key goes with its record

local clock = require('now')
local change = require('key_change')

local DONE, TAKEN, UNCERTAIN = 0, 1, 2

local now_us = clock(ARGV)
local name, highest, id, verb = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
if change.is_uncertain(redis.call, KEYS[2], now_us(1)) then
  return { UNCERTAIN }
end
local named = redis.call('HGET', KEYS[1], 'id')
if named and named ~= id then
  return { TAKEN }
end
local version = change.begin(redis.call, KEYS[2], now_us(1), highest)
redis.call('DEL', KEYS[1])
if verb == 'keep' then
  redis.call('HSET', KEYS[1], 'version', version, 'id', id)
end
change.note(redis.call, KEYS[2], KEYS[3], KEYS[4], name, version, verb ~= 'keep')
return { DONE }
