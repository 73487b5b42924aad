-- Moves one job to its next state, if the transition is allowed.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the id of the job
--   2        the claim by which the job was handed out; '' for its caller, or for the upstream
--   3        the run of the job, 0 for any
--   4        the state; or again, to the end of the queue it came from; or unsent, to the front of
--            that queue, not counted as an attempt; or let_go, of a job in receipt_received:
--            another node asks for it
--   5        length of a lease, in microseconds
--   6        how long a job is kept after its end, in microseconds
--   7        the most attempts to send a job
--   8        the receipt of the upstream, for receipt_received, else ''
--   9        the result, for an end, else ''
--   10       what an end, or again after the last attempt, does to the charge: a cost as of
--            lib/job_charge.lua; '' if the sender does not know
--   11       0 if the upstream did not execute the job in this attempt, for again; else 1
-- RETURNS
--   { MOVED, <queue>, <job>, before, since_us }   it has moved; before is its last state, since_us
--                                                 the beginning of that state
--   { REFUSED, <queue>, <job>, before, since_us } the transition is not allowed, or another claim
--                                                 holds the job
--   { NO_JOB }                                    there is no such job
--   where <queue> and <job> are as of lib/job_queue.lua and lib/job_view.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue

local give_back = require('job_back')
local note_attempt = require('job_charge').note_attempt
local seen_job_time = require('job_clock_seen')
local end_with = require('job_end')
local job_keys_of = require('job_keys')
local move_job = require('job_move')
local queue_view = require('job_queue')
local job_from = require('job_record')
local next_number = require('job_store').next_number
local store_job = require('job_store').store_job
local add_view = require('job_view')
local LEASED = require('leased')
local moved_median = require('moving_median')
local clock = require('now')
local or_zero = require('or_zero')

local now_us = clock(ARGV)

local MOVED, REFUSED, NO_JOB = 0, 1, 2

local keys = job_keys_of(KEYS)
local id, holder, run, state = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local lease_us, keep_us, attempts_at_most, receipt, result = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]),
  ARGV[8], ARGV[9]
local now = seen_job_time(redis.call, keys, now_us(1))
local IS_END = { completed = true, failed = true, timed_out = true, cancelled = true }

local function end_job(ended_id, job, to, text)
  return end_with(redis.call, keys, ended_id, job, to, text, ARGV[10], keep_us, now)
end

-- A result is accepted from any sender, even if the job was taken from its node; every other step
-- is accepted only from the node that holds the job.
local function may_say(job)
  local is_run = run == 0 or run == job.run
  if state == 'completed' and holder ~= job.holder then
    return is_run and job.attempts > 0
  end
  return is_run and (holder == '' or holder == job.holder)
end

local function learn_time(field, since)
  local median = or_zero(redis.call('HGET', keys.numbers, field))
  redis.call('HSET', keys.numbers, field, string.format('%d', moved_median(median, math.max(1, now - since))))
end

local function let_go(job)
  if job.state ~= 'receipt_received' then
    return false
  end
  job.holder = '-'
  LEASED.hold(redis.call, keys.running, id, now)
  store_job(redis.call, keys, id, job)
  return true
end

local function unsent(job)
  job.attempts = math.max(0, job.attempts - (job.state == 'in_flight' and 1 or 0))
  return give_back(redis.call, keys, id, job, true, now)
end

local function again(job)
  if job.state == 'in_flight' and job.attempts >= attempts_at_most then
    return end_job(id, job, 'failed', result)
  end
  -- One with a receipt does not go back.
  if ARGV[11] == '1' and job.state == 'in_flight' then
    note_attempt(job)
  end
  return give_back(redis.call, keys, id, job, false, now)
end

local OTHERS = { let_go = let_go, unsent = unsent, again = again }

local function move(job)
  if OTHERS[state] then
    return OTHERS[state](job)
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
