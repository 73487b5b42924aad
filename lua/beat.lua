-- Says that a node is alive, and counts those that are.
--
-- KEYS
--   1      weir:nodes    sorted set: each node by the millisecond at which it was last heard of
-- ARGV
--   1      node        text: the node's name, or '-' and its name where it ends
--   2      lasts_ms    integer, above 0: a node that was not heard of for so long is not alive
-- RETURNS
--   how many nodes are alive
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   as long as a node lasts

--@include now

local node, lasts_ms = ARGV[1], tonumber(ARGV[2])
local now_ms = math.floor(now_us(1) / 1000)
if string.sub(node, 1, 1) == '-' then
  redis.call('ZREM', KEYS[1], string.sub(node, 2))
else
  redis.call('ZADD', KEYS[1], now_ms, node)
  redis.call('PEXPIRE', KEYS[1], lasts_ms)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - lasts_ms)
-- Where the clock went back, those of the future are not alive for ever.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now_ms, '+inf')
return redis.call('ZCARD', KEYS[1])
