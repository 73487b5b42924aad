-- The providers of an upstream, and when each may be sent to.
local PROBE_TOLD_US = 1000000 -- what others are told while a probe is under way
local FULL_SHARE, LEAST_SHARE = 1000, 100 -- of a weight, in thousandths

local function state_from(fields)
  local state = {}
  for i = 1, #fields, 2 do
    state[fields[i]] = tonumber(fields[i + 1])
  end
  return state
end

-- The key of a provider that may be used first, and when: of several the one that was used longest ago, and one by
-- which the request was sent before only where there is no other. An interval that was longer once is forgotten.
local function first_key(provider, interval_us, keys, state, asked)
  local best, best_at, best_slot
  local limit_us = asked.now + interval_us + asked.patience_us
  for key in string.gmatch(keys, '[^,]+') do
    local name = provider .. '/' .. key
    local slot = math.min(state['slot:' .. name] or 0, limit_us)
    local at = math.max(asked.now, slot, state['cool:' .. name] or 0,
      state['cool:' .. name .. '/' .. asked.group] or 0)
    local was_used = string.find(asked.before, ',' .. name .. ',', 1, true)
    if was_used then
      slot = math.huge
    end
    if not best or at < best_at or at == best_at and slot < best_slot then
      best, best_at, best_slot = key, at, slot
    end
  end
  return best, best_at
end

-- As many as may be are under way to it.
local function is_busy(provider, most, state, asked)
  most = tonumber(most)
  return (state['busy:' .. provider] or 0) >= (most > 0 and most or asked.most)
end

-- Who says that it is busy gets less of what others get.
local function weight_of(provider, weight, state, now)
  local busy = (state['loaded:' .. provider] or 0) > now and state['load:' .. provider] or 0
  return weight * math.max(LEAST_SHARE, FULL_SHARE - busy)
end

-- The providers whose breaker is open, with a comma between; with a question mark where one request tries it.
local function open_of(text, state, now)
  local open = {}
  for provider in string.gmatch(text, '([^ ;]+) [^;]*') do
    if state['open:' .. provider] then
      open[#open + 1] = provider .. ((state['probe:' .. provider] or 0) > now and '?' or '')
    end
  end
  return table.concat(open, ',')
end

-- Those whose breaker is closed, or that may be tried again, each with its first key: those that the request was not
-- sent to before, and the others. Third the instant at which the first of those whose breaker is open may be tried;
-- fourth whether as many as may be are under way to one.
local function slots_of(text, state, asked)
  local fresh, again, open_until, is_full = {}, {}, math.huge, false
  for part in string.gmatch(text, '[^;]+') do
    local provider, tier, weight, interval_us, most, keys =
      string.match(part, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%S+)$')
    local open, probe = state['open:' .. provider], state['probe:' .. provider] or 0
    if open and open > asked.now then
      open_until = math.min(open_until, open)
    elseif open and probe > asked.now then
      open_until = math.min(open_until, probe, asked.now + PROBE_TOLD_US)
    elseif is_busy(provider, most, state, asked) then
      is_full = true
    else
      local key, at = first_key(provider, tonumber(interval_us), keys, state, asked)
      local one = { provider = provider, tier = tonumber(tier), interval_us = tonumber(interval_us), key = key,
        weight = weight_of(provider, tonumber(weight), state, asked.now),
        at = math.max(at, state['cool:' .. provider] or 0),
        turn = state['turn:' .. provider] or 0, is_probe = open ~= nil }
      local list = string.find(asked.before, ',' .. provider .. '/', 1, true) and again or fresh
      list[#list + 1] = one
    end
  end
  return fresh, again, open_until == math.huge and asked.now or open_until, is_full
end
