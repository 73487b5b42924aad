-- The bucket of a demand at `now`: the units used and what is owed beyond the capacity, drained, and
-- carried over from an older rate or burst. Third, whether it was carried over.

local carried_over = require('state/carried_over')
local drained = require('state/drained')

local function level_of(demand, state, now)
  local before, elapsed = state.buckets[demand.name], now - state.at_us
  if not before then
    return 0, 0, false
  end
  local used, capacity = drained(before.used, before.rate, elapsed > 0 and elapsed or 0), demand.capacity
  if before.key ~= demand.field then
    return carried_over(used, before.rate, demand.rate, capacity), 0, used > 0
  end
  local most = capacity + before.debt
  local level = used > most and most or used
  return level, level > capacity and level - capacity or 0, used > most
end

return level_of
