-- Ends what book.lua booked, and says what was learned of the provider.
--
-- KEYS
--   1, 2   as of book.lua
-- ARGV
--   1      the id of the request
--   2      the provider
--   3      what of it is to be left alone: <key>, <key>/<group>, or '' for the whole provider
--   4      for how long, in microseconds; 0 where nothing is
--   5      how long its breaker is open from now on, in microseconds; 0 where it is not opened
--   6      what became of a probe: good, bad, or unknown; '' where it was none
-- RETURNS
--   { was_there }   1 where the permit was held, else 0
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of book.lua

--@include now
--@include upstream_life

local id, provider, scope, cool_us, open_us, probe = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]),
  ARGV[6]
local now = now_us(1)

local function later_of(field, until_us)
  if until_us > (tonumber(redis.call('HGET', KEYS[1], field) or 0) or 0) then
    redis.call('HSET', KEYS[1], field, string.format('%d', until_us))
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
local was_there = redis.call('ZREM', KEYS[2], id)
keep_upstream(redis.call, KEYS, now)
return { was_there }
