-- Returns what the nodes have stored in the last ten seconds: each of them stores the last minute, every two seconds.
--
-- KEYS
--   1      weir:top       hash, as of top_put.lua
-- ARGV
--   none
-- RETURNS
--   node, text, ...       of each node; the text without its instant
-- ERRORS
--   none
-- TTL
--   writes no key

local clock = require('now')

local TOLD_MS = 10000

local now_ms = clock(ARGV)(1) / 1000
local stored, answer = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #stored, 2 do
  local at_ms, text = string.match(stored[i + 1], '^(%d+) (.*)$')
  if at_ms and now_ms - at_ms < TOLD_MS then
    answer[#answer + 1], answer[#answer + 2] = stored[i], text
  end
end
return answer
