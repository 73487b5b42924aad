-- What is told of a job. Uses job_keys, job_text. `call` runs a command.
-- The jobs before one that waits; -1 of others.
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
