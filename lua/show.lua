-- Shows the state of a key, a tenant or the cluster in words, as HGETALL shows a hash:
--   redis-cli --eval lua/show.lua 'weir:{acme}:key:k1'
--
-- KEYS
--   1      the state
-- ARGV
--   none
-- RETURNS
--   field, value, ...                    at_us, revision, expires_ms, and each field of the state
--   nothing                              there is no such state: its buckets are empty
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

local value = redis.call('GET', KEYS[1])
if not value then
  return {}
end
local count, at_us, revision, expires_ms, at = struct.unpack('>I2I7I7I6', value)
local shown = { 'at_us', string.format('%d', at_us), 'revision', string.format('%d', revision),
  'expires_ms', string.format('%d', expires_ms) }
local fields = string.gmatch(string.sub(value, at + 7 * count), '%S+')
for i = 1, count do
  shown[#shown + 1] = fields()
  shown[#shown + 1] = string.format('%d', (struct.unpack('>I7', value, at + 7 * (i - 1))))
end
return shown
