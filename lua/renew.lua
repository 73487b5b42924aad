-- Renews the lease of a request's hold, from now. A permit or reservation that has expired or ended
-- is no longer held.
--
-- KEYS
--   1      <state of the key>:hold:<id>
--   2      weir:holds, or the index of its partition
--   then   <state>:permits:<limit>, of each permit
-- ARGV
--   1      the id of the hold
--   2      length of a lease, in microseconds
--   3      1 if there is a reservation, else 0
-- RETURNS
--   { held }   1 if all of it is held, 0 if a part is not
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   permits and reservations one hour after the lease

local LEASED = require('leased')
local clock = require('now')

local now_us = clock(ARGV)

local KEPT_US = 3600000000
local id, lease_us, reserves = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'
local now = now_us(1)
local until_us, kept_ms = now + lease_us, math.ceil((now + lease_us + KEPT_US) / 1000)

local function renew_permit(key)
  if not LEASED.renew(redis.call, key, KEYS[1], until_us, now)
    and not LEASED.renew(redis.call, key, id, until_us, now) then -- a generated id
    return false
  end
  if redis.call('PTTL', key) < kept_ms - now / 1000 then
    redis.call('PEXPIREAT', key, string.format('%d', kept_ms))
  end
  return true
end

local function renew_reservation()
  local text = redis.call('GET', KEYS[1])
  local expires_us, rest = string.match(text or '', '^open (%d+)( .*)$')
  if not expires_us or tonumber(expires_us) <= now then
    return false
  end
  redis.call('SET', KEYS[1], string.format('open %d', until_us) .. rest, 'PXAT', string.format('%d', kept_ms))
  LEASED.hold(redis.call, KEYS[2], KEYS[1], until_us)
  return true
end

local is_held = true
for i = 3, #KEYS do
  is_held = renew_permit(KEYS[i]) and is_held
end
if reserves then
  is_held = renew_reservation() and is_held
end
return { is_held and 1 or 0 }
