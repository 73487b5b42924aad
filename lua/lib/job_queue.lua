-- What is told of a queue. Uses job_keys. `call` runs a command.
local function or_zero(number)
  return tonumber(number or 0) or 0
end

-- { now, waiting, dispatch, checking, running, check_us, processing_us }
local function queue_view(call, keys, now)
  local seen = call('HMGET', keys.numbers, 'check_us', 'processing_us')
  return { now, call('ZCARD', keys.waiting), call('ZCARD', keys.dispatch), call('ZCARD', keys.checking),
    call('ZCARD', keys.running), or_zero(seen[1]), or_zero(seen[2]) }
end
