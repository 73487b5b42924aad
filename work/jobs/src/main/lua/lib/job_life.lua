-- The TTL of the keys of a queue. `call` runs a command.

local or_zero = require('or_zero')

-- Sets the TTL of all keys from `live`, Redis's own time: once a minute, and if a key may be new.
local function keep_queue(call, keys, life_us, live, is_new)
  local until_ms = math.ceil((live + life_us) / 1000)
  if not is_new and math.abs(until_ms - or_zero(call('HGET', keys.numbers, 'kept_ms'))) < 60000 then
    return
  end
  call('HSET', keys.numbers, 'kept_ms', string.format('%d', until_ms))
  for _, key in ipairs(keys.all) do
    call('PEXPIREAT', key, string.format('%d', until_ms))
  end
end

return keep_queue
