-- Places reserved for requests while their limits are checked: <until_us> <tenant> <subject>
-- <bytes>, by the id of the job. They count like jobs. `call` runs a command.

local count_job_bytes = require('job_count').count_job_bytes
local count_open_job = require('job_count').count_open_job
local or_zero = require('or_zero')

local OLD_PLACES_US = 1000000

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

-- Frees places of requests whose node died while their limits were checked; every second.
local function free_old_places(call, keys, now)
  if call('HLEN', keys.places) == 0
      or now - or_zero(call('HGET', keys.numbers, 'places_us')) < OLD_PLACES_US then
    return
  end
  call('HSET', keys.numbers, 'places_us', string.format('%d', now))
  local fields = call('HGETALL', keys.places)
  for i = 1, #fields, 2 do
    local place = place_of(call, keys, fields[i])
    if place and place.until_us <= now then
      free_place(call, keys, fields[i], place)
    end
  end
end

return { free_old_places = free_old_places, free_place = free_place, place_of = place_of }
