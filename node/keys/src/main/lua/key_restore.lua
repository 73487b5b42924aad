-- Puts back what a node knows of a record, or of its removal, with its own version, if Redis knows only something
-- older. The highest version of a record wins, so that neither order nor number of writers matters.
--
-- KEYS
--   1         the record: weir:{p}:apikey:<id> and others, hash
--   2         the part of the index with it, sorted set; the record again if it is in none
--   3, 4, 5   weir:keys, weir:keys:changes, weir:keys:gone, as of key_put.lua
-- ARGV
--   1      name         of the record in the list of changes
--   2      member       of the record in the index; '' for a removal, which finds it itself
--   3      id           of the record
--   4      version
--   5...   field and value, alternating, without the version; none: the record was removed
-- RETURNS
--   { RESTORED }
--   { KEPT }            Redis knows this or something newer; nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none

local clock = require('now')
local change = require('key_change')

local RESTORED, KEPT = 0, 1

local now_us = clock(ARGV)
local name, member, id, version = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local fields = {}
for i = 5, #ARGV do
  fields[#fields + 1] = ARGV[i]
end

local stored = redis.call('HMGET', KEYS[1], 'version', 'tenant')
local gone = redis.call('ZSCORE', KEYS[5], name)
if tonumber(version) <= math.max(tonumber(stored[1] or 0), tonumber(gone or 0)) then
  return { KEPT }
end

change.begin(redis.call, KEYS[3], now_us(1), 0)
redis.call('DEL', KEYS[1])
local is_listed = KEYS[2] ~= KEYS[1]
if stored[1] and is_listed then
  redis.call('ZREM', KEYS[2], stored[2] and stored[2] .. ' ' .. id or id)
end
if #fields > 0 then
  redis.call('HSET', KEYS[1], 'version', version, unpack(fields))
  if is_listed then
    redis.call('ZADD', KEYS[2], 0, member)
  end
end
change.note(redis.call, KEYS[3], KEYS[4], KEYS[5], name, version, #fields == 0)
return { RESTORED }
