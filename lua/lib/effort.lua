-- How much of the long way the charges of a call have taken. Redis serves nobody else during a call, so one that has
-- done enough leaves what is left undecided (LATER), and its sender asks again. A decision in calendars counts
-- DECISION, and 1 for each bucket: each is 7 to 8 microseconds of a small machine, so that a call takes 2 ms.

local CODES = require('codes')
local ceil_div = require('ceil_div')

local MOST, DECISION = 256, 6
local EFFORT = { LATER = { CODES.LATER } }

-- Whether a call has done enough.
function EFFORT.is_spent(lane)
  return lane.effort >= MOST
end

-- How many decisions on so many buckets are left.
function EFFORT.left(lane, buckets)
  return ceil_div(math.max(0, MOST - lane.effort), DECISION + buckets)
end

-- Counts a decision on so many buckets.
function EFFORT.spend(lane, buckets)
  lane.effort = lane.effort + DECISION + buckets
end

return EFFORT
