-- Units of a bucket with leases that are saved for holders that asked in vain, so that small grants
-- to others do not starve a large cost: { units, since_us, until_us } by holder. Each is saved up
-- from `since_us` on, by an equal part of the rate.

local ceil_div = require('ceil_div')
local drained = require('state/drained')

local MOST = 64
local MOST_WAIT_US, GRACE_US = 28e6, 1e6 -- a node forgets a bucket 30 s after its last denial

-- The names of all others that have units or wait.
local function others_of(pool, holder)
  local others = {}
  for _, known in ipairs({ pool.shares, pool.earmarks }) do
    for of in pairs(known) do
      others[of] = of ~= holder or nil
    end
  end
  return others
end

local function saved(earmark, rate, sharers, now)
  return earmark.units - drained(earmark.units, rate, math.floor((now - earmark.since_us) / sharers))
end

-- A holder claims its own with a cost that is as large; for smaller ones it is as another's.
local function claimed(pool, holder, least)
  local own = pool.earmarks[holder]
  return own and least >= own.units and own or nil
end

-- The units saved for others; for one that claims its own, only for those that asked before it.
local function promised(pool, holder, own, sharers, now)
  local sum = 0
  for of, earmark in pairs(pool.earmarks) do
    local is_before = not own or earmark.since_us < own.since_us
      or earmark.since_us == own.since_us and of < holder
    if earmark ~= own and is_before then
      sum = math.min(2 ^ 53, sum + saved(earmark, pool.rate, sharers, now))
    end
  end
  return sum
end

-- Whether somebody asks for less: what drains may be taken before so many units are free.
local function is_contended(pool, others, units)
  for of in pairs(others) do
    local earmark = pool.earmarks[of]
    if not earmark or earmark.units < units then
      return true
    end
  end
  return false
end

local function has_room(pool, holder)
  local others = 0
  for of in pairs(pool.earmarks) do
    others = others + (of ~= holder and 1 or 0)
  end
  return others < MOST
end

-- Saves units for a holder that will ask again, unless it has an earmark of more units or would have
-- to wait too long. Returns the time until it has them; others that ask for as much take turns.
local function earmark(pool, holder, units, at)
  local own = pool.earmarks[holder]
  if own and units < own.units then
    return at.wait_us
  end
  local made = { units = units, since_us = own and own.since_us or at.now }
  local wait_us = math.max(at.wait_us, is_contended(pool, at.others, units)
    and ceil_div(units, pool.rate) * at.sharers - (at.now - made.since_us) or 0)
  made.until_us = at.now + wait_us + math.min(wait_us, GRACE_US) + at.lease_us
  local is_made = has_room(pool, holder) and wait_us <= MOST_WAIT_US
  pool.earmarks[holder] = is_made and made or nil
  return is_made and wait_us or at.wait_us
end

return { claimed = claimed, earmark = earmark, others_of = others_of, promised = promised }
