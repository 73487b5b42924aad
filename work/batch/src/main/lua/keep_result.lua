-- Stores the answer of an item of a batch, or releases its claim.
--
-- KEYS
--   1 a hash, as of claim.lua
--   2 a number, as of claim.lua
-- ARGV
--   1 token    text: identifies the claim
--   2 answer   text; empty to release the claim
--   3 keep_ms  milliseconds, 1 to 8.64e7: how long the answer is kept
-- RETURNS
--   { KEPT }   stored or released
--   { LOST }   the item is not, or no longer, claimed by this token: nothing has changed
-- ERRORS
--   only those of wrong arguments
-- TTL
--   keep_ms

local BYTES_OF_CLAIM = require('counted_bytes').BYTES_OF_CLAIM
local count_bytes = require('counted_bytes').count_bytes

local KEPT, LOST = 0, 1

local token, answer, keep_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('HGET', KEYS[1], 'token') ~= token then
  return { LOST }
end
if answer == '' then
  redis.call('DEL', KEYS[1])
  if redis.call('EXISTS', KEYS[2]) == 1 then
    redis.call('DECRBY', KEYS[2], BYTES_OF_CLAIM)
  end
  return { KEPT }
end
redis.call('HSET', KEYS[1], 'answer', answer)
redis.call('PEXPIRE', KEYS[1], keep_ms)
count_bytes(redis.call, KEYS[2], #answer, keep_ms)
return { KEPT }
