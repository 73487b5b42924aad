-- Says what a charge would be answered, and changes nothing.
--
-- KEYS
--   as of charge.lua
-- ARGV
--   as of charge.lua
-- RETURNS
--   { ALLOWED, lag_us, used... }         per draw the units used, without the cost
--   { DENIED, lag_us, used... }          per draw the units used
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity
--   { STALE, revision }                  a newer revision was published or has decided
--   lag_us: how far the buckets are ahead of the clock, above 0 only after the clock went back
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   writes no key

--@include status
--@include now
--@include drained
--@include carried_over
--@include buckets_of
--@include states_of
--@include draws_of
--@include level_of
--@include outcome

local revision = tonumber(ARGV[1])
local draws = draws_of(ARGV, 3, tonumber(ARGV[2]))

local clock = now_us()
local replies = {}
for i = 2, #KEYS do
  replies[i - 1] = redis.call('HGETALL', KEYS[i])
end
local published = redis.call('HGET', KEYS[1], 'revision')
local states, now, newest = states_of(replies, clock, published)
if newest > revision then
  return { STALE, newest }
end

local levels = {}
for i, draw in ipairs(draws) do
  levels[i] = level_of(draw, states[draw.state], now)
end
return { outcome(draws, levels), now - clock, unpack(levels) }
