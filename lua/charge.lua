-- The fast lane: charges on states without a queue, in their order; each takes its cost from all of
-- its buckets, or from none. A charge that it cannot decide is handed back untouched, with all
-- later charges on the same states; queue.lua decides those. Equal charges are sent as one with a
-- count.
--
-- KEYS
--   1      weir:policy, for the revision that was published last; on a Redis Cluster
--          weir:{pNN}:policy, the partition's copy of it, which is raised to the newest revision of
--          any charge
--   then   the states of keys, tenants and the cluster, each once
-- ARGV
--   1      not_after, 7 bytes, most significant first: the instant, in microseconds since the
--          epoch, after which nothing in this call is decided; 0 for never. Then the charges,
--          packed, 17 bytes for each
--            template   2 bytes: which argument holds it
--            count      2 bytes, above 0: how many equal charges the entry stands for
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant
--            cluster    2 bytes: the same of the cluster
--   then   templates, packed
--            revision   7 bytes, above 0: the revision of the caller's policy
--            slots      1 byte: 0 reserve, 1 estimate, 2 off
--            lateness   7 bytes, microseconds: how long after its slot a place is kept
--            max_queue  4 bytes: the most places of a queue
--            horizon    7 bytes, microseconds: how far ahead a slot is at most
--            own        1 byte: 1 if all buckets are the key's own, and a charge takes its cost
--                       from each, else 0
--            demands      2 bytes, 1 to 500, each of another bucket; for each
--              scope    1 byte: 1 key, 2 tenant, 3 cluster: whose bucket it is
--              rate     7 bytes: units drained a microsecond, 1 to 9.007e12
--              capacity 7 bytes: units, 1 to 9.007e15
--              units    7 bytes: of one operation, 1 to capacity
--            fields     text, for each demand <bucket>@<rate>, with a space between
-- RETURNS
--   { clock_us }                 not_after has passed: nothing was taken
--   { clock_us, answer... }      for each charge, in order, one or more of
--     value...           the whole count is ALLOWED: the new states of its template, by scope;
--                        without the fields if these are exactly those of the template, in their
--                        order
--     admitted, value... so many are ALLOWED. With slots off the others are DENIED and take
--                        nothing; otherwise the answer to the others follows. -1: all are
--                        NEVER_ALLOWED
--     { QUEUED }         the others: nothing was taken, ask queue.lua
--     { STALE, revision } a newer revision was published: nothing was taken
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   a written state expires when its last bucket is empty, or later: its TTL is up to twice that
--   time plus 1 s, so that it is rarely rewritten

local clock = require('now')
local charge_all = require('state/charges')
local keep_learned = require('state/policy_of').keep_learned
local policy_of = require('state/policy_of').policy_of
local values_of = require('state/values_of')
local write_states = require('state/write_states')

local now_us = clock(ARGV)
local not_after = struct.unpack('>I7', ARGV[1])
if not_after > 0 and now_us(1) > not_after then
  return { now_us(1) }
end
local policy, last = policy_of(redis.call, KEYS[1]), #KEYS
local states = { values = values_of(redis.call, KEYS, last), heads = {}, texts = {}, times = {}, queued = {} }
local answers = charge_all(states, policy, ARGV, now_us)
keep_learned(redis.call, policy)
write_states(redis.call, KEYS, last, states)
return answers
