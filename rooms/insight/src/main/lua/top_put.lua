-- Stores whom a node has denied most lately, in place of what it stored before, and tells the time.
--
-- KEYS
--   1      weir:top       hash: by the name of a node its text, after the instant in milliseconds and a space
-- ARGV
--   1      node           text: its name
--   2      text           JSON
-- RETURNS
--   { now_us }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   two minutes from now on

local clock = require('now')

local LIVES_MS = 120000

local now_us = clock(ARGV)(1)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d ', math.floor(now_us / 1000)) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], LIVES_MS)
return { now_us }
