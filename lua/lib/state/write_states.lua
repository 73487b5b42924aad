-- Writes the states that have changed: the whole value if its TTL or its fields changed, else only
-- its numbers. `changed` has by the index of a key its numbers, its fields and its TTL; `value_of`
-- returns the whole value. `call` runs a command.
local function write_states(call, keys, last, changed, value_of)
  for k = 2, last do
    local head = changed.heads[k]
    if head and changed.times[k] then
      call('SET', keys[k], value_of(k), 'PXAT', string.format('%d', changed.times[k]))
    elseif head and changed.texts[k] then
      call('SET', keys[k], value_of(k), 'KEEPTTL')
    elseif head then
      call('SETRANGE', keys[k], 0, head)
    end
  end
end
