-- Keeps places. Uses job_place, job_count. `call` runs a command.
local PLACE_KEPT_US = 10000000 -- longer than limits are ever asked: only the place of a node that died comes to its end

-- Keeps a place and gives the moment of its end, by which it is known.
local function keep_place(call, keys, id, tenant, subject, bytes, now)
  local place, until_us = { tenant = tenant, subject = subject, bytes = 0 }, now + PLACE_KEPT_US
  count_job_bytes(call, keys, place, bytes)
  count_open_job(call, keys, place, 1)
  call('HSET', keys.places, id, string.format('%d %s %s %d', until_us, tenant, subject, bytes))
  return until_us
end
