-- Takes a cost from all buckets of a request, or from none.
--
-- KEYS
--   1      weir:policy, for the revision that was published last
--   2..n   the state keys that the draws name
-- ARGV
--   1      revision    integer, 1 to 2^53-1: the policy that the caller decides by
--   2      draws       integer, 1 to 1000, each of another bucket
--   then for each draw
--     state            integer, 1 to n-1: which of KEYS 2..n holds the bucket
--     field            text, <bucket>@<mtps>; mtps: units drained a microsecond, 1 to 9.007e12
--     capacity         integer, units, 1 to 9.007e15
--     cost             integer, units, 1 to capacity + 1
-- RETURNS
--   { ALLOWED, lag_us, used... }         per draw the units used, the cost among them
--   { DENIED, lag_us, used... }          per draw the units used; nothing was taken
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity; nothing was taken
--   { STALE, revision }                  a newer revision was published or has decided; nothing was taken
--   lag_us: how far the buckets are ahead of the clock, above 0 only after the clock went back
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   each written key expires when its last bucket is empty

--@include status
--@include now
--@include drained
--@include carried_over
--@include buckets_of
--@include states_of
--@include draws_of
--@include level_of
--@include outcome
--@include moved_to

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
local drawn, carried = {}, {}
for i, draw in ipairs(draws) do
  local level, was_carried = level_of(draw, states[draw.state], now)
  levels[i] = level
  drawn[draw.state] = drawn[draw.state] or {}
  drawn[draw.state][draw.name] = draw
  carried[draw.state] = carried[draw.state] or was_carried
end
local status = outcome(draws, levels)
for i, draw in ipairs(draws) do
  if status < DENIED then
    levels[i] = levels[i] + draw.cost
  end
  draw.level = levels[i]
end

-- A denial writes only what a change of policy made of the buckets: a burst that shrank caps what was
-- used at this instant, and the wait counts from here.
for i, state in ipairs(states) do
  if status < DENIED or carried[i] then
    local written, deleted, longest_us = moved_to(state, drawn[i], now)
    redis.call('HSET', KEYS[i + 1], 'at_us', now, 'revision', revision, unpack(written))
    if #deleted > 0 then
      redis.call('HDEL', KEYS[i + 1], unpack(deleted))
    end
    redis.call('PEXPIREAT', KEYS[i + 1], math.ceil((now + longest_us) / 1000))
  end
end
return { status, now - clock, unpack(levels) }
