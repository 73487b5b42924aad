-- Claims an item of a batch, so that nobody else executes it, or says what became of it.
--
-- KEYS
--   1 a hash: token, until_us, fingerprint, answer
--   2 a number: bytes that the API key has in such hashes, as far as they were counted since the number is there
-- ARGV
--   1 token        text: who claims it
--   2 fingerprint  text: of what is asked
--   3 lease_us     microseconds, 1 to 4e9: how long its execution takes at most
--   4 keep_ms      milliseconds, 1 to 8.64e7: how long it is remembered
--   5 repeatable   1 where it may be executed again though nobody knows what became of it, else 0
--   6 max_bytes    bytes, 0 to 2^53-1: what the API key may have
-- RETURNS
--   { CLAIMED, 0, '' }       it is the caller's to execute
--   { DONE, 0, answer }      it was executed, with that answer
--   { BUSY, wait_us, '' }    another one executes it, for so long at most
--   { UNKNOWN, 0, '' }       whoever executed it ended without an answer
--   { OTHER, 0, '' }         something else was asked by that key
--   { FULL, wait_us, '' }    the API key has too much; in so long it may have room
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   keep_ms from the end of each claim's lease on; the number keep_ms from when it began

--@include now
--@include counted_bytes

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
