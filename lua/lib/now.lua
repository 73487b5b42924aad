-- The clock: microseconds since the epoch, by Redis alone; the same for all decisions of a call.
local time = redis.call('TIME')
local live_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function now_us()
  return live_us
end
