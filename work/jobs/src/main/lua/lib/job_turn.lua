-- The send times of jobs. `call` runs a command.

local or_zero = require('or_zero')

-- When the next job may be sent: one interval of the present rate after the previous one, whatever
-- the rate was then.
local function next_turn(call, keys, interval_us)
  local numbers = call('HMGET', keys.numbers, 'next_us', 'interval_us')
  local next_us, booked_us = or_zero(numbers[1]), or_zero(numbers[2])
  return booked_us > 0 and next_us - booked_us + interval_us or next_us
end

return next_turn
