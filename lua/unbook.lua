-- Ends what book.lua booked, and says what was learned of the provider.
--
-- KEYS
--   1, 2   as of book.lua
-- ARGV
--   1      the id of the request
--   2      the provider; where nobody knows whether it was booked, all that it may be, with a comma between
--   3      what of it is to be left alone: <key>, <key>/<group>, or '' for the whole provider
--   4      for how long, in microseconds; 0 where nothing is
--   5      how long its breaker is open from now on, in microseconds; 0 where it is not opened
--   6      what became of a probe: good, bad, or unknown; '' where it was none
--   7      how long a good answer took, in microseconds; -1 for an error, 0 where nothing is learned of that
--   8      how busy the provider says it is, in thousandths; -1 where it says nothing
--   9      how many may be under way, as of lib/adaptive.lua; '' where that does not adapt itself
-- RETURNS
--   { was_there }   1 where the permit was held, else 0
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of book.lua

--@include now
--@include upstream_life
--@include adaptive
--@include inflight

local LOAD_COUNTS_US = 10000000

local id, provider, scope, cool_us, open_us, probe = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]),
  ARGV[6]
local sample_us, load, adaptive = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local now = now_us(1)

local function later_of(field, until_us)
  if until_us > (tonumber(redis.call('HGET', KEYS[1], field) or 0) or 0) then
    redis.call('HSET', KEYS[1], field, string.format('%d', until_us))
  end
end

local function adapt()
  local known = redis.call('HMGET', KEYS[1], 'window', 'latency')
  local window, average_us = adapted(adaptive, tonumber(known[1] or nil), tonumber(known[2] or nil), sample_us)
  redis.call('HSET', KEYS[1], 'window', string.format('%d', window))
  if average_us then
    redis.call('HSET', KEYS[1], 'latency', string.format('%d', average_us))
  end
end

if cool_us > 0 then
  later_of('cool:' .. provider .. (scope ~= '' and '/' .. scope or ''), now + cool_us)
end
if probe == 'good' then
  redis.call('HDEL', KEYS[1], 'open:' .. provider, 'probe:' .. provider)
elseif probe ~= '' then
  redis.call('HDEL', KEYS[1], 'probe:' .. provider)
end
if open_us > 0 then
  later_of('open:' .. provider, now + open_us)
end
if load >= 0 then
  redis.call('HSET', KEYS[1], 'load:' .. provider, load, 'loaded:' .. provider,
    string.format('%d', now + LOAD_COUNTS_US))
end
if sample_us ~= 0 and adaptive ~= '' then
  adapt()
end
local was_there = 0
for one in string.gmatch(provider, '[^,]+') do
  was_there = was_there + end_inflight(redis.call, KEYS, id, one)
end
keep_upstream(redis.call, KEYS, now)
return { was_there }
