-- Stores a job, and counts its bytes. Uses job_text. `call` runs a command.
local BYTES_OF_JOB = 500 -- what a job is counted with beside its request and its result

local function next_number(call, keys)
  return call('HINCRBY', keys.numbers, 'number', 1)
end

local function count_job_bytes(call, keys, job, bytes)
  local more = bytes - job.bytes
  for _, owner in ipairs({ 'key:' .. job.tenant .. '/' .. job.subject, 'tenant:' .. job.tenant, 'all' }) do
    if more ~= 0 and call('HINCRBY', keys.bytes, owner, string.format('%d', more)) <= 0 then
      call('HDEL', keys.bytes, owner)
    end
  end
  job.bytes = bytes
end

local function store_job(call, keys, id, job)
  call('HSET', keys.states, id, job_text(job))
end
