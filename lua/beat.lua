-- Registers a heartbeat of a node, and counts the nodes that are alive.
--
-- KEYS
--   1      weir:nodes    sorted set: each node by the millisecond of its last heartbeat
-- ARGV
--   1      node        text: the node's name; '-' and its name if it ends
--   2      lasts_ms    integer, above 0: a node without a heartbeat for so long is not alive
-- RETURNS
--   how many nodes are alive
-- ERRORS
--   only those of wrong arguments
-- TTL
--   as long as a node lasts

local clock = require('now')

local now_us = clock(ARGV)

local node, lasts_ms = ARGV[1], tonumber(ARGV[2])
local now_ms = math.floor(now_us(1) / 1000)
if string.sub(node, 1, 1) == '-' then
  redis.call('ZREM', KEYS[1], string.sub(node, 2))
else
  redis.call('ZADD', KEYS[1], now_ms, node)
  redis.call('PEXPIRE', KEYS[1], lasts_ms)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - lasts_ms)
-- After the clock was set back, nodes with later instants would stay alive: remove them.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now_ms, '+inf')
return redis.call('ZCARD', KEYS[1])
