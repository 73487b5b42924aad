-- Hands out work on jobs: to check, to send, and, after a node has died, to ask for the result
-- again. Also ends expired leases, jobs that have timed out, and results kept long enough.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the claim: a node and the number of its claim, <node>:<number>
--   2        claims of this node whose answers were lost, with a comma between; their jobs go back
--   3        length of a lease, in microseconds
--   4        how far ahead jobs are handed out to be sent, in microseconds
--   5        the earliest delay of the first job to send, in microseconds: the time that this
--            answer travels
--   6        the interval between two jobs that are sent, in microseconds
--   7        the most jobs being checked at once
--   8        the most jobs to hand out
--   9        bytes of requests to hand out, about
--   10       the most attempts to send a job
--   11       how long a job is kept after its end, in microseconds
--   12       the timeout of a job, in microseconds
-- RETURNS
--   { <queue>, given_back, timed_out, failed, next_us, settlements,
--     then for each: what, delay_us, id, job, request }
--   where <queue> is as of lib/job_queue.lua; given_back, timed_out and failed are counts; next_us
--   is the time until more may be sent, -1 if no job waits; settlements are as of lib/job_charge.lua,
--   a line each, for this node to carry out; `what` is c for a check, s for sending
--   after delay_us, r for asking for the result, without the request; the job's text is as of
--   lib/job_record.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue, renewed

local give_back = require('job_back')
local due_settlements = require('job_charge').due_settlements
local note_attempt = require('job_charge').note_attempt
local forget_old_claims = require('job_claims').forget_old_claims
local last_claim = require('job_claims').last_claim
local note_claim = require('job_claims').note_claim
local seen_job_time = require('job_clock_seen')
local end_with = require('job_end')
local forget_job = require('job_forget')
local job_keys_of = require('job_keys')
local keep_queue = require('job_life')
local move_job = require('job_move')
local free_old_places = require('job_place').free_old_places
local queue_view = require('job_queue')
local job_from = require('job_record')
local NEXT_STATES = require('job_states')
local store_job = require('job_store').store_job
local job_text = require('job_text')
local next_turn = require('job_turn')
local LEASED = require('leased')
local clock = require('now')
local or_zero = require('or_zero')

local now_us = clock(ARGV)

local AT_ONCE, TWO_HOURS_US, STRICT_US = 100, 7200000000, 5000000

local keys = job_keys_of(KEYS)
local holder, unheard, lease_us, horizon_us, lead_us = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]),
  tonumber(ARGV[5])
local interval_us, concurrency, most, most_bytes = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]),
  tonumber(ARGV[9])
local attempts_at_most, keep_us, timeout_us = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local node = string.match(holder, '^[^:]+')
local live = now_us(1)
local now = seen_job_time(redis.call, keys, live)
local given_back, timed_out, failed, work, count, bytes = 0, 0, 0, {}, 0, 0

local function is_enough()
  return count >= most or bytes >= most_bytes
end

local function job_of(id, set)
  local job = job_from(redis.call('HGET', keys.states, id))
  if not job then
    redis.call('ZREM', set, id)
  end
  return job
end

local function over(set)
  return LEASED.over(redis.call, set, now, AT_ONCE)
end

local function end_job(id, job, state)
  return end_with(redis.call, keys, id, job, state, '', '', keep_us, now)
end

local function hand_out(what, delay_us, id, job)
  local n = #work
  local request = what ~= 'r' and redis.call('HGET', keys.requests, id) or ''
  count, bytes = count + 1, bytes + #request
  work[n + 1], work[n + 2], work[n + 3], work[n + 4], work[n + 5] = what, delay_us, id, job_text(job), request
end

-- A job with a receipt is not sent again: its result is asked for.
local function resume(id, job)
  if not is_enough() then
    job.holder = holder
    LEASED.hold(redis.call, keys.running, id, now + lease_us)
    store_job(redis.call, keys, id, job)
    hand_out('r', 0, id, job)
  end
end

-- A job whose lease has expired: resumed, given back to the front, or failed if its attempts are
-- used.
local function end_lease(id, job)
  if job.state == 'receipt_received' then
    resume(id, job)
  elseif job.state == 'in_flight' and job.attempts >= attempts_at_most then
    end_job(id, job, 'failed')
    failed = failed + 1
  else
    note_attempt(job)
    give_back(redis.call, keys, id, job, true, now)
    given_back = given_back + 1
  end
end

local function by_number(one, other)
  return one.number < other.number
end

-- In order of their numbers.
local function end_leases(set)
  local jobs = {}
  for _, id in ipairs(over(set)) do
    local job = job_of(id, set)
    if job then
      job.id, jobs[#jobs + 1] = id, job
    end
  end
  table.sort(jobs, by_number)
  for _, job in ipairs(jobs) do
    end_lease(job.id, job)
  end
end

-- Takes back the jobs of this node's last claim if its answer was lost: they were never sent, and
-- are given back at once.
local function take_back()
  local claimed, ids = last_claim(redis.call, keys, node)
  local jobs = {}
  if not claimed or not string.find(',' .. unheard .. ',', ',' .. claimed .. ',', 1, true) then
    return
  end
  for id in string.gmatch(ids, '[^,]+') do
    local job = job_from(redis.call('HGET', keys.states, id))
    if job and job.holder == claimed then
      job.id, jobs[#jobs + 1] = id, job
    end
  end
  table.sort(jobs, by_number)
  for _, job in ipairs(jobs) do
    if job.state == 'receipt_received' then
      LEASED.hold(redis.call, keys.running, job.id, now)
    else
      job.attempts = math.max(0, job.attempts - (job.state == 'in_flight' and 1 or 0))
      give_back(redis.call, keys, job.id, job, true, now)
    end
  end
end

local function end_times()
  for _, id in ipairs(over(keys.ends)) do
    local job = job_of(id, keys.ends)
    if job and NEXT_STATES[job.state] then
      end_job(id, job, 'timed_out')
      timed_out = timed_out + 1
    elseif job then
      forget_job(redis.call, keys, id, job)
    end
  end
end

local function claim(id, job, state, at, what, score)
  job.holder = holder
  if move_job(redis.call, keys, id, job, state, score, at) then
    store_job(redis.call, keys, id, job)
    hand_out(what, at - now, id, job)
    return true
  end
  return false
end

-- The ids of the first jobs of a queue; none if there is no room.
local function first_of(set, room)
  return room > 0 and redis.call('ZRANGE', set, 0, room - 1) or {}
end

local function check(id, job)
  return not is_enough() and claim(id, job, 'checking', now, 'c', now + lease_us)
end

local function checks_of(job)
  return or_zero(redis.call('HGET', keys.counts, 'checks:' .. job.tenant .. '/' .. job.subject))
end

-- The first waiting jobs, and some from farther behind, where other keys may wait.
local function looked_at()
  local ids, count_of_waiting = first_of(keys.waiting, AT_ONCE), redis.call('ZCARD', keys.waiting)
  if count_of_waiting > AT_ONCE then
    local pages = math.ceil(count_of_waiting / AT_ONCE)
    local from = math.fmod(math.floor(now / 1000), pages) * AT_ONCE
    for _, id in ipairs(redis.call('ZRANGE', keys.waiting, math.max(AT_ONCE, from), from + AT_ONCE - 1)) do
      ids[#ids + 1] = id
    end
  end
  return ids
end

-- A key has at most half of the checks while other keys wait, or have waited within the last 5 s.
local function check_some()
  local room, later, others = concurrency - redis.call('ZCARD', keys.checking), {}, false
  for _, id in ipairs(room > 0 and looked_at() or {}) do
    local job = room > 0 and job_of(id, keys.waiting)
    if job and 2 * checks_of(job) >= concurrency then
      later[#later + 1] = { id = id, job = job }
    elseif job and check(id, job) then
      others, room = others or #later > 0, room - 1
    end
  end
  if others then
    redis.call('HSET', keys.numbers, 'others_us', string.format('%d', now))
  end
  local is_strict = others or now - or_zero(redis.call('HGET', keys.numbers, 'others_us')) < STRICT_US
  for i = 1, is_strict and 0 or math.min(room, #later) do
    check(later[i].id, later[i].job)
  end
end

-- Each job gets its own send time, one interval after the one before, on whichever node it is sent.
local function send_some()
  local next_us = math.max(now + lead_us, next_turn(redis.call, keys, interval_us))
  local first = next_us
  local room = math.min(most - count, math.floor((now + horizon_us - next_us) / interval_us) + 1)
  for _, id in ipairs(first_of(keys.dispatch, room)) do
    local job = not is_enough() and job_of(id, keys.dispatch)
    if job then
      job.attempts, job.sent = job.attempts + 1, next_us
      if claim(id, job, 'in_flight', next_us, 's', next_us + lease_us) then
        next_us = next_us + interval_us
      end
    end
  end
  if next_us > first then
    redis.call('HSET', keys.numbers, 'next_us', string.format('%d', next_us), 'interval_us',
      string.format('%d', interval_us))
  end
  return next_us
end

if unheard ~= '' then
  take_back()
end
end_leases(keys.checking)
end_leases(keys.running)
end_times()
free_old_places(redis.call, keys, now)
check_some()
local next_us = send_some()
local handed_out = {}
for i = 3, #work, 5 do
  handed_out[#handed_out + 1] = work[i]
end
note_claim(redis.call, keys, node, holder, handed_out, now)
keep_queue(redis.call, keys, timeout_us + keep_us + TWO_HOURS_US, live)
forget_old_claims(redis.call, keys, now)
local answer = queue_view(redis.call, keys, now)
answer[8], answer[9], answer[10] = given_back, timed_out, failed
answer[11] = redis.call('ZCARD', keys.dispatch) > 0 and next_us - now or -1
answer[12] = due_settlements(redis.call, keys, now)
for i = 1, #work do
  answer[12 + i] = work[i]
end
return answer
