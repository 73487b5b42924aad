-- Places reserved for requests while their limits are checked: <until_us> <tenant> <subject>
-- <bytes>, by the id of the job. They count like jobs. `call` runs a command.

local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job

-- The place of a job; nil if there is none.
local function place_of(call, keys, id)
  local text = call('HGET', keys.places, id)
  local until_us, tenant, subject, bytes = string.match(text or '', '^(%d+) (%S+) (%S+) (%d+)$')
  return until_us and { until_us = tonumber(until_us), tenant = tenant, subject = subject, bytes = tonumber(bytes) }
end

local function free_place(call, keys, id, place)
  count_job_bytes(call, keys, place, 0)
  count_open_job(call, keys, place, -1)
  call('HDEL', keys.places, id)
end

return { free_place = free_place, place_of = place_of }
