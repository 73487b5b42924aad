-- Claims an item of a batch, so that no other node executes it, or returns its outcome.
--
-- KEYS
--   1 a hash: token, until_us, fingerprint, answer
--   2 a number: bytes of the API key in such hashes, counted since this number was created
-- ARGV
--   1 token        text: identifies the claim
--   2 fingerprint  text: of the request
--   3 lease_us     microseconds, 1 to 4e9: the longest time of an execution
--   4 keep_ms      milliseconds, 1 to 8.64e7: how long it is kept
--   5 repeatable   1 if it may be executed again when its outcome is unknown, else 0
--   6 max_bytes    bytes, 0 to 2^53-1: the limit of the API key
-- RETURNS
--   { CLAIMED, 0, '' }       the caller executes it
--   { DONE, 0, answer }      it was executed, with that answer
--   { BUSY, wait_us, '' }    another claim executes it, for at most wait_us
--   { UNKNOWN, 0, '' }       its execution ended without an answer
--   { OTHER, 0, '' }         the key was used for another request
--   { FULL, wait_us, '' }    the API key is over its limit; there may be room after wait_us
-- ERRORS
--   only those of wrong arguments
-- TTL
--   keep_ms after the end of each claim's lease; the number keep_ms after its creation

local BYTES_OF_CLAIM = require('counted_bytes').BYTES_OF_CLAIM
local count_bytes = require('counted_bytes').count_bytes
local clock = require('now')

local now_us = clock(ARGV)

local CLAIMED, DONE, BUSY, UNKNOWN, OTHER, FULL = 0, 1, 2, 3, 4, 5

local token, fingerprint = ARGV[1], ARGV[2]
local lease_us, keep_ms, repeatable, max_bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6])
local held = redis.call('HMGET', KEYS[1], 'token', 'until_us', 'fingerprint', 'answer')
local now = now_us()

if held[3] and held[3] ~= fingerprint then
  return { OTHER, 0, '' }
end
if held[4] then
  return { DONE, 0, held[4] }
end
if held[1] and now < tonumber(held[2]) then
  return { BUSY, tonumber(held[2]) - now, '' }
end
if held[1] and not repeatable then
  return { UNKNOWN, 0, '' }
end
if not held[1] then
  if tonumber(redis.call('GET', KEYS[2]) or 0) >= max_bytes then
    local wait_ms = max_bytes > 0 and math.max(redis.call('PTTL', KEYS[2]), 1000) or 1000
    return { FULL, wait_ms * 1000, '' }
  end
  count_bytes(redis.call, KEYS[2], BYTES_OF_CLAIM, keep_ms)
end
redis.call('HSET', KEYS[1], 'token', token, 'until_us', string.format('%d', now + lease_us),
  'fingerprint', fingerprint)
redis.call('PEXPIRE', KEYS[1], keep_ms + math.ceil(lease_us / 1000))
return { CLAIMED, 0, '' }
