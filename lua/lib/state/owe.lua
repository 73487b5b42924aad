-- Takes units from the bucket of a state, beyond its capacity if need be: the part above it is owed. Returns whether it
-- can count no more. The state is at the instant of the charge.

local scaled = require('state/units').scaled
local TIMES = require('times')

local function owe(state, demand, units)
  local bucket, rate = state.buckets[demand.name], demand.rate
  if not bucket then
    bucket = { key = demand.field, rate = rate, used = 0, debt = 0, low = 0 }
    state.buckets[demand.name] = bucket
  end
  bucket.used = bucket.used + math.min(scaled(units, rate, bucket.rate), TIMES.MAX_UNITS - bucket.used)
  bucket.debt = math.max(0, bucket.used - scaled(demand.capacity, rate, bucket.rate))
  return bucket.used >= TIMES.MAX_UNITS
end

return owe
