-- The time of a queue of jobs, in microseconds. `call` runs a command.

local or_zero = require('or_zero')

local LONG_STEP_US = 10000000

-- Redis's time plus the queue's lead. The queue's time never goes back and never stands still:
-- after a step back of the clock it continues from the last time seen. When the clock is set right
-- again, the lead is removed.
local function job_time(call, keys, live)
  local numbers = call('HMGET', keys.numbers, 'seen_us', 'ahead_us')
  local seen, ahead = or_zero(numbers[1]), or_zero(numbers[2])
  local step = seen > 0 and live + ahead - seen or 0
  if step < 0 then
    ahead = ahead - step
  elseif step > LONG_STEP_US then
    ahead = math.max(0, ahead - step)
  end
  return live + ahead, ahead
end

return job_time
