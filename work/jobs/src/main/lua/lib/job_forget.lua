-- Forgets jobs. `call` runs a command.

local count_job_bytes = require('job_count').count_job_bytes

-- Deletes a job completely.
local function forget_job(call, keys, id, job)
  count_job_bytes(call, keys, job, 0)
  call('HDEL', keys.states, id)
  call('HDEL', keys.requests, id)
  call('HDEL', keys.results, id)
  call('HDEL', keys.polls, id)
  call('ZREM', keys.ends, id)
end

return forget_job
