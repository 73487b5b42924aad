-- Takes a job into its queue, or says what is there of the same request, or why it is not taken.
--
-- KEYS
--   1      weir:{pNN}:jobs:<operation>, a hash: number, the latest that came; next_us, when the next may be sent;
--          told_us, the latest moment that was told to one who found the queue full; check_us and processing_us, what
--          was seen of these times; claim:<node>, claims_us, others_us, of job_claim.lua; kept_ms
--   2      ...:waiting, a sorted set: those who wait to be checked
--   3      ...:dispatch, a sorted set: those who wait to be sent
--   4      ...:checking, a sorted set: those who are being checked, by when their lease ends
--   5      ...:running, a sorted set: those whom the upstream has, by when their lease ends
--   6      ...:ends, a sorted set: all, by when they time out or are forgotten
--   7      ...:states, a hash: all, as lib/job_record.lua has it
--   8      ...:requests, a hash: what is sent
--   9      ...:results, a hash: what came of those who have ended
--   10     ...:counts, a hash: jobs:<owner>, how many of an owner's are not done; bytes:<owner>, what they and their
--          results have; checks:<owner>, how many are being checked; owners are <tenant>/<subject>, <tenant> and, of
--          all, nothing
--   11     ...:polls, a hash: how often each was asked for
-- ARGV
--   1      the id of the job
--   2, 3   its tenant, its subject
--   4      the fingerprint of what is asked
--   5      single or dual
--   6      1 to take it, else 0
--   7      how many may wait
--   8, 9   how many of the key, and of the tenant, may be there that are not done
--   10..12 bytes that the key, the tenant, and all may have
--   13     bytes that it may have, with its result
--   14     how long it may take in all, in microseconds
--   15     how long it is known after its end, in microseconds
--   16     the time between two that are sent, in microseconds
--   17     the furthest moment from now that is told, in microseconds
--   18     the request; '' to see whether it would be taken
-- RETURNS
--   { TAKEN, <queue>, <job>, polls }   it is in the queue, or would be: then without the job
--   { KNOWN, <queue>, <job>, polls }   it was there already, or is done
--   { OTHER }                          something else was asked by that id
--   { FULL, wait_us, whose }           the queue is full (0), or the key (1) or the tenant (2) has its part of it; in
--                                      so long a place is free for this one, or may be
--   { NO_ROOM, whose }                 the key (1), the tenant (2) or all (3) have so many bytes that there is no room
--   where <queue> and <job> are as lib/job_queue.lua and lib/job_view.lua have them
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   two hours longer than any job may take and be known, set anew while the queue is used

--@include now
--@include job_keys
--@include job_record
--@include job_text
--@include job_queue
--@include job_view
--@include job_life
--@include job_story
--@include job_store
--@include job_count
--@include job_forget

local TAKEN, KNOWN, OTHER, FULL, NO_ROOM = 0, 1, 2, 3, 4
local TWO_HOURS_US = 7200000000

local keys = job_keys_of(KEYS)
local id, tenant, subject, fingerprint, pipeline, is_meant = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6] == '1'
local capacity, bytes, timeout_us, keep_us = tonumber(ARGV[7]), tonumber(ARGV[13]) + BYTES_OF_JOB, tonumber(ARGV[14]),
  tonumber(ARGV[15])
local interval_us, furthest_us, request = tonumber(ARGV[16]), tonumber(ARGV[17]), ARGV[18]
local now = now_us(1)

local function told(code, job)
  local answer = queue_view(redis.call, keys, now)
  table.insert(answer, 1, code)
  if job then
    add_view(redis.call, keys, answer, id, job)
    answer[#answer + 1] = or_zero(redis.call('HGET', keys.polls, id))
  end
  return answer
end

-- Each is told the moment at which one more has been sent.
local function wait_for_place()
  local numbers = redis.call('HMGET', keys.numbers, 'next_us', 'told_us')
  local soonest = math.max(now, or_zero(numbers[1])) + interval_us
  local moment = math.max(soonest, or_zero(numbers[2]) + interval_us)
  if moment - now > furthest_us then
    moment = soonest
  end
  redis.call('HSET', keys.numbers, 'told_us', string.format('%d', moment))
  return { FULL, moment - now, 0 }
end

local function refusal()
  local key = tenant .. '/' .. subject
  local counts = redis.call('HMGET', keys.counts, 'jobs:' .. key, 'jobs:' .. tenant, 'bytes:' .. key,
    'bytes:' .. tenant, 'bytes:')
  for whose = 1, 2 do
    if or_zero(counts[whose]) >= tonumber(ARGV[7 + whose]) then
      return { FULL, math.max(interval_us, or_zero(redis.call('HGET', keys.numbers, 'processing_us'))), whose }
    end
  end
  if redis.call('ZCARD', keys.waiting) + redis.call('ZCARD', keys.dispatch) >= capacity then
    return wait_for_place()
  end
  for whose = 1, 3 do
    if or_zero(counts[2 + whose]) + bytes > tonumber(ARGV[9 + whose]) then
      return { NO_ROOM, whose }
    end
  end
  return nil
end

-- A run is named by when it began: no other one of the same request ever has its name.
local function begin(before)
  local run = math.floor(now / 1000)
  local job = { state = 'queued', number = next_number(redis.call, keys),
    run = before and math.max(run, before.run + 1) or run, attempts = 0,
    pipeline = pipeline, submitted = now, since = now, bytes = 0,
    holder = '-', tenant = tenant, subject = subject, fingerprint = fingerprint,
    ahead = redis.call('ZCARD', pipeline == 'dual' and keys.waiting or keys.dispatch),
    dispatch = redis.call('ZCARD', keys.dispatch), receipt = '-', sent = 0, story = longer_story('', 'queued', now) }
  count_job_bytes(redis.call, keys, job, bytes)
  count_open_job(redis.call, keys, job, 1)
  redis.call('ZADD', set_of(keys, job), string.format('%d', job.number), id)
  redis.call('ZADD', keys.ends, string.format('%d', now + timeout_us), id)
  redis.call('HSET', keys.requests, id, request)
  store_job(redis.call, keys, id, job)
  keep_queue(redis.call, keys, timeout_us + keep_us + TWO_HOURS_US, now, true)
  return job
end

local job = job_from(redis.call('HGET', keys.states, id))
local may_begin_anew = job and (job.state == 'failed' or job.state == 'timed_out' or job.state == 'cancelled')
if job and not may_begin_anew then
  if job.fingerprint ~= fingerprint then
    return { OTHER }
  end
  return told(KNOWN, job)
end
local refused = refusal()
if refused then
  return refused
end
if not is_meant then
  return told(TAKEN)
end
if job then
  forget_job(redis.call, keys, id, job)
end
return told(TAKEN, begin(job))
