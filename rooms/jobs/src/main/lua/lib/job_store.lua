-- Stores a job. Uses job_text. `call` runs a command.
local BYTES_OF_JOB = 500 -- counted for a job in addition to its request and its result

local function next_number(call, keys)
  return call('HINCRBY', keys.numbers, 'number', 1)
end

local function store_job(call, keys, id, job)
  call('HSET', keys.states, id, job_text(job))
end
