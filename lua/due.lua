-- Lists expired reservations, the earliest first. Changes nothing: settle.lua ends each.
--
-- KEYS
--   1      weir:holds, or the index of a partition
-- ARGV
--   1      the most entries to return
-- RETURNS
--   key...   <state of the key>:hold:<id> of each reservation
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local LEASED = require('leased')
local clock = require('now')

local now_us = clock(ARGV)

return LEASED.over(redis.call, KEYS[1], now_us(1), tonumber(ARGV[1]))
