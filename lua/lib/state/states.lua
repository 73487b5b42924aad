-- The states of one call, by the index of the key: `values` as they were read; of those that the short way
-- changes, `heads`, the packed numbers, `ways`, what these are, and where it keeps them unpacked for other charges
-- of the call, `open`:
--   numbers    what the head has, or false: they are in the head alone
--   spare      another table for the next numbers, or false
--   text, expires_ms   the fields and the TTL, if they changed
-- and of those that need the long way, `tables`; and until when those are stored that have got a whole value meanwhile,
-- `expiries`.

local function new_states(values)
  return { values = values, heads = {}, ways = {}, open = {}, tables = {}, expiries = {} }
end

-- Takes the place of what was read and of what the short way left.
local function put_value(states, k, value, expires_ms)
  states.values[k], states.expiries[k] = value, expires_ms
  states.heads[k], states.ways[k], states.open[k] = nil, nil, nil
end

-- The value of a state as the short way left it, false if there is none.
local function value_of(states, k)
  local head, open = states.heads[k], states.open[k]
  return head and head .. (open and open.text or string.sub(states.values[k], #head + 1)) or states.values[k]
end

-- A state as a table, at `now`: from then on the short way does not change it.
local function table_of(states, k, keys, scope, now)
  local STATE = require('state/state') -- a script builds it when the long way is needed
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

return { new_states = new_states, put_value = put_value, table_of = table_of, value_of = value_of }
