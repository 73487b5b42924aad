-- What is under way to an upstream: a sorted set of `<request> <provider>` by when each lease ends, and in the hash how
-- many there are of each provider. `call` runs a command.

local function count_of_provider(call, keys, provider, more)
  local count = call('HINCRBY', keys[1], 'busy:' .. provider, more)
  if count <= 0 then
    call('HDEL', keys[1], 'busy:' .. provider)
  end
end

-- Ends a request; gives 1 where it was there, else 0.
local function end_inflight(call, keys, id, provider)
  local was_there = call('ZREM', keys[2], id .. ' ' .. provider)
  if was_there == 1 then
    count_of_provider(call, keys, provider, -1)
  end
  return was_there
end
