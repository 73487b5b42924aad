-- Claims an item of a batch, so that nobody else executes it, or says what became of it.
--
-- KEYS
--   1 a hash: token, until_us, fingerprint, answer
-- ARGV
--   1 token        text: who claims it
--   2 fingerprint  text: of what is asked
--   3 lease_us     microseconds, 1 to 4e9: how long its execution takes at most
--   4 keep_ms      milliseconds, 1 to 8.64e7: how long it is remembered
--   5 repeatable   1 where it may be executed again though nobody knows what became of it, else 0
-- RETURNS
--   { CLAIMED, 0, '' }       it is the caller's to execute
--   { DONE, 0, answer }      it was executed, with that answer
--   { BUSY, wait_us, '' }    another one executes it, for so long at most
--   { UNKNOWN, 0, '' }       whoever executed it ended without an answer
--   { OTHER, 0, '' }         something else was asked by that key
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   keep_ms from the end of each claim's lease on

--@include now

local CLAIMED, DONE, BUSY, UNKNOWN, OTHER = 0, 1, 2, 3, 4

local token, fingerprint = ARGV[1], ARGV[2]
local lease_us, keep_ms, repeatable = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
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
redis.call('HSET', KEYS[1], 'token', token, 'until_us', string.format('%d', now + lease_us),
  'fingerprint', fingerprint)
redis.call('PEXPIRE', KEYS[1], keep_ms + math.ceil(lease_us / 1000))
return { CLAIMED, 0, '' }
