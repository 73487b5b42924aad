-- Returns the answer that a newcomer would get, and changes nothing.
--
-- KEYS
--   as of take.lua
-- ARGV
--   as of take.lua, for one charge; tickets are ignored
-- RETURNS
--   { clock_us, answer }
--   { ALLOWED, used..., 0, 0 }   per demand the units used, without the cost
--   { DENIED, used..., wait_us, 1, 0, 0, '' }   per demand the units used, with all that is due or left to others
--   { NEVER_ALLOWED, used... }   a cost is above its capacity
--   { STALE, revision }          a newer revision was published or has decided
--   { FAILED, text }             the data in Redis cannot be read
--   of charges of several kinds also as take.lua: { OUTSIDE }, { AGAIN, used..., cost }, { ENDED }, {
--   REUSED }
-- ERRORS
--   only those of wrong arguments
-- TTL
--   writes no key

local peek = require('kinds/peek')
local new_ledger = require('kinds/ledger').new_ledger
local clock = require('now')
local policy_of = require('state/policy_of').policy_of
local new_states = require('state/states').new_states
local values_of = require('state/values_of')

local now_us = clock(ARGV)
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local values = values_of(redis.call, KEYS, 1 + state_count)
local lane = { call = redis.call, sha1 = redis.sha1hex, keys = KEYS, arguments = ARGV, ledger = new_ledger(),
  effort = 0, policy = policy_of(redis.call, KEYS[1]), states = new_states(values) }
return { now_us(1), peek(lane, now_us(1)) }
