-- Returns the draft of the policy that an operator writes in a session, and the newest one of the other sessions.
--
-- KEYS
--   1      weir:drafts:<operator> hash, as of draft_put.lua
-- ARGV
--   1      session        name; - for none
-- RETURNS
--   { own, other }        each a text, '' for none
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local now_ms = math.floor(clock(ARGV)(1) / 1000)
local stored = redis.call('HGETALL', KEYS[1])
local own, other, last = '', '', now_ms
for i = 1, #stored, 2 do
  local end_ms, text = string.match(stored[i + 1], '^(%d+) (.*)$')
  end_ms = tonumber(end_ms or 0)
  if stored[i] == ARGV[1] and end_ms > now_ms then
    own = text
  elseif stored[i] ~= ARGV[1] and end_ms > last then
    other, last = text, end_ms
  end
end
return { own, other }
