-- Says how a new caller without appointments would be answered, and changes nothing: a place whose time is
-- over counts until a charge lets it go.
--
-- KEYS
--   as of charge.lua
-- ARGV
--   as of charge.lua
-- RETURNS
--   { ALLOWED, lag_us, used... }         per draw the units used, without the cost
--   { DENIED, lag_us, used..., wait_us, 1 }   per draw the units used
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity
--   { STALE, revision }                  a newer revision was published or has decided
--   lag_us: how far the buckets are ahead of the clock, above 0 only after the clock went back
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   writes no key

--@include status
--@include now
--@include moved_on
--@include without_line
--@include carried_over
--@include end_other_lines
--@include buckets_of
--@include states_of
--@include draws_of
--@include bucket_of
--@include outcome
--@include shown

local FIRST_DRAW = 10

local revision = tonumber(ARGV[1])
local draws = draws_of(ARGV, FIRST_DRAW, tonumber(ARGV[2]))

local clock = now_us()
local replies = {}
for _, draw in ipairs(draws) do
  if not replies[draw.state] then
    replies[draw.state] = redis.call('HGETALL', KEYS[draw.state + 1])
  end
end
local states = states_of(replies)
local now, newest = clock, tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
for _, state in pairs(states) do
  now, newest = math.max(now, state.at_us), math.max(newest, state.revision)
end
if newest > revision then
  return { STALE, newest }
end

local function ceil_div(dividend, divisor)
  local rest = math.fmod(dividend, divisor)
  return (dividend - rest) / divisor + (rest > 0 and 1 or 0)
end

end_other_lines(draws, states)
for _, draw in ipairs(draws) do
  draw.bucket = bucket_of(draw, states[draw.state], now)
end
local status, wait_us = outcome(draws), 0
local answer = { status, now - clock }
for i, draw in ipairs(draws) do
  local bucket = draw.bucket
  answer[i + 2] = shown(draw)
  if status ~= NEVER_ALLOWED then
    local wait = ceil_div(bucket.used - (draw.capacity - draw.cost), draw.mtps)
    local fits = wait <= 0
    if bucket.waiting > 0 then
      wait = math.max(wait, bucket.slot + ceil_div(draw.cost, draw.mtps) - now)
    end
    if wait > 0 and not (fits and bucket.waiting > 0 and draw.cost <= bucket.holes) then
      wait_us = math.max(wait_us, wait)
    end
  end
end
if wait_us > 0 then
  answer[1] = DENIED
  answer[#answer + 1] = wait_us
  answer[#answer + 1] = 1
end
return answer
