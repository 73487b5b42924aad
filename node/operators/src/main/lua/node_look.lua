-- Returns the descriptions of nodes of the last hour, with their times: of nodes that answer, and of those that have
-- ended without notice; and when one ended with notice last.
--
-- KEYS
--   1      weir:nodes:seen hash, as of node_put.lua
-- ARGV
--   1      lives_ms       whole number > 0: so long a record outlives its node
-- RETURNS
--   { ended_ms, node, seen_ms, text, ... } of each node; ended_ms is 0 if that is longer ago, or never was
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local lives_ms = tonumber(ARGV[1])
local now_ms = math.floor(clock(ARGV)(1) / 1000)
local stored, answer = redis.call('HGETALL', KEYS[1]), { 0 }
for i = 1, #stored, 2 do
  local at_ms, text = string.match(stored[i + 1], '^(%d+) (.*)$')
  if stored[i] == 'ended' then
    local ended_ms = tonumber(stored[i + 1])
    answer[1] = now_ms - ended_ms <= lives_ms and ended_ms or 0
  elseif at_ms and now_ms - at_ms <= lives_ms then
    local last = #answer
    answer[last + 1], answer[last + 2], answer[last + 3] = stored[i], tonumber(at_ms), text
  end
end
return answer
