-- Removes the description of a node that ends, so that nobody misses it, and notes when that was: with it go the
-- figures that only this node had.
--
-- KEYS
--   1      weir:nodes:seen hash, as of node_put.lua; in its field "ended" the millisecond of the last such end
-- ARGV
--   1      node           text: its name
--   2      lives_ms       whole number > 0: so long a record outlives its node
-- RETURNS
--   { removed }           1 if there was a record, else 0
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lives_ms from now on

local clock = require('now')

local node, lives_ms = ARGV[1], tonumber(ARGV[2])
local now_ms = math.floor(clock(ARGV)(1) / 1000)
local removed = redis.call('HDEL', KEYS[1], node)
redis.call('HSET', KEYS[1], 'ended', string.format('%.0f', now_ms))
redis.call('PEXPIRE', KEYS[1], lives_ms)
return { removed }
