-- Estimates without a place, as Booking.java makes them: the k-th in excess is told the k-th moment, so that no two
-- callers get the same. Gives the first of up to `left` moments and `spare` more, the step from each to the next, and
-- how many they are. Each draw that is not ready has `estimate`, the last moment that was told; it is moved on.
-- Uses TIMES, CODES, slot_of.
local function estimate_one(draw, now, rules)
  local first = turn_at(draw, now)
  if draw.bucket.waiting > 0 then
    first = first + math.min(rules.lateness, math.floor(draw.free_us / 2))
  end
  local furthest = now + 2 * rules.horizon
  if draw.scope == CODES.CLUSTER then
    furthest = math.min(furthest, now + TIMES.SHARED_SPREAD_US)
  end
  local told = draw.estimate > now and math.max(first, draw.estimate + draw.need_us) or first
  return told > furthest and first or told, furthest
end

local function estimate(draws, now, rules, left, spare)
  local asked, told, step, last = {}, now, 0, math.huge
  for _, draw in ipairs(draws) do
    if not is_ready(draw, now) then
      local at, furthest = estimate_one(draw, now, rules)
      draw.estimate, asked[#asked + 1] = at, draw
      told, step, last = math.max(told, at), math.max(step, draw.need_us), math.min(last, furthest)
    end
  end
  -- Over several buckets the moments of one after the other are not evenly spaced; spare ones may be.
  local wanted = (#asked == 1 or spare > 0) and left + spare or 1
  local count = math.max(1, math.min(wanted, math.floor((last - told) / step) + 1))
  if count > 1 then
    for _, draw in ipairs(asked) do
      draw.estimate = told + (count - 1) * step
    end
  end
  return told, step, count
end
