-- The states of one call, `values` as they were read, by the index of the key; of those that
-- change, `heads`, the packed numbers, `texts`, the fields if they changed, and `times`, the TTL if
-- it changed. `queued` marks states whose charges were handed back.

local LAYOUT = require('state/layout')
local expiry_of = require('state/expiry_of')

-- The current value of a state, false if there is none.
local function value_of(states, k)
  local head = states.heads[k]
  return head and head .. (states.texts[k] or string.sub(states.values[k], #head + 1)) or states.values[k]
end

-- Marks the states of these scopes; `keys` has their keys by scope.
local function hand_back(states, scopes, keys, before)
  for _, scope in ipairs(scopes) do
    states.queued[keys[before + scope]] = true
  end
end

local function is_queued(states, scopes, keys, before)
  for _, scope in ipairs(scopes) do
    if states.queued[keys[before + scope]] then
      return true
    end
  end
  return false
end

-- Replaces the numbers of a state, which is needed until `until_us`.
local function commit(states, k, way, numbers, until_us)
  states.texts[k] = way.text or states.texts[k]
  if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
    numbers[LAYOUT.EXPIRES] = expiry_of(until_us, numbers[LAYOUT.AT])
    states.times[k] = numbers[LAYOUT.EXPIRES]
  end
  states.heads[k] = struct.pack(way.format, unpack(numbers))
end

return { commit = commit, hand_back = hand_back, is_queued = is_queued, value_of = value_of }
