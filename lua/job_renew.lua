-- Holds on to jobs for another lease from now.
--
-- KEYS
--   1 to 12  as of job_submit.lua
-- ARGV
--   1        who holds them: a node
--   2        how long a lease is, in microseconds
--   3        the ids of jobs, with a comma between
-- RETURNS
--   { held... }  for each 1 where it is held, 0 where it is not, or no longer
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   that of the queue

--@include now
--@include job_keys
--@include job_set
--@include job_record
--@include or_zero
--@include job_clock
--@include job_clock_seen

local keys = job_keys_of(KEYS)
local node, until_us = ARGV[1] .. ':', seen_job_time(redis.call, keys, now_us(1)) + tonumber(ARGV[2])
local held = {}

for id in string.gmatch(ARGV[3], '[^,]+') do
  local job = job_from(redis.call('HGET', keys.states, id))
  local set = job and string.sub(job.holder, 1, #node) == node and set_of(keys, job)
  held[#held + 1] = set and 1 or 0
  if set then
    redis.call('ZADD', set, string.format('%d', until_us), id)
  end
end
return held
