-- Counts what owners have in a queue. `call` runs a command.
local function count_of_owner(call, keys, owner, more)
  if more ~= 0 and call('HINCRBY', keys.counts, owner, string.format('%d', more)) <= 0 then
    call('HDEL', keys.counts, owner)
  end
end

-- So many jobs of its key and tenant more, or fewer, are not done.
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
