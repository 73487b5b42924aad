-- The part of an answer that describes a queue. `call` runs a command.

local or_zero = require('or_zero')

-- { now, waiting, dispatch, checking, running, check_us, processing_us }
local function queue_view(call, keys, now)
  local seen = call('HMGET', keys.numbers, 'check_us', 'processing_us')
  return { now, call('ZCARD', keys.waiting), call('ZCARD', keys.dispatch), call('ZCARD', keys.checking),
    call('ZCARD', keys.running), or_zero(seen[1]), or_zero(seen[2]) }
end

return queue_view
