-- Moves jobs from state to state. `call` runs a command.

local count_of_owner = require('job_count').count_of_owner
local set_of = require('job_set')
local NEXT_STATES = require('job_states')
local longer_story = require('job_story')

-- Moves a job to a state and to the set of that state, with this score; false, and no change, if
-- the transition is not allowed.
local function move_job(call, keys, id, job, state, score, now)
  local next_states = NEXT_STATES[job.state]
  if not next_states or not next_states[state] then
    return false
  end
  local from, checks = set_of(keys, job), 'checks:' .. job.tenant .. '/' .. job.subject
  count_of_owner(call, keys, checks, (state == 'checking' and 1 or 0) - (job.state == 'checking' and 1 or 0))
  job.state, job.since, job.story = state, now, longer_story(job.story, state, now)
  local to = set_of(keys, job)
  if from and from ~= to then
    call('ZREM', from, id)
  end
  if to then
    call('ZADD', to, string.format('%d', score), id)
  end
  return true
end

return move_job
