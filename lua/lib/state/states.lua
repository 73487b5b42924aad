-- The states of one call, by the index of the key: `values` as they were read; of those that the short way
-- changes, `heads`, the packed numbers, and where it keeps them unpacked for other charges of the call, `open`:
--   layout, numbers   what the head has
--   spare      another table for the next numbers, or false
--   text, expires_ms   the fields and the TTL, if they changed
-- and of those that need the long way, `tables`.

local LAYOUT = require('state/layout')
local STATE = require('state/state')
local expiry_of = require('state/expiry_of')

local function new_states(values)
  return { values = values, heads = {}, open = {}, tables = {} }
end

-- The value of a state as the short way left it, false if there is none.
local function value_of(states, k)
  local head, open = states.heads[k], states.open[k]
  return head and head .. (open and open.text or string.sub(states.values[k], #head + 1)) or states.values[k]
end

-- A state as a table, at `now`: from then on the short way does not change it.
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

-- Replaces the numbers of a state, which is needed until `until_us`.
local function commit(states, k, way, numbers, until_us)
  local open = states.open[k]
  if open then
    open.layout, open.numbers, open.spare = way.layout, numbers, open.numbers
  else
    open = { layout = way.layout, numbers = numbers, spare = false }
    states.open[k] = open
  end
  if way.text then
    open.text = way.text
  end
  if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
    numbers[LAYOUT.EXPIRES] = expiry_of(until_us, numbers[LAYOUT.AT])
    open.expires_ms = numbers[LAYOUT.EXPIRES]
  end
  states.heads[k] = struct.pack(way.format, unpack(numbers))
end

return { commit = commit, new_states = new_states, table_of = table_of, value_of = value_of }
