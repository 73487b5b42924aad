-- Decides charges that demand more than rates: quotas, permits, congestion, overflow, a reservation.
-- Each takes all of its demands, or nothing; a denial by rates may make a place.
--
-- KEYS
--   1      weir:policy or its copy, as of charge.lua
--   then   the states of keys, tenants and the cluster, each once
--   then   all other keys that the charges may touch, in any order: <state>:tickets,
--          <state>:counters, <state>:permits:<limit>, <state>:hold:<id>, and weir:holds, the index of
--          open reservations; on a Redis Cluster weir:{pNN}:holds
-- ARGV
--   1      not_after and the number of states, as of charge.lua. Then the charges, packed, 30 bytes
--          for each
--            template   2 bytes: which argument holds it
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 if it is not needed
--            cluster    2 bytes: the same of the cluster
--            others     2 bytes: which argument holds the demands other than rates, 0 for none
--            hold       2 bytes: which argument holds the hold of the request, 0 for none
--            ticket     2 bytes: which argument holds the ticket data of the caller, 0 for none
--            tickets    2 bytes: which of KEYS is the bitmap of the key's tickets, 0 for none
--            least      7 bytes, below the cost: the least of it that is taken; 0 for all or nothing
--   then   templates and ticket data, as of charge.lua; demands other than rates, as of
--          lib/kinds/others_of.lua; and holds of requests, as of hold_of in lib/kinds/mixed.lua
-- RETURNS
--   { clock_us }                  not_after has passed: nothing was taken
--   { clock_us, answer... }       for each charge, in order
--     { ALLOWED, ... }            as of lib/kinds/mixed.lua; the units used of buckets include the cost;
--                                 then, if rates needed the long way, what charge.lua says behind them
--     { DENIED, ..., wait_us, 1 } the same without it, if a limit other than a rate is full; the wait
--                                 until the last limit has room, an estimate
--     { DENIED, ... }             if rates are full: what charge.lua says behind the units used
--     { NEVER_ALLOWED, ... }      a limit never has room
--     { STALE, revision }         a newer revision was published: nothing was taken
--     { OUTSIDE }                 the periods of a quota in the arguments do not include this
--                                 instant
--     { AGAIN, used..., cost }    the reservation already exists, at this cost: nothing more was taken
--     { ENDED }                   the reservation existed, and has ended
--     { REUSED }                  a reservation of this id exists for another request
--     { FAILED, text }            the data in Redis cannot be read
--     { LATER }                   the call has done enough: nothing was taken, ask again; for each of
--                                 the charges behind, too
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   states and tickets as of charge.lua; counters until the last window ends; permits one to two hours
--   after the last use; a reservation one hour after it expires

local new_ledger = require('kinds/ledger').new_ledger
local write_counters = require('kinds/ledger_write').write_counters
local charge_all = require('kinds/charges').charge_all
local clock = require('now')
local keep_learned = require('state/policy_of').keep_learned
local policy_of = require('state/policy_of').policy_of
local new_states = require('state/states').new_states
local values_of = require('state/values_of')
local write_states = require('state/write_states')

local now_us = clock(ARGV)
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local last = 1 + state_count
local states = new_states(values_of(redis.call, KEYS, last))
local lane = { call = redis.call, sha1 = redis.sha1hex, keys = KEYS, arguments = ARGV, states = states,
  ledger = new_ledger(), effort = 0, policy = policy_of(redis.call, KEYS[1]),
  holds_index = string.gsub(KEYS[1], 'policy$', 'holds') }
local answers = charge_all(lane, now_us)
keep_learned(redis.call, lane.policy)
write_counters(lane.ledger, redis.call)
write_states(redis.call, KEYS, last, states)
return answers
