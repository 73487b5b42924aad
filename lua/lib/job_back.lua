-- Gives jobs back to the queue that they came from. Uses job_move, job_store. `call` runs a command.
-- What goes to the front has a number less this: before all others, and behind those that came there before it.
local FRONT = 1125899906842624

-- To the front, or to the end, of the queue; false where it may not come there.
local function give_back(call, keys, id, job, is_to_front, now)
  local is_to_check = job.state == 'checking' or job.pipeline == 'single'
  local score = next_number(call, keys) - (is_to_front and FRONT or 0)
  if not move_job(call, keys, id, job, is_to_check and 'queued' or 'ready', score, now) then
    return false
  end
  job.holder = '-'
  store_job(call, keys, id, job)
  return true
end
