-- Ends jobs. Uses job_move, job_store, job_count. `call` runs a command.
-- Ends a job: its request is forgotten, its result is kept for a while.
local function end_with(call, keys, id, job, state, result, keep_us, now)
  if not move_job(call, keys, id, job, state, 0, now) then
    return false
  end
  job.holder = '-'
  call('HDEL', keys.requests, id)
  if result ~= '' then
    call('HSET', keys.results, id, result)
  end
  count_job_bytes(call, keys, job, #result + BYTES_OF_JOB)
  count_open_job(call, keys, job, -1)
  call('ZADD', keys.ends, string.format('%d', now + keep_us), id)
  store_job(call, keys, id, job)
  return true
end
