-- Replaces the policy with its successor.
--
-- KEYS
--   1      weir:policy
-- ARGV
--   1      expected    integer, 0 to 2^53-1: the revision that must be there, 0 for none
--   2      revision    integer, above expected
--   3      name        text: the name of the document in messages
--   4      document    text: the policy, YAML or JSON
--   5      digest      text: the SHA-256 of the document
--   6      bursts      text: <bucket>@<rate> <burst in ms>, a line for each bucket, for readers of
--                      states
--   7      limits      text: <limit> quota <operations> or <limit> permits <requests>, a line for
--                      each, likewise
-- RETURNS
--   { PUBLISHED, revision }
--   { OUTDATED, revision }     the stored revision is this other one; nothing was written
-- ERRORS
--   only those of wrong arguments
-- TTL
--   none: the policy stays until the next one

local PUBLISHED, OUTDATED = 0, 1

local expected = tonumber(ARGV[1])
local revision = tonumber(ARGV[2])
local name = ARGV[3]
local document = ARGV[4]
local digest = ARGV[5]
local bursts = ARGV[6]
local limits = ARGV[7]

local present = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
if present < expected or present > expected then
  return { OUTDATED, present }
end
redis.call('HSET', KEYS[1], 'revision', revision, 'name', name, 'document', document, 'digest', digest,
  'bursts', bursts, 'limits', limits)
return { PUBLISHED, revision }
