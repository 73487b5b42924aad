-- Holds on to jobs for another lease from now.
--
-- KEYS
--   1 to 11  as of job_submit.lua
-- ARGV
--   1        who holds them: a node
--   2        how long a lease is, in microseconds
--   then     the ids of jobs
-- RETURNS
--   { held... }  for each 1 where it is held, 0 where it is not, or no longer
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of the queue

--@include now
--@include job_states
--@include job_record
--@include job_keys

local keys = job_keys_of(KEYS)
local node, until_us = ARGV[1], now_us(1) + tonumber(ARGV[2])
local held = {}

for i = 3, #ARGV do
  local job = job_from(redis.call('HGET', keys.states, ARGV[i]))
  local set = job and job.holder == node and set_of(keys, job)
  held[i - 2] = set and 1 or 0
  if set then
    redis.call('ZADD', set, string.format('%d', until_us), ARGV[i])
  end
end
return held
