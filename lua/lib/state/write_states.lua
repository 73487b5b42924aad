-- Writes the states of a call that have changed: the whole value if its TTL or its fields changed, or
-- requests wait; else only its numbers. `call` runs a command.

local value_of = require('state/states').value_of

local function write_states(call, keys, last, states)
  local heads, all_open, tables, expiries = states.heads, states.open, states.tables, states.expiries
  for k = 2, last do
    local head, open, state = heads[k], all_open[k], tables[k]
    local expires_ms = open and open.expires_ms or expiries[k]
    if state and state.has_changed then
      local STATE = require('state/state')
      STATE.uncount(state)
      local value = STATE.value(state, state.demands)
      call('SET', keys[k], value, 'PXAT', string.format('%d', state.expires_ms))
    elseif expires_ms then
      call('SET', keys[k], value_of(states, k), 'PXAT', string.format('%d', expires_ms))
    elseif open and open.text then
      call('SET', keys[k], value_of(states, k), 'KEEPTTL')
    elseif head then
      call('SETRANGE', keys[k], '0', head) -- as text: Redis prints a number slowly, as a fraction
    end
  end
end

return write_states
