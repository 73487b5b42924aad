-- Hands out what is to be done with jobs: to check, to send, and to ask for once more where a node has died. Also ends
-- what is over: leases, times, what was kept.
--
-- KEYS
--   1 to 11  as of job_submit.lua
-- ARGV
--   1        who claims: a node
--   2        how long a lease is, in microseconds
--   3        how far ahead jobs are handed out to be sent, in microseconds
--   4        the time between two that are sent, in microseconds
--   5        how many may be checked at once
--   6        how many jobs are wanted at most
--   7        how often a job is sent at most
--   8        how long it is known after its end, in microseconds
--   9        how long it may take in all, in microseconds
-- RETURNS
--   { <queue>, given_back, timed_out, next_us, then for each: what, delay_us, id, job, request }
--   where <queue> is as lib/job_view.lua has it, given_back and timed_out are how many of these there were, next_us is
--   the time until there may be more to send, -1 where nothing waits; what is c to check, s to send in delay_us, r to
--   ask for its result; the job's text is as lib/job_record.lua has it
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of the queue, set anew

--@include now
--@include job_keys
--@include job_states
--@include job_record
--@include job_text
--@include job_queue
--@include job_life
--@include job_story
--@include job_move
--@include job_store
--@include job_back
--@include job_end
--@include job_forget

local AT_ONCE, TWO_HOURS_US = 100, 7200000000

local keys = job_keys_of(KEYS)
local node, lease_us, horizon_us, interval_us = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local concurrency, most, attempts_at_most = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local keep_us, timeout_us = tonumber(ARGV[8]), tonumber(ARGV[9])
local now = now_us(1)
local given_back, timed_out, work, count = 0, 0, {}, 0

local function job_of(id, set)
  local job = job_from(redis.call('HGET', keys.states, id))
  if not job then
    redis.call('ZREM', set, id)
  end
  return job
end

local function over(set)
  return redis.call('ZRANGEBYSCORE', set, '-inf', string.format('%d', now), 'LIMIT', 0, AT_ONCE)
end

local function end_job(id, job, state, result)
  return end_with(redis.call, keys, id, job, state, result, keep_us, now)
end

local function hand_out(what, delay_us, id, job)
  local n = #work
  count = count + 1
  work[n + 1], work[n + 2], work[n + 3], work[n + 4] = what, delay_us, id, job_text(job)
  work[n + 5] = redis.call('HGET', keys.requests, id) or ''
end

-- What the upstream has named a place for is asked for again, not sent again.
local function resume(id, job)
  job.holder = node
  redis.call('ZADD', keys.running, string.format('%d', now + lease_us), id)
  store_job(redis.call, keys, id, job)
  hand_out('r', 0, id, job)
end

local function end_leases(set)
  for _, id in ipairs(over(set)) do
    local job = job_of(id, set)
    if job and job.state == 'receipt_received' then
      resume(id, job)
    elseif job then
      give_back(redis.call, keys, id, job, attempts_at_most, now, end_job)
      given_back = given_back + 1
    end
  end
end

local function end_times()
  for _, id in ipairs(over(keys.ends)) do
    local job = job_of(id, keys.ends)
    if job and NEXT_STATES[job.state] then
      end_job(id, job, 'timed_out', '')
      timed_out = timed_out + 1
    elseif job then
      forget_job(redis.call, keys, id, job)
    end
  end
end

local function claim(id, job, state, at, what, score)
  job.holder = node
  if move_job(redis.call, keys, id, job, state, score, at) then
    store_job(redis.call, keys, id, job)
    hand_out(what, at - now, id, job)
    return true
  end
  return false
end

-- The ids of the first ones of a queue; none where there is no room.
local function first_of(set, room)
  return room > 0 and redis.call('ZRANGE', set, 0, room - 1) or {}
end

local function check_some()
  local room = math.min(concurrency - redis.call('ZCARD', keys.checking), most - count)
  for _, id in ipairs(first_of(keys.waiting, room)) do
    local job = job_of(id, keys.waiting)
    if job then
      claim(id, job, 'checking', now, 'c', now + lease_us)
    end
  end
end

-- Each has a moment of its own, one interval after the one before it, whichever node sends it.
local function send_some()
  local next_us = math.max(now, or_zero(redis.call('HGET', keys.numbers, 'next_us')))
  local first = next_us
  local room = math.min(most - count, math.floor((now + horizon_us - next_us) / interval_us) + 1)
  for _, id in ipairs(first_of(keys.dispatch, room)) do
    local job = job_of(id, keys.dispatch)
    if job then
      job.attempts, job.sent = job.attempts + 1, next_us
      if claim(id, job, 'in_flight', next_us, 's', next_us + lease_us) then
        next_us = next_us + interval_us
      end
    end
  end
  if next_us > first then
    redis.call('HSET', keys.numbers, 'next_us', string.format('%d', next_us))
  end
  return next_us
end

end_leases(keys.checking)
end_leases(keys.running)
end_times()
check_some()
local next_us = send_some()
keep_queue(redis.call, keys, timeout_us + keep_us + TWO_HOURS_US, now)
local answer = queue_view(redis.call, keys, now)
answer[8], answer[9] = given_back, timed_out
answer[10] = redis.call('ZCARD', keys.dispatch) > 0 and next_us - now or -1
for i = 1, #work do
  answer[10 + i] = work[i]
end
return answer
