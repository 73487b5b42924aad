-- Compares the counters and the sets of a queue of jobs with its jobs and places.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the most entries of a key: a larger queue is not compared
--   2        1 to repair what differs, else 0
--   3        length of a lease, in microseconds
--   4        the timeout of a job, in microseconds
--   5        how long a job is kept after its end, in microseconds
-- RETURNS
--   { size, then for each difference: place, counted, found }
--   as of lib/drift.lua; size is the largest number of entries of a key
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue

local DRIFT = require('drift')
local counted_job = require('job_counted')
local job_keys_of = require('job_keys')
local place_of = require('job_place').place_of
local set_of = require('job_set')
local or_zero = require('or_zero')

local most, lease_us, timeout_us, keep_us = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local keys = job_keys_of(KEYS)
local SETS = { 'waiting', 'dispatch', 'checking', 'running', 'ends' }
local owners, found, scores = {}, {}, {}

local function largest()
  local size = math.max(redis.call('HLEN', keys.states), redis.call('HLEN', keys.places),
    redis.call('HLEN', keys.counts))
  for _, set in ipairs(SETS) do
    size = math.max(size, redis.call('ZCARD', keys[set]))
    scores[keys[set]] = {}
  end
  return size
end

-- Adds a job or a place to the counts of its key.
local function count(one, is_open)
  local owner = one.tenant .. '/' .. one.subject
  local counts = owners[owner]
  if not counts then
    counts = { tenant = one.tenant, jobs = 0, bytes = 0, checks = 0 }
    owners[owner] = counts
  end
  counts.bytes = counts.bytes + one.bytes
  counts.jobs = counts.jobs + (is_open and 1 or 0)
  counts.checks = counts.checks + (one.state == 'checking' and 1 or 0)
end

local function add(field, more)
  found[field] = (found[field] or 0) + more
end

local function add_up()
  for owner, counts in pairs(owners) do
    add('jobs:' .. owner, counts.jobs)
    add('jobs:' .. counts.tenant, counts.jobs)
    add('bytes:' .. owner, counts.bytes)
    add('bytes:' .. counts.tenant, counts.bytes)
    add('bytes:', counts.bytes)
    add('checks:' .. owner, counts.checks)
  end
end

-- A missing job is put where it arrived; its lease begins now.
local function place_in_sets(id, job, now)
  local set = set_of(keys, job)
  scores[keys.ends][id] = set and job.submitted + timeout_us or job.since + keep_us
  if set then
    local has_lease = set == keys.checking or set == keys.running
    scores[set][id] = has_lease and now + lease_us or job.number
  end
  return set ~= nil
end

local function count_jobs()
  local jobs, now = redis.call('HGETALL', keys.states), or_zero(redis.call('HGET', keys.numbers, 'seen_us'))
  for i = 1, #jobs, 2 do
    local job = counted_job(jobs[i + 1])
    if job then
      count(job, place_in_sets(jobs[i], job, now))
    end
  end
end

local function count_places()
  local places = redis.call('HGETALL', keys.places)
  for i = 1, #places, 2 do
    local place = place_of(redis.call, keys, places[i])
    if place then
      count(place, true)
    end
  end
end

local function counted()
  local counters, fields = {}, redis.call('HGETALL', keys.counts)
  for i = 1, #fields, 2 do
    counters[fields[i]] = tonumber(fields[i + 1]) or -1
  end
  return counters
end

local size = largest()
if size > most then
  return { size }
end
count_jobs()
count_places()
add_up()
local comparison = DRIFT.comparison(redis.call, size, ARGV[2] == '1')
DRIFT.fields(comparison, 'counts', keys.counts, counted(), found)
for _, set in ipairs(SETS) do
  DRIFT.members(comparison, set, keys[set], scores[keys[set]])
end
return comparison.answer
