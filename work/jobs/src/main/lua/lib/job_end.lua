-- Ends jobs. `call` runs a command.

local settle_job = require('job_charge').settle_job
local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job
local move_job = require('job_move')
local NEXT_STATES = require('job_states')
local BYTES_OF_JOB = require('job_store').BYTES_OF_JOB
local store_job = require('job_store').store_job

-- Deletes the request of a job, and keeps its result for `keep_us`. `cost` is as of job_charge.lua, or empty.
local function end_with(call, keys, id, job, state, result, cost, keep_us, now)
  if not NEXT_STATES[job.state] or not NEXT_STATES[job.state][state] then
    return false
  end
  settle_job(call, keys, job, cost, now)
  move_job(call, keys, id, job, state, 0, now)
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
