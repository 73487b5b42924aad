-- Writes or removes a record, if it is still as its writer has seen it; and leaves its line in the index, in
-- the list of changes and in the audit.
--
-- KEYS
--   1      weir:{p}:apikey:<id>     hash: the record
--   2      weir:{p}:apikeys:<n>     sorted set: the members of a part of the index, each with the score 0
--   3      weir:keys                hash: epoch, the microsecond of its begin; seq, the number of changes; newest,
--                                   the highest version; uncertain, the microsecond until which nothing changes
--   4      weir:keys:changes        list: the last changes, each "<name> <version>", or "<name> <version> gone"
--   5      weir:keys:gone           sorted set: the names of records removed in the last hour, by version
--   6      weir:keys:audit          stream: the last changes, for people
-- ARGV
--   1      version      of the record that the writer has seen; 0 for none
--   2      highest      version that the writer has seen in this part of the shared state
--   3      name         of the record in the list of changes
--   4      member       of the record in the index
--   5      who          changes it; '' for a change without a line of audit
--   6      what         the verb
--   7, 8   before and after, as JSON; '' for none
--   9      most         lines of audit
--   10...  field and value, alternating, without the version; none removes the record
-- RETURNS
--   { DONE, version }        the record's new version
--   { CHANGED, version }     the record has another version, 0 for none; nothing was written
--   { UNCERTAIN, 0 }         Redis has come back with another copy, and nodes still put back what it lacks;
--                            nothing was written
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   none: records are removed by operators alone

local clock = require('now')
local change = require('key_change')

local DONE, CHANGED, UNCERTAIN = 0, 1, 2

local now_us = clock(ARGV)
local name, member, who = ARGV[3], ARGV[4], ARGV[5]
local seen, highest = tonumber(ARGV[1]), tonumber(ARGV[2])
local fields = {}
for i = 10, #ARGV do
  fields[#fields + 1] = ARGV[i]
end

if change.is_uncertain(redis.call, KEYS[3], now_us(1)) then
  return { UNCERTAIN, 0 }
end
local stored = tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if stored ~= seen then
  return { CHANGED, stored }
end

local version = change.begin(redis.call, KEYS[3], now_us(1), highest)
redis.call('DEL', KEYS[1])
if #fields > 0 then
  redis.call('HSET', KEYS[1], 'version', version, unpack(fields))
  redis.call('ZADD', KEYS[2], 0, member)
else
  redis.call('ZREM', KEYS[2], member)
end
change.note(redis.call, KEYS[3], KEYS[4], KEYS[5], name, version, #fields == 0)
if who ~= '' then
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', ARGV[9], '*', 'who', who, 'what', ARGV[6], 'record', name,
    'before', ARGV[7], 'after', ARGV[8])
end
return { DONE, tonumber(version) }
