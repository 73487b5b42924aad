-- Names the records that have changed since a look, and tells the time.
--
-- A place in the list is a number and the version there: a list that has another version at that place, or ends
-- before it, is of an older copy, whatever was written since.
--
-- KEYS
--   1      weir:keys            hash, as of key_put.lua
--   2      weir:keys:changes    list, as of key_put.lua
-- ARGV
--   1      epoch      that was seen; '' if there was none
--   2      seq        the number of the last change that was seen; 0 without one, -1 before the first look
--   3      version    of that change; 0 without one
--   4      most       changes to return
-- RETURNS
--   { CHANGED, epoch, seq, version, newest, now_us, left, change, ... }   the changes after seq, none or more, up
--                                  to the new seq and its version; left counts those that come after them; newest
--                                  is the highest version of all
--   { MISSED, epoch, seq, version, newest, now_us, 0 }     there were more changes than are kept
--   { REWOUND, epoch, seq, version, newest, now_us, 0 }    this copy does not have what was seen
--   { LOST, epoch, seq, version, newest, now_us, 0 }       this is another list than was seen, or there is none
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local CHANGED, MISSED, REWOUND, LOST = 0, 1, 2, 3

local now_us = clock(ARGV)
local seen_epoch, seen, seen_version, most = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local log = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'newest')
local epoch, last, newest = log[1] or '', tonumber(log[2] or 0), tonumber(log[3] or 0)
local kept = redis.call('LLEN', KEYS[2])

-- The version of a change, by its place from the end.
local function version(from_end)
  local line = redis.call('LINDEX', KEYS[2], from_end)
  return line and string.match(line, '^%S+ (%d+)') or '0'
end

local function without_changes(status)
  return { status, epoch, last, version(-1), newest, now_us(1), 0 }
end

local is_new = seen_epoch == '' and seen == 0
local new = is_new and kept or last - seen
if epoch ~= seen_epoch and not is_new then
  return without_changes(LOST)
end
if new < 0 or new < kept and seen > 0 and version(-new - 1) ~= seen_version then
  return without_changes(REWOUND)
end
if new > kept then
  return without_changes(MISSED)
end

local told = math.min(new, most)
local lines = told > 0 and redis.call('LRANGE', KEYS[2], -new, told - new - 1) or {}
local at = told > 0 and version(told - new - 1) or seen_version
local answer = { CHANGED, epoch, last - new + told, at, newest, now_us(1), new - told }
for _, line in ipairs(lines) do
  answer[#answer + 1] = line
end
return answer
