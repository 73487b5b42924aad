-- Stores the time of a queue. `call` runs a command.

local job_time = require('job_clock')

-- Returns the present time, which counts as seen from now on.
local function seen_job_time(call, keys, live)
  local now, ahead = job_time(call, keys, live)
  call('HSET', keys.numbers, 'seen_us', string.format('%d', now), 'ahead_us', string.format('%d', ahead))
  return now
end

return seen_job_time
