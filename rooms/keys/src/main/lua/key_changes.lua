-- Names the records that have changed since a look, and tells the time.
--
-- KEYS
--   1      weir:keys            hash, as of key_put.lua
--   2      weir:keys:changes    list, as of key_put.lua
-- ARGV
--   1      epoch      that was seen; '' if there was none
--   2      seq        the number of the last change that was seen; 0 without one, -1 before the first look
--   3      most       names to return
-- RETURNS
--   { CHANGED, epoch, seq, now_us, left, name, ... }   the changes after seq, none or more, up to the new
--                                                      seq; left counts those that come after them
--   { LOST, epoch, seq, now_us, 0 }                    the changes after seq are not known: Redis has lost
--                                                      them, or there were too many
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local clock = require('now')

local CHANGED, LOST = 0, 1

local now_us = clock(ARGV)
local seen_epoch, seen, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local epoch = redis.call('HGET', KEYS[1], 'epoch') or ''
local last = tonumber(redis.call('HGET', KEYS[1], 'seq') or 0)
local kept = redis.call('LLEN', KEYS[2])
local is_new = seen_epoch == '' and seen == 0
local new = is_new and kept or last - seen
if epoch ~= seen_epoch and not is_new or new < 0 or new > kept then
  return { LOST, epoch, last, now_us(1), 0 }
end

local told = math.min(new, most)
local answer = { CHANGED, epoch, last - new + told, now_us(1), new - told }
if told > 0 then
  for _, name in ipairs(redis.call('LRANGE', KEYS[2], -new, told - new - 1)) do
    answer[#answer + 1] = name
  end
end
return answer
