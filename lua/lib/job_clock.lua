-- The time of a queue of jobs, in microseconds. Uses or_zero. `call` runs a command.
local LONG_STEP_US = 10000000

-- Redis's time, and what the queue is ahead of it. It never goes back, and never stands still: where the clock was set
-- back, the queue goes on from what it saw last. Where the clock is set right again, the queue is no longer ahead.
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
