-- Follows Redis's clock: shifts the instants of an upstream after the clock was set back, and
-- removes old ones, and fields of providers that the policy no longer has.

local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number

local BACK_US, SECOND_US, OLD_SLOT_US = 100000, 1000000, 600000000
local INSTANTS = { slot = true, cool = true, open = true, probe = true, loaded = true, full = true, seen = true }

local function kind_of(field)
  return string.match(field, '^(%a+):')
end

-- Returns by how many microseconds the clock was set back since the last call, 0 for less than 0.1
-- s, and moves all instants back by as much. Otherwise a wait of a second would last as long as the
-- step.
local function set_back(state, now)
  local back = (number_in(state, 'at') or now) - now
  if back <= BACK_US then
    return 0
  end
  for field, value in pairs(state.values) do
    if INSTANTS[kind_of(field)] then
      put_number(state, field, value - back)
    end
  end
  return back
end

-- Whether a field has no meaning any more: a past instant, of a key or group that may no longer
-- exist; or the turn, the breaker or the probe of a provider that the policy no longer has. A node
-- with another policy may still use it, so that a breaker stays for a while.
local function is_old(field, value, named, now)
  local kind, provider = string.match(field, '^(%a+):(.+)$')
  if kind == 'cool' or kind == 'loaded' then
    return value <= now
  elseif kind == 'slot' then
    return value <= now - OLD_SLOT_US
  elseif kind == 'turn' then
    return not named[provider]
  end
  return (kind == 'open' or kind == 'probe') and not named[provider] and value <= now - OLD_SLOT_US
end

-- Once a second: removes old fields. `providers` are those of the policy.
local function forget_old(state, providers, now)
  if math.floor((number_in(state, 'at') or 0) / SECOND_US) == math.floor(now / SECOND_US) then
    return
  end
  local old, named = {}, {}
  for _, one in ipairs(providers) do
    named[one.name] = true
  end
  for field, value in pairs(state.values) do
    if is_old(field, value, named, now) then
      old[#old + 1] = field
    end
  end
  for _, field in ipairs(old) do
    put_number(state, field, nil)
    if kind_of(field) == 'loaded' then
      put_number(state, 'load:' .. string.sub(field, 8), nil)
    end
  end
end

return { forget_old = forget_old, set_back = set_back }
