-- Decides several charges as one: each takes its demands if all of them are admitted, and none takes
-- anything if not. Of the denied ones, the one with the longest wait may make a place.
--
-- KEYS
--   as of take.lua; no two charges have a key but the first in common
-- ARGV
--   as of take.lua; charges have no hold, and demand from limits of the key alone
-- RETURNS
--   { clock_us }                  not_after has passed: nothing was taken
--   { clock_us, answer... }       for each charge, in order, as of take.lua
--     { ALLOWED, ... }            taken if all others are ALLOWED, too; if not, nothing was taken, and
--                                 the units used include the cost all the same
--     { DENIED, ... }             an estimate without a ticket, except the one with the longest wait
--     { NEVER_ALLOWED, ... }      a limit never has room
--     { STALE, revision }, { OUTSIDE }, { FAILED, text }   for all charges, if one has this answer
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   as of take.lua

local decide_joined = require('kinds/joined')
local clock = require('now')
local keep_learned = require('state/policy_of').keep_learned
local policy_of = require('state/policy_of').policy_of
local values_of = require('state/values_of')

local now_us = clock(ARGV)
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local call = { call = redis.call, sha1 = redis.sha1hex, keys = KEYS, arguments = ARGV, last = 1 + state_count,
  values = values_of(redis.call, KEYS, 1 + state_count), policy = policy_of(redis.call, KEYS[1]) }
local answers = decide_joined(call, now_us)
keep_learned(redis.call, call.policy)
return answers
