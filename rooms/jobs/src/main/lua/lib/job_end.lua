-- Ends jobs. `call` runs a command.

local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job
local move_job = require('job_move')
local BYTES_OF_JOB = require('job_store').BYTES_OF_JOB
local store_job = require('job_store').store_job

-- Deletes the request of a job, and keeps its result for `keep_us`.
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

return end_with
