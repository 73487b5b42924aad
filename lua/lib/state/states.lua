-- The states of one call, `values` as they were read, by the index of the key; of those that the
-- short ways change, `heads`, the packed numbers, `texts`, the fields if they changed, and `times`,
-- the TTL if it changed; of those with any buckets also `layouts` and `numbers`, what `heads` has, and
-- `spares`, tables for the next numbers; of those that need the long way, `tables`.

local LAYOUT = require('state/layout')
local STATE = require('state/state')
local expiry_of = require('state/expiry_of')

local function new_states(values)
  return { values = values, heads = {}, texts = {}, times = {}, layouts = {}, numbers = {}, spares = {}, tables = {} }
end

-- The value of a state as the short ways left it, false if there is none.
local function value_of(states, k)
  local head = states.heads[k]
  return head and head .. (states.texts[k] or string.sub(states.values[k], #head + 1)) or states.values[k]
end

-- A state as a table, at `now`: from then on the short ways do not change it.
local function table_of(states, k, keys, scope, now)
  local state = states.tables[k]
  if not state then
    state = STATE.read(value_of(states, k), now)
    if not state then
      error(keys[k] .. ' holds no state', 0)
    end
    state.scope, states.tables[k] = scope, state
  else
    STATE.forget(state, now)
  end
  return state
end

-- Whether one of the states of these scopes needs the long way; `charges` has their keys behind
-- `before`, by scope.
local function has_table(states, scopes, charges, before)
  local tables = states.tables
  for i = 1, #scopes do
    if tables[charges[before + scopes[i]]] then
      return true
    end
  end
  return false
end

-- Replaces the numbers of a state, which is needed until `until_us`.
local function commit(states, k, way, numbers, until_us)
  states.layouts[k], states.numbers[k], states.spares[k] = way.layout, numbers, states.numbers[k]
  states.texts[k] = way.text or states.texts[k]
  if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
    numbers[LAYOUT.EXPIRES] = expiry_of(until_us, numbers[LAYOUT.AT])
    states.times[k] = numbers[LAYOUT.EXPIRES]
  end
  states.heads[k] = struct.pack(way.format, unpack(numbers))
end

return { commit = commit, has_table = has_table, new_states = new_states, table_of = table_of, value_of = value_of }
