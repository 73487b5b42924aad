-- Follows Redis's clock: shifts the instants of an upstream after the clock was set back, and
-- removes old ones.

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

-- Once a second: removes past instants, of keys and groups that may no longer exist.
local function forget_old(state, now)
  if math.floor((number_in(state, 'at') or 0) / SECOND_US) == math.floor(now / SECOND_US) then
    return
  end
  local old = {}
  for field, value in pairs(state.values) do
    local kind = kind_of(field)
    if (kind == 'cool' or kind == 'loaded') and value <= now or kind == 'slot' and value <= now - OLD_SLOT_US then
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
