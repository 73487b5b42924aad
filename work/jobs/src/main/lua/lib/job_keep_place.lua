-- Reserves places. `call` runs a command.

local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job

local PLACE_KEPT_US = 10000000 -- longer than any check of limits: only the place of a node that died expires

-- Reserves a place and returns its end, which identifies it.
local function keep_place(call, keys, id, tenant, subject, bytes, now)
  local place, until_us = { tenant = tenant, subject = subject, bytes = 0 }, now + PLACE_KEPT_US
  count_job_bytes(call, keys, place, bytes)
  count_open_job(call, keys, place, 1)
  call('HSET', keys.places, id, string.format('%d %s %s %d', until_us, tenant, subject, bytes))
  return until_us
end

return keep_place
