-- Stores a job. `call` runs a command.

local job_text = require('job_text')

local BYTES_OF_JOB = 500 -- counted for a job in addition to its request and its result

local function next_number(call, keys)
  return call('HINCRBY', keys.numbers, 'number', 1)
end

local function store_job(call, keys, id, job)
  call('HSET', keys.states, id, job_text(job))
end

return { BYTES_OF_JOB = BYTES_OF_JOB, next_number = next_number, store_job = store_job }
