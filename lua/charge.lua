-- Decides charges on rates, in their order: each takes its cost from all of its buckets, or from
-- none; a denial may make a place. Equal charges are sent as one with a count.
--
-- KEYS
--   1      weir:policy, for the revision that was published last; on a Redis Cluster
--          weir:{pNN}:policy, the partition's copy of it, which is raised to the newest revision of
--          any charge
--   then   the states of keys, tenants and the cluster, each once
--   then   <state>:tickets of keys, the bitmaps of their unused tickets
-- ARGV
--   1      not_after, 7 bytes, most significant first: the instant, in microseconds since the
--          epoch, after which nothing in this call is decided; 0 for never; and 2 bytes: the number
--          of states. Then the charges, packed, 21 bytes for each
--            template   2 bytes: which argument holds it
--            count      2 bytes, above 0: how many equal charges the entry stands for
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant, 0 if nothing is the tenant's or the cluster's
--            cluster    2 bytes: the same of the cluster
--            ticket     2 bytes: which argument holds the ticket data of the caller, 0 for none
--            tickets    2 bytes: which of KEYS is the bitmap of the key's tickets, 0 for none
--   then   templates, packed
--            revision   7 bytes, above 0: the revision of the caller's policy
--            slots      1 byte: 0 reserve, 1 estimate, 2 off
--            own        1 byte: 1 if all buckets are the key's own, and a charge takes its cost
--                       from each, else 0
--            demands      2 bytes, 1 to 500, each of another bucket; for each
--              scope    1 byte: 1 key, 2 tenant, 3 cluster: whose bucket it is
--              rate     7 bytes: units drained a microsecond, 1 to 9.007e12
--              capacity 7 bytes: units, 1 to 9.007e15
--              units    7 bytes: of one operation, 1 to capacity
--            fields     text, for each demand <bucket>@<rate>, with a space between
--          or the ticket data of a caller, text, as of lib/queue/asked.lua
-- RETURNS
--   { clock_us }                 not_after has passed: nothing was taken
--   { clock_us, answer... }      for each charge, in order, one or more of
--     value...           the whole count is ALLOWED: the new states of its template, by scope;
--                        without the fields if these are exactly those of the template, in their
--                        order
--     admitted, value... so many are ALLOWED. With slots off the others are DENIED and take
--                        nothing; otherwise an answer to each of the others follows. -1: all are
--                        NEVER_ALLOWED
--     { ALLOWED, used..., returned, made }   per demand the units used, including the cost
--     { DENIED, used..., wait_us, estimate, returned, made, ticket }   per demand the units used as a
--                        newcomer sees them, with all that is due; until the slot; 1 if nothing is
--                        promised; what became of the place that it came back to, a code; 1 if a place
--                        was made; its ticket, or empty
--     { NEVER_ALLOWED, used... }   a cost is above its capacity; for all that are left
--     { STALE, revision }          a newer revision was published or has decided; for all that are
--                                  left
--     { FAILED, text }             the data in Redis cannot be read; for all that are left
--     { LATER }                    the call has done enough: nothing was taken, ask again; for all that
--                                  are left, and for each of the charges behind
-- ERRORS
--   only those of wrong arguments, and of a replica, which accepts no writes
-- TTL
--   a written state expires when its last bucket is empty and no request waits, or later: its TTL is
--   up to twice that time plus 1 s, so that it is rarely rewritten; tickets likewise after the last
--   slot

local clock = require('now')
local charge_alone = require('state/charge_alone')
local keep_learned = require('state/policy_of').keep_learned
local newest_of = require('state/policy_of').newest_of
local policy_at = require('state/policy_of').policy_at
local values_of = require('state/values_of')

local call, now_us = redis.call, clock(ARGV)
local first_us = now_us(1)
local not_after, state_count = struct.unpack('>I7I2', ARGV[1])
if not_after > 0 and first_us > not_after then
  return { first_us }
end
local last = 1 + state_count
local values, newest = values_of(call, KEYS, last), newest_of(call, KEYS[1])
local answers, is_long, asked = false, false, nil
if last == 2 then
  answers, is_long, asked = charge_alone(call, redis.sha1hex, KEYS, ARGV, values[2], newest, first_us)
end
if answers then
  return answers
end
local states = require('state/states').new_states(values) -- a script builds these modules if it needs them
local lane = { call = call, sha1 = redis.sha1hex, keys = KEYS, arguments = ARGV, templates = {}, states = states,
  effort = 0, policy = policy_at(KEYS[1], newest), is_tried = answers == nil,
  is_long = is_long, asked = asked }
answers = require('state/charges')(lane, now_us)
keep_learned(call, lane.policy)
require('state/write_states')(call, KEYS, last, states)
return answers
