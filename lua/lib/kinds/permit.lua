-- Permits: a limit of simultaneous requests, as Permits.java has it. Parameters: <limit>
-- <lease_us>. A counter has: until, when the last permit was given back, the average time between
-- two, and the last retry time given to a caller.

local KINDS = require('kinds/kinds').KINDS
local ROOM = require('kinds/kinds').ROOM

local FURTHEST_US, UNKNOWN_INTERVAL_US, PERMITS_KEPT_US = 30000000, 1000000, 3600000000

-- Renewed rarely, so that the TTL of the entries is rarely renewed too.
local function permits_until(stored, now)
  local until_us = stored[1] or 0
  return until_us - now > PERMITS_KEPT_US / 2 and until_us or now + PERMITS_KEPT_US
end

KINDS.p = {
  read = function(demand, text, at)
    local limit, lease_us = string.match(text, '^(%d+) (%d+)', at)
    demand.limit, demand.lease_us = tonumber(limit), tonumber(lease_us)
  end,
  standing = function(demand, stored, asked)
    local now, released, average, told = asked.now, stored[2] or 0, stored[3] or 0, stored[4] or 0
    local interval = average == 0 and UNKNOWN_INTERVAL_US or average
    local next_us = math.max(now, told) + interval
    if next_us - now > FURTHEST_US then
      next_us = now + interval
    end
    local has_room = demand.held < demand.limit
    return { wait = has_room and ROOM or next_us - now, used = demand.held, reset = has_room and 0 or next_us - now,
      near = false, taken = { permits_until(stored, now), released, average, told },
      denied = has_room and stored or { permits_until(stored, now), released, average, next_us } }
  end,
}

return { FURTHEST_US = FURTHEST_US, PERMITS_KEPT_US = PERMITS_KEPT_US, permits_until = permits_until }
