-- Moves one job to its next state, if it may come there.
--
-- KEYS
--   1 to 11  as of job_submit.lua
-- ARGV
--   1        the id of the job
--   2        who says so: the node that holds it; '' for its caller, or for the upstream
--   3        which run of it is meant, 0 for any
--   4        the state; or back, to the front of the queue it came from; or unsent, the same of one that was not sent
--   5        how long a lease is, in microseconds
--   6        how long it is known after its end, in microseconds
--   7        how often it is sent at most
--   8        the place that the upstream has named, for receipt_received, else ''
--   9        what came of it, for an end, else ''
-- RETURNS
--   { MOVED, <queue>, <job>, before, since_us }   it is so; before is the state that it was in, since_us since when
--   { REFUSED, <queue>, <job>, before, since_us } it is in a state from which that does not follow, or another holds it
--   { NO_JOB }                                    there is none
--   where <queue> and <job> are as lib/job_queue.lua and lib/job_view.lua have them
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of the queue

--@include now
--@include job_keys
--@include job_states
--@include job_record
--@include job_text
--@include job_queue
--@include job_view
--@include job_story
--@include job_move
--@include job_store
--@include job_back
--@include job_end
--@include moving_median

local MOVED, REFUSED, NO_JOB = 0, 1, 2

local keys = job_keys_of(KEYS)
local id, holder, run, state = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local lease_us, keep_us, attempts_at_most, receipt, result = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]),
  ARGV[8], ARGV[9]
local now = now_us(1)
local IS_END = { completed = true, failed = true, timed_out = true, cancelled = true }

local function end_job(ended_id, job, to, text)
  return end_with(redis.call, keys, ended_id, job, to, text, keep_us, now)
end

-- An answer is one, whoever brings it; whatever else a node says counts only of what it holds.
local function may_say(job)
  local is_run = run == 0 or run == job.run
  return is_run and (holder == '' or state == 'completed' or holder == job.holder)
end

local function learn_time(field, since)
  local median = or_zero(redis.call('HGET', keys.numbers, field))
  redis.call('HSET', keys.numbers, field, string.format('%d', moved_median(median, math.max(1, now - since))))
end

local function move(job)
  if state == 'unsent' then
    job.attempts = math.max(0, job.attempts - 1)
  end
  if state == 'back' or state == 'unsent' then
    return give_back(redis.call, keys, id, job, attempts_at_most, now, end_job)
  elseif IS_END[state] then
    return end_job(id, job, state, result)
  end
  local score = state == 'ready' and next_number(redis.call, keys) or now + lease_us
  local is_moved = move_job(redis.call, keys, id, job, state, score, now)
  if is_moved then
    job.receipt = receipt ~= '' and receipt or job.receipt
    job.holder = state == 'ready' and '-' or job.holder
    store_job(redis.call, keys, id, job)
  end
  return is_moved
end

local job = job_from(redis.call('HGET', keys.states, id))
if not job then
  return { NO_JOB }
end
local before, since = job.state, job.since
local is_moved = may_say(job) and move(job)
if is_moved and before == 'checking' and job.state == 'ready' then
  learn_time('check_us', since)
elseif is_moved and before == 'in_flight' and (job.state == 'completed' or job.state == 'receipt_received') then
  learn_time('processing_us', since)
end
local answer = queue_view(redis.call, keys, now)
table.insert(answer, 1, is_moved and MOVED or REFUSED)
add_view(redis.call, keys, answer, id, job)
local n = #answer
answer[n + 1], answer[n + 2] = before, since
return answer
