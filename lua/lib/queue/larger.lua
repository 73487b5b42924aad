-- The largest cost that waits for a bucket without a place, kept with the calendar of the bucket. Others that
-- cost less pass it until they have taken as much as it asks for; from then on each of them leaves it room.
-- Larger.java has the same. In the calendar:
--   larger, larger_until   its units, and until when it waits
--   passed                 the units that others have taken meanwhile

local floor_div = require('floor_div')

local LARGER = {}

-- How many units a request that takes these leaves free for it.
function LARGER.left_by(calendar, units, now)
  local larger = calendar.larger
  return calendar.larger_until > now and calendar.passed + units > larger and larger > units and larger - units or 0
end

-- A request of this cost waits until then; of a cost above half of the capacity, half is kept free.
function LARGER.waits(calendar, units, now, until_us)
  local least, is_over = math.min(units, floor_div(calendar.capacity, 2)), calendar.larger_until <= now
  calendar.passed = is_over and 0 or calendar.passed
  if is_over or least >= calendar.larger then
    calendar.larger, calendar.larger_until = least, until_us
  end
end

-- A request of this cost was admitted.
function LARGER.take(calendar, units)
  local larger = calendar.larger
  calendar.passed = units < larger and math.min(larger, calendar.passed + units) or 0
end

return LARGER
