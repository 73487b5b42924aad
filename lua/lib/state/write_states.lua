-- Writes the states of a call that have changed: the whole value if its TTL or its fields changed,
-- else only its numbers. `call` runs a command.

local value_of = require('state/states').value_of

local function write_states(call, keys, last, states)
  for k = 2, last do
    local head = states.heads[k]
    if head and states.times[k] then
      call('SET', keys[k], value_of(states, k), 'PXAT', string.format('%d', states.times[k]))
    elseif head and states.texts[k] then
      call('SET', keys[k], value_of(states, k), 'KEEPTTL')
    elseif head then
      call('SETRANGE', keys[k], 0, head)
    end
  end
end

return write_states
