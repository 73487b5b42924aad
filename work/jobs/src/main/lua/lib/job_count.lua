-- Counters of the owners of jobs in a queue. `call` runs a command.

local function count_of_owner(call, keys, owner, more)
  if more ~= 0 and call('HINCRBY', keys.counts, owner, string.format('%d', more)) <= 0 then
    call('HDEL', keys.counts, owner)
  end
end

-- Adds `more`, which may be negative, to the jobs of a key and of its tenant that are not done.
local function count_open_job(call, keys, job, more)
  count_of_owner(call, keys, 'jobs:' .. job.tenant .. '/' .. job.subject, more)
  count_of_owner(call, keys, 'jobs:' .. job.tenant, more)
end

local function count_job_bytes(call, keys, job, bytes)
  for _, owner in ipairs({ job.tenant .. '/' .. job.subject, job.tenant, '' }) do
    count_of_owner(call, keys, 'bytes:' .. owner, bytes - job.bytes)
  end
  job.bytes = bytes
end

return { count_job_bytes = count_job_bytes, count_of_owner = count_of_owner, count_open_job = count_open_job }
