-- Returns what the nodes have stored in the last two minutes, and forgets what is older.
--
-- KEYS
--   1      weir:top       hash, as of top_put.lua
-- ARGV
--   none
-- RETURNS
--   node, text, ...       of each node; the text without its instant
-- ERRORS
--   only those of a Redis that accepts no writes
-- TTL
--   unchanged

local clock = require('now')

local LIVES_MS = 120000

local now_ms = clock(ARGV)(1) / 1000
local stored, answer = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #stored, 2 do
  local at_ms, text = string.match(stored[i + 1], '^(%d+) (.*)$')
  if at_ms and now_ms - at_ms < LIVES_MS then
    answer[#answer + 1], answer[#answer + 2] = stored[i], text
  else
    redis.call('HDEL', KEYS[1], stored[i])
  end
end
return answer
