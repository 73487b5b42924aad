-- Says how a newcomer without a place would be answered, and changes nothing: a place whose time is over counts
-- until a charge lets it go.
--
-- KEYS
--   as of charge.lua
-- ARGV
--   as of queue.lua, for one charge
-- RETURNS
--   { clock_us, answer }
--   { ALLOWED, used... }         per demand the units used, without the cost
--   { DENIED, used..., wait_us, 1 }   per demand the units used
--   { NEVER_ALLOWED, used... }   a cost is above its capacity
--   { STALE, revision }          a newer revision was published or has decided
--   { FAILED, text }             what is in Redis cannot be understood
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   writes no key

--@include now
--@include codes
--@include layout
--@include layout_of
--@include unpacked
--@include values_of
--@include template_of
--@include ceil_div
--@include drained
--@include drain
--@include carried_over
--@include state_from
--@include demands_of
--@include bucket_of
--@include slot_of

local at, _, cost, key, tenant, cluster = struct.unpack('>I2I2I7I2I2I2', ARGV[1], 8)
local keys, template, values = { key, tenant, cluster }, template_of(ARGV[at]), values_of(redis.call, KEYS, #KEYS)
local demands, now, states = demands_of(template, cost), now_us(1), {}
local newest = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) or 0
local is_too_much, answer = is_never(demands), { CODES.ALLOWED }

-- Whether slots that were given are no slots any more.
local function has_void_queue(state, scope)
  return state.at_us - now > template.lateness or has_other_rate(demands, scope, state) and has_queue(state)
end

for _, scope in ipairs(template.scopes) do
  local layout, numbers = unpacked(values[keys[scope]], {})
  if not layout then
    return { now, { CODES.FAILED, KEYS[keys[scope]] .. ' holds no state' } }
  end
  local state = state_from(layout, numbers)
  if not is_too_much and has_void_queue(state, scope) then
    for _, bucket in pairs(state.buckets) do
      bucket.waiting, bucket.unclaimed, bucket.slot = 0, 0, 0
    end
  end
  state.at_us = math.min(state.at_us, now)
  states[scope], newest = state, math.max(newest, state.revision)
end
if newest > template.revision then
  return { now, { CODES.STALE, newest } }
end

for i, demand in ipairs(demands) do
  demand.bucket = bucket_of(demand, states[demand.scope], now)
  answer[i + 1] = shown(demand)
end
local slot = not is_too_much and slot_of(demands, now)
if slot then
  answer[1], answer[#answer + 1], answer[#answer + 2] = CODES.DENIED, slot - now, 1
elseif is_too_much then
  answer[1] = CODES.NEVER_ALLOWED
end
return { now, answer }
