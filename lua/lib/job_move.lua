-- Moves jobs from state to state. Uses NEXT_STATES, job_record, job_keys. `call` runs a command.
-- What goes back to the front of a queue has a number less this: before all others, and behind those that came back
-- before it.
local FRONT = 1125899906842624

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

-- Into a state that may come next, and the set of that state, by this score; false, and nothing has changed, where it
-- may not.
local function move_job(call, keys, id, job, state, score, now)
  local next_states = NEXT_STATES[job.state]
  if not next_states or not next_states[state] then
    return false
  end
  local from = set_of(keys, job)
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

local function store_job(call, keys, id, job)
  call('HSET', keys.states, id, job_text(job))
end

-- Back to the front of the queue that it came from, for another attempt; ended where it had so many already.
local function give_back(call, keys, id, job, attempts_at_most, now, end_job)
  if job.state == 'in_flight' and job.attempts >= attempts_at_most then
    return end_job(id, job, 'failed', '')
  end
  local is_to_check = job.state == 'checking' or job.pipeline == 'single'
  job.holder = '-'
  local is_moved = move_job(call, keys, id, job, is_to_check and 'queued' or 'ready',
    next_number(call, keys) - FRONT, now)
  store_job(call, keys, id, job)
  return is_moved
end

-- Ends a job: its request is forgotten, its result is kept for a while.
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
  call('ZADD', keys.ends, string.format('%d', now + keep_us), id)
  store_job(call, keys, id, job)
  return true
end

-- Nothing is left of it.
local function forget_job(call, keys, id, job)
  count_job_bytes(call, keys, job, 0)
  call('HDEL', keys.states, id)
  call('HDEL', keys.requests, id)
  call('HDEL', keys.results, id)
  call('HDEL', keys.polls, id)
  call('ZREM', keys.ends, id)
end
