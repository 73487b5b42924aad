-- A token bucket as gateways keep it: two keys of a subject, for its tokens and for when they were counted, in
-- seconds of Redis's clock. Written for comparison, after the description of Spring Cloud Gateway's limiter.
local rate, capacity, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(redis.call('TIME')[1])
local life = math.floor(capacity / rate * 2)
local tokens = tonumber(redis.call('GET', KEYS[1]) or capacity)
local counted = tonumber(redis.call('GET', KEYS[2]) or 0)
local filled = math.min(capacity, tokens + math.max(0, now - counted) * rate)
local allowed = filled >= wanted
if allowed then
  filled = filled - wanted
end
redis.call('SETEX', KEYS[1], life, filled)
redis.call('SETEX', KEYS[2], life, now)
return { allowed and 1 or 0, filled }
