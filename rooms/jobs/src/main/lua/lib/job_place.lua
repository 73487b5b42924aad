-- Places reserved for requests while their limits are checked: <until_us> <tenant> <subject>
-- <bytes>, by the id of the job. They count like jobs. Uses job_count. `call` runs a command.
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
