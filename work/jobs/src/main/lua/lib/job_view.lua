-- The part of an answer that describes a job. `call` runs a command.

local set_of = require('job_set')
local job_text = require('job_text')

-- The number of jobs before a waiting one; -1 for others.
local function position_of(call, keys, id, job)
  local set = (job.state == 'queued' or job.state == 'ready') and set_of(keys, job)
  return set and call('ZRANK', set, id) or -1
end

-- Adds { id, job, position } to an answer.
local function add_view(call, keys, answer, id, job)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = id, job_text(job), position_of(call, keys, id, job)
  return answer
end

return add_view
