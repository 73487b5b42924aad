-- Says how a new caller without appointments would be answered, and changes nothing: a place whose time is
-- over counts until a charge lets it go.
--
-- KEYS
--   as of charge.lua
-- ARGV
--   as of charge.lua, for one charge
-- RETURNS
--   { clock_us, answer }
--   { ALLOWED, lag_us, used... }         per draw the units used, without the cost
--   { DENIED, lag_us, used..., wait_us, 1 }   per draw the units used
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity
--   { STALE, revision }                  a newer revision was published or has decided
--   { FAILED, text }                     what is in Redis cannot be understood
--   lag_us: how far the buckets are ahead of the clock, above 0 only after the clock went back
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   writes no key

--@include status
--@include now
--@include layout_of
--@include unpacked
--@include terms_of
--@include moved_on
--@include without_line
--@include carried_over
--@include end_other_lines
--@include buckets_of
--@include draws_of
--@include bucket_of
--@include outcome
--@include shown

local at, _, cost, key, tenant, cluster = struct.unpack('>I2I2I7I2I2I2', ARGV[1])
local keys, terms, layouts = { key, tenant, cluster }, terms_of(ARGV[at]), {}
local draws = draws_of(terms, cost)

local clock = now_us(1)
local states = {}
local now, newest = clock, tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
for _, scope in ipairs(terms.scopes) do
  local value = unpacked(redis.call('MGET', KEYS[keys[scope]])[1], layouts)
  if not value then
    return { clock, { FAILED, KEYS[keys[scope]] .. ' holds no state' } }
  end
  local state = buckets_of(value)
  states[scope] = state
  now, newest = math.max(now, state.at_us), math.max(newest, state.revision)
end
if newest > terms.revision then
  return { clock, { STALE, newest } }
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
return { clock, answer }
