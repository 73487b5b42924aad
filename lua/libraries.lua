-- Records which libraries of functions nodes need, and names those that no node has needed for an
-- hour.
--
-- KEYS
--   1      weir:libraries   sorted set: each library by the millisecond at which it was last needed
-- ARGV
--   1      needed      text: the libraries that the caller needs, with a space between
--   2      loaded      text: the libraries that are loaded, likewise
-- RETURNS
--   name, ...          the libraries to delete; they are recorded no longer
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   two hours after the last call

local clock = require('now')

local NEEDED_MS, KEPT_MS = 3600000, 7200000
local now_us = clock(ARGV)
local now_ms = math.floor(now_us(1) / 1000)
local over = {}
for name in string.gmatch(ARGV[1], '%S+') do
  redis.call('ZADD', KEYS[1], now_ms, name)
end
for name in string.gmatch(ARGV[2], '%S+') do
  local needed_ms = tonumber(redis.call('ZSCORE', KEYS[1], name) or now_ms)
  if needed_ms <= now_ms - NEEDED_MS then
    redis.call('ZREM', KEYS[1], name)
    over[#over + 1] = name
  else
    -- An instant that is ahead is of a clock that was set back.
    redis.call('ZADD', KEYS[1], math.min(needed_ms, now_ms), name)
  end
end
redis.call('PEXPIRE', KEYS[1], KEPT_MS)
return over
