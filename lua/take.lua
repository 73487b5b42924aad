-- The fast lane of charges that demand more than rates: quotas, permits, congestion, overflow, a
-- reservation. Each takes all of its demands, or nothing. Charges that need a queue are handed back
-- untouched; queue.lua decides those.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   then   the states of keys, tenants and the cluster, each once
--   then   all other keys that the charges may touch, in any order: <state>:counters,
--          <state>:permits:<limit>, <state>:hold:<id>, and weir:holds, the index of open
--          reservations; on a Redis Cluster weir:{pNN}:holds
-- ARGV
--   1      not_after, as of charge.lua, and 2 bytes: the number of states. Then the charges,
--          packed, 19 bytes for each
--            template   2 bytes: which argument holds it
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 if it is not needed
--            cluster    2 bytes: the same of the cluster
--            others     2 bytes: which argument holds the demands other than rates, 0 for none
--            hold       2 bytes: which argument holds the hold of the request, 0 for none
--   then   templates, as of charge.lua; demands other than rates, as of lib/kinds/others_of.lua; and
--          holds of requests, as of hold_of in lib/kinds/mixed.lua
-- RETURNS
--   { clock_us }                  not_after has passed: nothing was taken
--   { clock_us, answer... }       for each charge, in order
--     { ALLOWED, ... }            as of lib/kinds/mixed.lua; the units used of buckets include the cost
--     { DENIED, ..., wait_us, 1 } the same without it; the wait until the last limit has room, an
--                                 estimate
--     { NEVER_ALLOWED, ... }      a limit never has room
--     { QUEUED }                  nothing was taken: ask queue.lua
--     { STALE, revision }         a newer revision was published: nothing was taken
--     { OUTSIDE }                 the periods of a quota in the arguments do not include this
--                                 instant
--     { AGAIN, used... }          the reservation already exists: nothing more was taken
--     { ENDED }                   the reservation existed, and has ended
--     { REUSED }                  a reservation of this id exists for another request
--     { FAILED, text }            the data in Redis cannot be read
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   states as of charge.lua; counters until the last window ends; permits one to two hours after
--   the last use; a reservation one hour after it expires

local new_ledger = require('kinds/ledger').new_ledger
local write_counters = require('kinds/ledger_write').write_counters
local charge_all = require('kinds/charges')
local clock = require('now')
local keep_learned = require('state/policy_of').keep_learned
local policy_of = require('state/policy_of').policy_of
local values_of = require('state/values_of')
local write_states = require('state/write_states')

local now_us = clock(ARGV)
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local last, policy, ledger = 1 + state_count, policy_of(redis.call, KEYS[1]), new_ledger()
local states = { values = values_of(redis.call, KEYS, last), heads = {}, texts = {}, times = {}, queued = {} }
local lane = { call = redis.call, states = states, ledger = ledger, policy = policy,
  holds_index = string.gsub(KEYS[1], 'policy$', 'holds') }
local answers = charge_all(lane, KEYS, ARGV, now_us)
keep_learned(redis.call, policy)
write_counters(ledger, redis.call)
write_states(redis.call, KEYS, last, states)
return answers
