-- Gives jobs back. Uses job_move, job_store. `call` runs a command.
-- What goes back to the front of a queue has a number less this: before all others, and behind those that came back
-- before it.
local FRONT = 1125899906842624

-- Back to the front of the queue that it came from, for another attempt; ended where it had so many already.
local function give_back(call, keys, id, job, attempts_at_most, now, end_job)
  if job.state == 'in_flight' and job.attempts >= attempts_at_most then
    return end_job(id, job, 'failed', '')
  end
  local is_to_check = job.state == 'checking' or job.pipeline == 'single'
  job.holder = '-'
  local is_moved = move_job(call, keys, id, job, is_to_check and 'queued' or 'ready',
    next_number(call, keys) - FRONT, now)
  store_job(call, keys, id, job)
  return is_moved
end
