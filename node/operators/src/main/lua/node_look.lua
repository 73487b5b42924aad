-- Returns the descriptions of nodes of the last hour, with their times: of nodes that answer, and of those that have
-- ended without notice.
--
-- KEYS
--   1      weir:nodes:seen hash, as of node_put.lua
-- ARGV
--   1      lives_ms       whole number > 0: so long a record outlives its node
-- RETURNS
--   { node, seen_ms, text, ... } of each node
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local lives_ms = tonumber(ARGV[1])
local now_ms = math.floor(clock(ARGV)(1) / 1000)
local stored, answer = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #stored, 2 do
  local at_ms, text = string.match(stored[i + 1], '^(%d+) (.*)$')
  if at_ms and now_ms - at_ms <= lives_ms then
    local last = #answer
    answer[last + 1], answer[last + 2], answer[last + 3] = stored[i], tonumber(at_ms), text
  end
end
return answer
