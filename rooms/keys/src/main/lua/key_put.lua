-- Writes or removes a record, if it is still as its writer has seen it; and leaves its line in the index, in
-- the list of changes and in the audit.
--
-- KEYS
--   1      weir:{p}:apikey:<id>     hash: the record
--   2      weir:{p}:apikeys:<n>     sorted set: the members of a part of the index, each with the score 0
--   3      weir:keys                hash: epoch, the microsecond of its begin; seq, the number of the last change
--   4      weir:keys:changes        list: the names of the last changed records
--   5      weir:keys:audit          stream: the last changes, for people
-- ARGV
--   1      version      of the record that the writer has seen; 0 for none
--   2      name         of the record in the list of changes
--   3      member       of the record in the index
--   4      who          changes it; '' for a change without a line of audit
--   5      what         the verb
--   6, 7   before and after, as JSON; '' for none
--   8      most         lines of audit
--   9...   field and value, alternating, without the version; none removes the record
-- RETURNS
--   { DONE, version }        the record's new version
--   { CHANGED, version }     the record has another version, 0 for none; nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none: records are removed by operators alone

local clock = require('now')
local record_change = require('key_change')

local DONE, CHANGED = 0, 1

local now_us = clock(ARGV)
local name, member, who = ARGV[2], ARGV[3], ARGV[4]
local seen = tonumber(ARGV[1])
local fields = {}
for i = 9, #ARGV do
  fields[#fields + 1] = ARGV[i]
end

local stored = tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if stored ~= seen then
  return { CHANGED, stored }
end

local version = record_change(redis.call, KEYS[3], KEYS[4], name, now_us(1))
redis.call('DEL', KEYS[1])
if #fields > 0 then
  redis.call('HSET', KEYS[1], 'version', version, unpack(fields))
  redis.call('ZADD', KEYS[2], 0, member)
else
  redis.call('ZREM', KEYS[2], member)
end
if who ~= '' then
  redis.call('XADD', KEYS[5], 'MAXLEN', '~', ARGV[8], '*', 'who', who, 'what', ARGV[5], 'record', name,
    'before', ARGV[6], 'after', ARGV[7])
end
return { DONE, version }
