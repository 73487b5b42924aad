-- The requests under way to an upstream: a sorted set of `<request> <provider>` by the end of each
-- lease, and in the upstream's state a count for each provider. `call` runs a command.

local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number

local function count_of_provider(state, provider, more)
  local count = (number_in(state, 'busy:' .. provider) or 0) + more
  put_number(state, 'busy:' .. provider, count > 0 and count or nil)
end

-- Ends a request; returns 1 if it was under way, else 0.
local function end_inflight(call, key, state, id, provider)
  local was_there = call('ZREM', key, id .. ' ' .. provider)
  if was_there == 1 then
    count_of_provider(state, provider, -1)
  end
  return was_there
end

return { count_of_provider = count_of_provider, end_inflight = end_inflight }
