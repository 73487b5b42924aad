-- What is told of a job. Uses job_keys, job_text. `call` runs a command.
-- The jobs before one that waits, without those that were given back to the front, and with them; -1 and 0 of others.
local function position_of(call, keys, id, job)
  local set = (job.state == 'queued' or job.state == 'ready') and set_of(keys, job)
  local rank = set and call('ZRANK', set, id)
  if not rank then
    return -1, 0
  end
  local is_back = tonumber(call('ZSCORE', set, id)) < 0
  return is_back and rank or rank - call('ZCOUNT', set, '-inf', '(0'), rank
end

-- Adds { id, job, position, ahead } to an answer.
local function add_view(call, keys, answer, id, job)
  local position, ahead = position_of(call, keys, id, job)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] = id, job_text(job), position, ahead
  return answer
end
