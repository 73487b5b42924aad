-- Stores a candidate for the policy, which nodes decide beside the one in force, in place of the one before.
--
-- KEYS
--   1      weir:rehearsal  hash: id, by, since, until (milliseconds), document
-- ARGV
--   1      id              text: other for each candidate
--   2      by              text: the operator
--   3      lasts_ms        whole number > 0
--   4      document        text: the policy
-- RETURNS
--   { since_ms, until_ms }
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   until its end

local clock = require('now')

local lasts_ms = tonumber(ARGV[3])
local since_ms = math.floor(clock(ARGV)(1) / 1000)
local until_ms = since_ms + lasts_ms
redis.call('DEL', KEYS[1])
redis.call(
  'HSET', KEYS[1], 'id', ARGV[1], 'by', ARGV[2], 'since', string.format('%d', since_ms),
  'until', string.format('%d', until_ms), 'document', ARGV[4]
)
redis.call('PEXPIRE', KEYS[1], lasts_ms)
return { since_ms, until_ms }
