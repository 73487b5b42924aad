-- Replaces the description of a node, which outlives it for an hour. Once per minute of its node it removes the records
-- that are older, and the oldest ones of too many.
--
-- KEYS
--   1      weir:nodes:seen hash: by the name of a node its description, after the instant in milliseconds and a space
-- ARGV
--   1      node           text: its name
--   2      text           JSON
--   3      lives_ms       whole number > 0: so long a record outlives its node
--   4      most           whole number > 0: records
-- RETURNS
--   { removed }           the number of removed records
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lives_ms from now on

local clock = require('now')

local MINUTE_MS = 60000

local node, lives_ms, most = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local now_ms = math.floor(clock(ARGV)(1) / 1000)

local function seen_ms(text)
  return tonumber(string.match(text or '', '^%d+')) or 0
end

local function too_many()
  local stored, kept, gone = redis.call('HGETALL', KEYS[1]), {}, {}
  for i = 1, #stored, 2 do
    local record = { node = stored[i], seen_ms = seen_ms(stored[i + 1]) }
    if record.node ~= node then
      local list = now_ms - record.seen_ms > lives_ms and gone or kept
      list[#list + 1] = record
    end
  end
  table.sort(kept, function(one, other)
    return one.seen_ms > other.seen_ms
  end)
  for i = most, #kept do
    gone[#gone + 1] = kept[i]
  end
  return gone
end

local before_ms = seen_ms(redis.call('HGET', KEYS[1], node))
local gone = {}
if math.floor(before_ms / MINUTE_MS) ~= math.floor(now_ms / MINUTE_MS) then
  gone = too_many()
end
for _, record in ipairs(gone) do
  redis.call('HDEL', KEYS[1], record.node)
end
redis.call('HSET', KEYS[1], node, string.format('%.0f ', now_ms) .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], lives_ms)
return { #gone }
