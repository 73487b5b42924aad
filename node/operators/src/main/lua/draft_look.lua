-- Returns the draft of the policy that an operator writes.
--
-- KEYS
--   1      weir:draft:<operator> text, as of draft_put.lua
-- ARGV
--   none
-- RETURNS
--   {}                    there is none
--   { text }
-- ERRORS
--   none
-- TTL
--   writes no key

local text = redis.call('GET', KEYS[1])
if not text then
  return {}
end
return { text }
