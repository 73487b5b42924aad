-- How many more requests may be under way to the providers of an upstream.

local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number

local PROBE_TOLD_US = 1000000 -- retry time given to other requests during a probe
local NEAR_US = 1000000 -- how far ahead keys are booked

local function serves(one, group)
  return not one.groups or string.find(one.groups, ',' .. group .. ',', 1, true) ~= nil
end

local function serving(providers, group)
  local some = {}
  for _, one in ipairs(providers) do
    if serves(one, group) then
      some[#some + 1] = one
    end
  end
  return some
end

-- Below 0 if the limit has been lowered.
local function places_at(one, state, share)
  return (one.most > 0 and one.most or share) - (number_in(state, one.busy) or 0)
end

-- Until when its breaker is open, or another request probes it; nil if it is available.
local function left_alone_until(one, state, now)
  local open, probe = number_in(state, one.open), number_in(state, one.probe) or 0
  if open and open > now then
    return open
  end
  return open and probe > now and math.min(probe, now + PROBE_TOLD_US) or nil
end

-- When a key may be used next. After the interval is shortened, later bookings are cut to it.
local function slot_of_key(one, key, state, now)
  local slot, latest = number_in(state, key.slot) or 0, now + one.interval_us + NEAR_US
  if slot > latest then
    put_number(state, key.slot, latest)
  end
  return math.min(slot, latest)
end

-- Whether the provider, or each of its keys, is cooling down or was used too recently.
local function is_resting(one, state, group, now)
  if (number_in(state, one.cool) or 0) > now then
    return true
  end
  for _, key in ipairs(one.keys) do
    local cool = math.max(number_in(state, key.cool) or 0, number_in(state, key.cool .. '/' .. group) or 0)
    if cool <= now and slot_of_key(one, key, state, now) <= now + NEAR_US then
      return false
    end
  end
  return true
end

-- The places of all providers that may serve a group.
local function places_of(some, group, state, share, now)
  local places = 0
  for _, one in ipairs(some) do
    if not left_alone_until(one, state, now) and not is_resting(one, state, group, now) then
      places = places + math.max(0, places_at(one, state, share))
    end
  end
  return places
end

return { NEAR_US = NEAR_US, is_resting = is_resting, left_alone_until = left_alone_until, places_at = places_at,
  places_of = places_of, serves = serves, serving = serving, slot_of_key = slot_of_key }
