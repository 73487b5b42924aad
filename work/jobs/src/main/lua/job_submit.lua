-- Reserves a place for a job while the limits of its request are checked, or takes the job into its
-- queue. Otherwise returns the existing job of the same request, or the reason why there is no
-- place.
--
-- KEYS
--   1      weir:{pNN}:jobs:<operation>, a hash: number, the last one given; next_us, when the next
--          job may be sent at the rate of that time, whose interval is interval_us; seen_us and
--          ahead_us, of lib/job_clock.lua; told_us, the latest retry time given to a caller that
--          found the queue full, at an interval of told_interval_us; check_us and processing_us,
--          medians of these times; claim:<node>, claims_us, others_us and places_us, of
--          job_claim.lua; kept_ms
--   2      ...:waiting, a sorted set: jobs that wait to be checked
--   3      ...:dispatch, a sorted set: jobs that wait to be sent
--   4      ...:checking, a sorted set: jobs being checked, by the end of their lease
--   5      ...:running, a sorted set: jobs at the upstream, by the end of their lease
--   6      ...:ends, a sorted set: all jobs, by the time at which they time out or are forgotten
--   7      ...:states, a hash: all jobs, as of lib/job_record.lua
--   8      ...:requests, a hash: the requests to send
--   9      ...:results, a hash: the results of jobs that have ended
--   10     ...:counts, a hash: jobs:<owner>, the owner's jobs that are not done; bytes:<owner>, the
--          bytes of its jobs and results; checks:<owner>, its jobs being checked; an owner is
--          <tenant>/<subject>, <tenant>, or empty for all together
--   11     ...:polls, a hash: how often each job was polled
--   12     ...:places, a hash: reserved places, as of lib/job_place.lua
--   13     ...:settlements, a sorted set: charges of jobs that have ended, as of lib/job_charge.lua
-- ARGV
--   1      the id of the job
--   2, 3   its tenant, its subject
--   4      the fingerprint of the request
--   5      single or dual
--   6      1 to take the job, 0 to reserve a place
--   7      the most waiting jobs
--   8, 9   the most jobs of the key, and of the tenant, that are not done
--   10..12 the most bytes of the key, of the tenant, and of all
--   13     the most bytes of the job, with its result
--   14     the timeout of the job, in microseconds
--   15     how long it is kept after its end, in microseconds
--   16     the interval between two jobs that are sent, in microseconds
--   17     the farthest retry time from now, in microseconds
--   18     the request; '' to reserve a place
--   19     the place that was reserved for it, else ''
--   20     the id of the reservation of its charge; '' if its end settles nothing
-- RETURNS
--   { TAKEN, <queue>, <job>, polls }   it is in the queue
--   { KNOWN, <queue>, <job>, polls }   it was there already, or is done
--   { PLACED, until_us }               a place is reserved until then; until_us identifies it
--   { AWAITED }                        another request of this job has a place: ask again; or the place
--                                      of a job whose end is settled is lost
--   { OTHER }                          the id was used for another request
--   { FULL, wait_us, whose }           the queue is full (0), or the key (1) or the tenant (2) has
--                                      its share of it; after wait_us there is, or may be, a place
--   { NO_ROOM, whose }                 the key (1), the tenant (2) or all together (3) have no
--                                      bytes left
--   where <queue> and <job> are as of lib/job_queue.lua and lib/job_view.lua
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   two hours longer than any job may run and be kept, renewed while the queue is used

local seen_job_time = require('job_clock_seen')
local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job
local forget_job = require('job_forget')
local keep_place = require('job_keep_place')
local job_keys_of = require('job_keys')
local keep_queue = require('job_life')
local free_place = require('job_place').free_place
local place_of = require('job_place').place_of
local queue_view = require('job_queue')
local job_from = require('job_record')
local set_of = require('job_set')
local BYTES_OF_JOB = require('job_store').BYTES_OF_JOB
local next_number = require('job_store').next_number
local store_job = require('job_store').store_job
local longer_story = require('job_story')
local next_turn = require('job_turn')
local add_view = require('job_view')
local clock = require('now')
local or_zero = require('or_zero')

local now_us = clock(ARGV)

local TAKEN, KNOWN, OTHER, FULL, NO_ROOM, PLACED, AWAITED = 0, 1, 2, 3, 4, 5, 6
local TWO_HOURS_US = 7200000000

local keys = job_keys_of(KEYS)
local id, tenant, subject, fingerprint, pipeline, is_meant = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6] == '1'
local capacity, bytes, timeout_us, keep_us = tonumber(ARGV[7]), tonumber(ARGV[13]) + BYTES_OF_JOB, tonumber(ARGV[14]),
  tonumber(ARGV[15])
local interval_us, furthest_us, request = tonumber(ARGV[16]), tonumber(ARGV[17]), ARGV[18]
local shown, charge = tonumber(ARGV[19]), ARGV[20]
local live = now_us(1)
local now = seen_job_time(redis.call, keys, live)

local function told(code, job)
  local answer = queue_view(redis.call, keys, now)
  table.insert(answer, 1, code)
  add_view(redis.call, keys, answer, id, job)
  answer[#answer + 1] = or_zero(redis.call('HGET', keys.polls, id))
  return answer
end

-- Each caller gets the time at which one more job has been sent.
local function wait_for_place()
  local numbers = redis.call('HMGET', keys.numbers, 'told_us', 'told_interval_us')
  local soonest = math.max(now, next_turn(redis.call, keys, interval_us)) + interval_us
  local moment = math.max(soonest, or_zero(numbers[1]) + interval_us)
  if moment - now > furthest_us or or_zero(numbers[2]) ~= interval_us then
    moment = soonest
  end
  redis.call('HSET', keys.numbers, 'told_us', string.format('%d', moment), 'told_interval_us',
    string.format('%d', interval_us))
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
  if redis.call('ZCARD', keys.waiting) + redis.call('ZCARD', keys.dispatch) + redis.call('HLEN', keys.places)
      >= capacity then
    return wait_for_place()
  end
  for whose = 1, 3 do
    if or_zero(counts[2 + whose]) + bytes > tonumber(ARGV[9 + whose]) then
      return { NO_ROOM, whose }
    end
  end
  return nil
end

-- A run is named by its start time; no other run of the same job has the same name.
local function begin(before)
  local run = math.floor(now / 1000)
  local job = { state = 'queued', number = next_number(redis.call, keys),
    run = before and math.max(run, before.run + 1) or run, attempts = 0,
    pipeline = pipeline, submitted = now, since = now, bytes = 0,
    holder = '-', tenant = tenant, subject = subject, fingerprint = fingerprint,
    ahead = redis.call('ZCARD', pipeline == 'dual' and keys.waiting or keys.dispatch),
    dispatch = redis.call('ZCARD', keys.dispatch), receipt = '-', sent = 0, story = longer_story('', 'queued', now),
    charge = charge, may_have_run = 0 }
  count_job_bytes(redis.call, keys, job, bytes)
  count_open_job(redis.call, keys, job, 1)
  redis.call('ZADD', set_of(keys, job), string.format('%d', job.number), id)
  redis.call('ZADD', keys.ends, string.format('%d', now + timeout_us), id)
  redis.call('HSET', keys.requests, id, request)
  store_job(redis.call, keys, id, job)
  keep_queue(redis.call, keys, timeout_us + keep_us + TWO_HOURS_US, live, true)
  return job
end

local place = place_of(redis.call, keys, id)
local is_own = place and place.until_us == shown
local is_over = place and place.until_us <= now
if is_own or is_over then
  free_place(redis.call, keys, id, place)
end
local job = job_from(redis.call('HGET', keys.states, id))
local may_begin_anew = job and (job.state == 'failed' or job.state == 'timed_out' or job.state == 'cancelled')
if job and not may_begin_anew then
  if job.fingerprint ~= fingerprint then
    return { OTHER }
  end
  return told(KNOWN, job)
end
-- The charge may have been given back when its place was freed.
local is_late = charge ~= '' and shown and not is_own
if is_late or (place and not is_own and not is_over and not is_meant) then
  return { AWAITED }
end
local refused = not is_own and refusal()
if refused then
  return refused
end
if not is_meant then
  local until_us = keep_place(redis.call, keys, id, tenant, subject, bytes, now)
  keep_queue(redis.call, keys, timeout_us + keep_us + TWO_HOURS_US, live, true)
  return { PLACED, until_us }
end
if job then
  forget_job(redis.call, keys, id, job)
end
return told(TAKEN, begin(job))
