-- Renews the leases of jobs, from now.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the holder: a node
--   2        length of a lease, in microseconds
--   3        the ids of jobs, with a comma between
-- RETURNS
--   { held... }  for each job 1 if it is still held, else 0
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue

local seen_job_time = require('job_clock_seen')
local job_keys_of = require('job_keys')
local job_from = require('job_record')
local set_of = require('job_set')
local LEASED = require('leased')
local clock = require('now')

local now_us = clock(ARGV)

local keys = job_keys_of(KEYS)
local node, until_us = ARGV[1] .. ':', seen_job_time(redis.call, keys, now_us(1)) + tonumber(ARGV[2])
local held = {}

for id in string.gmatch(ARGV[3], '[^,]+') do
  local job = job_from(redis.call('HGET', keys.states, id))
  local set = job and string.sub(job.holder, 1, #node) == node and set_of(keys, job)
  held[#held + 1] = set and 1 or 0
  if set then
    LEASED.hold(redis.call, set, id, until_us)
  end
end
return held
