-- The choice among the providers that may take a request. A candidate is a slot of a provider: `at` is the
-- instant from which it is free.

local put_number = require('upstream_state').put_number

-- The next provider of a tier among those available at this instant (smooth weighted round robin,
-- as in nginx): providers that were passed over catch up later.
local function next_of(state, candidates, tier, by_us)
  local best, total = nil, 0
  for _, one in ipairs(candidates) do
    if one.of.tier == tier and one.at <= by_us then
      one.turn, total = one.turn + one.weight, total + one.weight
      put_number(state, one.of.turn, one.turn)
      if not best or one.turn > best.turn then
        best = one
      end
    end
  end
  put_number(state, best.of.turn, best.turn - total)
  return best
end

-- The lowest tier that is available now; else the tier that is available first.
local function tier_and_instant(candidates, now)
  local tier, soonest, soonest_tier
  for _, one in ipairs(candidates) do
    if one.at <= now and (not tier or one.of.tier < tier) then
      tier = one.of.tier
    end
    if not soonest or one.at < soonest then
      soonest, soonest_tier = one.at, one.of.tier
    end
  end
  if tier then
    return tier, now
  end
  return soonest_tier, soonest
end

local function soonest_of(candidates)
  local soonest = math.huge
  for _, one in ipairs(candidates) do
    soonest = math.min(soonest, one.at)
  end
  return soonest
end

-- Prefers providers that were not tried yet, if one is available in time.
local function choice_of(fresh, again, latest_us)
  local of_fresh, of_again = soonest_of(fresh), soonest_of(again)
  return of_fresh <= latest_us and fresh or of_again < of_fresh and again or fresh
end

return { choice_of = choice_of, next_of = next_of, tier_and_instant = tier_and_instant }
