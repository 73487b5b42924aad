-- Stops changes for a while, as Redis has come back with another copy: nobody shall change what is about to be put
-- back.
--
-- KEYS
--   1      weir:keys       hash, as of key_put.lua
-- ARGV
--   1      lasts_us        how long
-- RETURNS
--   { FIRST }        this node was the first to notice
--   { KNOWN }        another one was; nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none

local clock = require('now')
local change = require('key_change')

local FIRST, KNOWN = 0, 1

local now_us = clock(ARGV)
if change.is_uncertain(redis.call, KEYS[1], now_us(1)) then
  return { KNOWN }
end
redis.call('HSET', KEYS[1], 'uncertain', string.format('%.0f', now_us(1) + tonumber(ARGV[1])))
return { FIRST }
