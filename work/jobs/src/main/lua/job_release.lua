-- Frees the place of a job whose request was not admitted.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the id of the job
--   2        the place, as returned by job_submit.lua
-- RETURNS
--   { freed }  1 if it existed, else 0
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue

local job_keys_of = require('job_keys')
local free_place = require('job_place').free_place
local place_of = require('job_place').place_of

local keys = job_keys_of(KEYS)
local place = place_of(redis.call, keys, ARGV[1])
if place and place.until_us == tonumber(ARGV[2]) then
  free_place(redis.call, keys, ARGV[1], place)
  return { 1 }
end
return { 0 }
