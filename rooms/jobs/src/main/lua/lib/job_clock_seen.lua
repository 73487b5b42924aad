-- Stores the time of a queue. Uses job_clock. `call` runs a command.
-- Returns the present time, which counts as seen from now on.
local function seen_job_time(call, keys, live)
  local now, ahead = job_time(call, keys, live)
  call('HSET', keys.numbers, 'seen_us', string.format('%d', now), 'ahead_us', string.format('%d', ahead))
  return now
end
