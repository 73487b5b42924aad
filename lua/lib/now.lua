-- The clock of a call: microseconds since the epoch, by Redis alone; the same for all of its decisions.

return function()
  local time = redis.call('TIME')
  local live_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
  return function()
    return live_us
  end
end
