-- Leases: a sorted set of ids by the end of each lease, in microseconds. `call` runs a command.

local LEASED = {}

-- Begins a lease, or gives it another end.
function LEASED.hold(call, set, id, until_us)
  call('ZADD', set, string.format('%d', until_us), id)
end

-- Whether there is a lease that has not expired.
function LEASED.is_held(call, set, id, now)
  local until_us = call('ZSCORE', set, id)
  return until_us and tonumber(until_us) > now or false
end

-- Gives a lease another end; false, and no change, if it has expired.
function LEASED.renew(call, set, id, until_us, now)
  local is_held = LEASED.is_held(call, set, id, now)
  if is_held then
    LEASED.hold(call, set, id, until_us)
  end
  return is_held
end

-- Ends a lease; returns whether it had not expired.
function LEASED.release(call, set, id, now)
  local is_held = LEASED.is_held(call, set, id, now)
  call('ZREM', set, id)
  return is_held
end

-- The ids of expired leases, the earliest first.
function LEASED.over(call, set, now, most)
  return call('ZRANGEBYSCORE', set, '-inf', string.format('%d', now), 'LIMIT', 0, most)
end

return LEASED
