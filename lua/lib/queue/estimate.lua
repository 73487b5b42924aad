-- Estimates without a place, as SlotBooking.java makes them, spaced so that no two callers get the same
-- time. Returns the first of up to `left` + `spare` moments, the step between them, and their
-- number. Each demand that is not ready has `estimate`, the last moment given; it is advanced. Uses
-- TIMES, CODES, slot_of.

local CODES = require('codes')
local is_ready = require('queue/slot_of').is_ready
local turn_at = require('queue/slot_of').turn_at
local TIMES = require('times')

local function estimate_one(demand, now, rules)
  local first = turn_at(demand, now)
  if demand.bucket.waiting > 0 then
    first = first + math.min(rules.lateness, math.floor(demand.free_us / 2))
  end
  local furthest = now + 2 * rules.horizon
  if demand.scope == CODES.CLUSTER then
    furthest = math.min(furthest, now + TIMES.SHARED_SPREAD_US)
  end
  local told = demand.estimate > now and math.max(first, demand.estimate + demand.need_us) or first
  return told > furthest and first or told, furthest
end

local function estimate(demands, now, rules, left, spare)
  local asked, told, step, last = {}, now, 0, math.huge
  for _, demand in ipairs(demands) do
    if not is_ready(demand, now) then
      local at, furthest = estimate_one(demand, now, rules)
      demand.estimate, asked[#asked + 1] = at, demand
      told, step, last = math.max(told, at), math.max(step, demand.need_us), math.min(last, furthest)
    end
  end
  -- Over several buckets successive moments are not evenly spaced; spare moments may be.
  local wanted = (#asked == 1 or spare > 0) and left + spare or 1
  local count = math.max(1, math.min(wanted, math.floor((last - told) / step) + 1))
  if count > 1 then
    for _, demand in ipairs(asked) do
      demand.estimate = told + (count - 1) * step
    end
  end
  return told, step, count
end

return estimate
