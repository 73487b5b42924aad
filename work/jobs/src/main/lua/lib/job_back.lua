-- Gives jobs back to the queue that they came from. `call` runs a command.

local move_job = require('job_move')
local next_number = require('job_store').next_number
local store_job = require('job_store').store_job

-- At the front a job's number is reduced by FRONT: it is before all others, and behind those that
-- were given back earlier.
local FRONT = 1125899906842624

-- Moves a job to the front, or to the end, of its queue; false if its state does not allow it.
local function give_back(call, keys, id, job, is_to_front, now)
  local is_to_check = job.state == 'checking' or job.pipeline == 'single'
  local score = next_number(call, keys) - (is_to_front and FRONT or 0)
  if not move_job(call, keys, id, job, is_to_check and 'queued' or 'ready', score, now) then
    return false
  end
  job.holder = '-'
  store_job(call, keys, id, job)
  return true
end

return give_back
