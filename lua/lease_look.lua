-- Returns the time until a leased bucket is empty, without new requests and with all leased units
-- counted as spent now. Changes nothing.
--
-- KEYS
--   1      the bucket, as of lease.lua
-- ARGV
--   none
-- RETURNS
--   { drain_us }   0 if there is no such bucket
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

local ceil_div = require('ceil_div')
local clock = require('now')
local pool_of = require('state/pool_of').pool_of
local settle_pool = require('state/pool_of').settle_pool

local now_us = clock(ARGV)

local pool = pool_of(redis.call('HGETALL', KEYS[1]))
if not pool.rate then
  return { 0 }
end
settle_pool(pool, math.max(now_us(1), pool.at_us))
local level = pool.used
for _, share in pairs(pool.shares) do
  level = level + share.out
end
return { ceil_div(level, pool.rate) }
