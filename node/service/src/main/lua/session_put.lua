-- Keeps the session of an operator's browser. If there are too many, the oldest of this operator ends, or of the one
-- who has the most: no operator ends those of all others.
--
-- KEYS
--   1      weir:sessions  hash: by the name of a session "<end, in milliseconds> <operator> <sealed token>"
-- ARGV
--   1      name             of the session
--   2      operator         without a space
--   3      sealed           text: the token, encrypted
--   4      before           the name of the session that this one replaces; '' for none
--   5      lasts_ms         whole number > 0
--   6      most             sessions
--   7      most_of_operator sessions of one operator
-- RETURNS
--   { ended }               the number of sessions that ended for this one, with those that were over
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lasts_ms: until the end of the newest session

local clock = require('now')

local name, operator, before = ARGV[1], ARGV[2], ARGV[4]
local lasts_ms = tonumber(ARGV[5])
local most, most_of_operator = tonumber(ARGV[6]), tonumber(ARGV[7])
local now_ms = math.floor(clock(ARGV)(1) / 1000)
local stored = redis.call('HGETALL', KEYS[1])
local gone, open, counts = {}, {}, {}

local function add(field, text)
  local end_ms, owner = string.match(text, '^(%d+) (%S+) ')
  end_ms = tonumber(end_ms or 0)
  if end_ms <= now_ms or field == before or field == name then
    gone[#gone + 1] = field
    return
  end
  open[#open + 1] = { name = field, operator = owner, end_ms = end_ms }
  counts[owner] = (counts[owner] or 0) + 1
end

local function with_most()
  local found = open[1].operator
  for _, session in ipairs(open) do
    if counts[session.operator] > counts[found] then
      found = session.operator
    end
  end
  return found
end

local function end_oldest_of(owner)
  local oldest
  for _, session in ipairs(open) do
    if session.operator == owner and (not oldest or session.end_ms < oldest.end_ms) then
      oldest = session
    end
  end
  gone[#gone + 1] = oldest.name
end

for i = 1, #stored, 2 do
  add(stored[i], stored[i + 1])
end
if (counts[operator] or 0) >= most_of_operator then
  end_oldest_of(operator)
elseif #open >= most then
  end_oldest_of(with_most())
end

if #gone > 0 then
  redis.call('HDEL', KEYS[1], unpack(gone))
end
redis.call('HSET', KEYS[1], name, string.format('%.0f %s %s', now_ms + lasts_ms, operator, ARGV[3]))
redis.call('PEXPIRE', KEYS[1], lasts_ms)
return { #gone }
