-- Renews the leases of permits in flight, from now.
--
-- KEYS
--   1, 2   as of book.lua
-- ARGV
--   1      length of a lease, in microseconds
--   2      requests, `<id> <provider>`, with a comma between
-- RETURNS
--   { held... }  for each request 1 if it is still held, else 0
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of book.lua

local LEASED = require('leased')
local clock = require('now')
local keep_upstream = require('upstream_life')

local now_us = clock(ARGV)

local now, held = now_us(1), {}
local until_us = now + tonumber(ARGV[1])

for id in string.gmatch(ARGV[2], '[^,]+') do
  held[#held + 1] = LEASED.renew(redis.call, KEYS[2], id, until_us, now) and 1 or 0
end
keep_upstream(redis.call, KEYS, now)
return held
