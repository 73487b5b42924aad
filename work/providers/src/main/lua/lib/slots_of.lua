-- The providers of an upstream, and when each is available.

local left_alone_until = require('places_of').left_alone_until
local places_at = require('places_of').places_at
local slot_of_key = require('places_of').slot_of_key
local number_in = require('upstream_state').number_in

local FULL_SHARE, LEAST_SHARE = 1000, 100 -- of a weight, in thousandths
local PROBE_GRACE_US = 10000000 -- so long only requests that are retried after a failure probe a provider

-- Parses `<provider> <tier> <weight> <interval_us> <most> <groups> <key>,<key>...` with a semicolon
-- between. <most> is its limit of requests under way, 0 for a share; <groups> are those that it
-- serves, with a comma between, or *.
local function providers_of(text)
  local providers = {}
  for part in string.gmatch(text, '[^;]+') do
    local name, tier, weight, interval_us, most, groups, keys =
      string.match(part, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)$')
    local one = { name = name, tier = tonumber(tier), weight = tonumber(weight), interval_us = tonumber(interval_us),
      most = tonumber(most), groups = groups ~= '*' and ',' .. groups .. ',' or nil, keys = {},
      cool = 'cool:' .. name, open = 'open:' .. name, probe = 'probe:' .. name, busy = 'busy:' .. name,
      load = 'load:' .. name, loaded = 'loaded:' .. name, turn = 'turn:' .. name }
    for key in string.gmatch(keys, '[^,]+') do
      local place = name .. '/' .. key
      local slot, cool = 'slot:' .. place, 'cool:' .. place
      one.keys[#one.keys + 1] = { name = key, place = ',' .. place .. ',', refused = ',!' .. place .. ',', slot = slot,
        cool = cool }
    end
    providers[#providers + 1] = one
  end
  return providers
end

-- The providers whose breaker is open, with a comma between; with a question mark during a probe.
local function open_of(providers, state, now)
  local open = {}
  for _, one in ipairs(providers) do
    if number_in(state, one.open) then
      open[#open + 1] = one.name .. ((number_in(state, one.probe) or 0) > now and '?' or '')
    end
  end
  return table.concat(open, ',')
end

local function was_sent_with(key, asked)
  return asked.before ~= ''
    and (string.find(asked.before, key.place, 1, true) or string.find(asked.before, key.refused, 1, true))
end

-- The key of a provider that is available first, and when. Of several, the one that was used
-- longest ago; a key of a previous attempt only if there is no other.
local function first_key(one, state, asked)
  local best, best_at, best_slot
  for _, key in ipairs(one.keys) do
    local slot = slot_of_key(one, key, state, asked.now)
    local at = math.max(asked.now, slot, number_in(state, key.cool) or 0,
      number_in(state, key.cool .. '/' .. asked.group) or 0)
    if was_sent_with(key, asked) then
      slot = math.huge
    end
    if not best or at < best_at or at == best_at and slot < best_slot then
      best, best_at, best_slot = key, at, slot
    end
  end
  return best, best_at
end

-- The weight of a provider, reduced by the load that it reports.
local function weight_of(one, state, now)
  local busy = (number_in(state, one.loaded) or 0) > now and number_in(state, one.load) or 0
  return one.weight * math.max(LEAST_SHARE, FULL_SHARE - busy)
end

local function slot_of_provider(one, state, asked)
  local key, at = first_key(one, state, asked)
  return { of = one, key = key, at = math.max(at, number_in(state, one.cool) or 0),
    weight = weight_of(one, state, asked.now), turn = number_in(state, one.turn) or 0,
    is_probe = number_in(state, one.open) ~= nil }
end

-- Whether a probe is reserved for requests that are retried after a failure of the provider.
local function is_left_to_others(one, state, asked)
  local open = number_in(state, one.open)
  return open ~= nil and not asked.may_probe and asked.now < open + PROBE_GRACE_US
end

local function was_sent_to(one, asked)
  return asked.before ~= '' and string.find(asked.before, ',' .. one.name .. '/', 1, true)
end

-- The available providers, each with its first key: those without a previous attempt of the
-- request, except attempts whose key was refused if there is another key, and the others. A provider with an open
-- breaker is available when it may be probed.
-- Third, the earliest instant of such a probe; fourth, whether a provider has no place other than
-- those that `owed` keeps for others.
local function slots_of(some, state, asked, owed)
  local fresh, again, risky, open_until, is_full = {}, {}, {}, math.huge, false
  for _, one in ipairs(some) do
    local until_us, places = left_alone_until(one, state, asked.now), places_at(one, state, asked.share)
    if until_us then
      open_until = math.min(open_until, until_us)
    elseif places <= 0 or places <= owed(one, asked.ahead, asked.group) then
      is_full = true
    else
      local slot = slot_of_provider(one, state, asked)
      local was_tried = was_sent_to(one, asked) or was_sent_with(slot.key, asked)
      local list = is_left_to_others(one, state, asked) and risky or was_tried and again or fresh
      list[#list + 1] = slot
    end
  end
  if #fresh + #again == 0 and not is_full then
    again = risky
  end
  return fresh, again, open_until == math.huge and asked.now or open_until, is_full
end

return { open_of = open_of, providers_of = providers_of, slots_of = slots_of }
