-- Replaces the policy with its successor, and keeps those before it.
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
--   8      by          text: who publishes it, without spaces
--   9      comment     text: why, one line
-- RETURNS
--   { PUBLISHED, revision }
--   { OUTDATED, revision }     the stored revision is this other one; nothing was written
-- ERRORS
--   only those of wrong arguments
-- TTL
--   none: the policy stays until the next one; of those before, the last fifty stay, up to 16 MiB of
--   documents

local PUBLISHED, OUTDATED, MOST, MOST_BYTES = 0, 1, 50, 16777216

local expected = tonumber(ARGV[1])
local revision = tonumber(ARGV[2])
local name = ARGV[3]
local document = ARGV[4]
local digest = ARGV[5]
local bursts = ARGV[6]
local limits = ARGV[7]
local by = ARGV[8]
local comment = ARGV[9]

local present = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
if present < expected or present > expected then
  return { OUTDATED, present }
end

-- Lists the revision before those that are kept, <revision>:<bytes>, and forgets the others.
local function listed()
  local list, count, bytes = string.format('%d:%d', revision, #document), 1, #document
  local before = redis.call('HGET', KEYS[1], 'revisions') or ''
  -- A node of a release without a history leaves its policy out of the list.
  if present > 0 and not string.find(before, string.format('^%d:', present)) then
    before = string.format('%d:%d ', present, redis.call('HSTRLEN', KEYS[1], 'document')) .. before
  end
  for number, size in string.gmatch(before, '(%d+):(%d+)') do
    count, bytes = count + 1, bytes + tonumber(size)
    if count <= MOST and bytes <= MOST_BYTES then
      list = list .. ' ' .. number .. ':' .. size
    else
      redis.call('HDEL', KEYS[1], 'document:' .. number, 'about:' .. number)
    end
  end
  return list
end

if present > 0 then
  redis.call('HSET', KEYS[1], string.format('document:%d', present), redis.call('HGET', KEYS[1], 'document') or '')
end
local revisions, time = listed(), redis.call('TIME')
redis.call('HSET', KEYS[1], 'revision', revision, 'name', name, 'document', document, 'digest', digest,
  'bursts', bursts, 'limits', limits, 'revisions', revisions, string.format('about:%d', revision),
  time[1] .. string.format('%03d', math.floor(time[2] / 1000)) .. ' ' .. by .. ' ' .. comment)
return { PUBLISHED, revision }
