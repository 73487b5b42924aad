-- Leases a part of a bucket to one node: takes its report, adds what it has spent, and grants free
-- units. Leased units hold capacity and do not drain until they are reported as spent or given
-- back, or the lease ends: then they count as spent at that instant. So the grants never exceed the
-- capacity. Units are saved for a holder that asked in vain (lib/state/earmarks.lua).
--
-- KEYS
--   1      the bucket, a hash: rate, used and at_us as of a state, and for each holder h:<holder>:
--          the leased units, the end of the lease, the number of its last report, and the total
--          spent by that report, with spaces between; one that asked in vain has 0 units; and for
--          each that is to ask again e:<holder>: the units saved for it, since when, until when
--   2      weir:policy or the copy of it in the bucket's partition, as of charge.lua
-- ARGV
--   1 holder        text: a node, in one life, with one shape of the bucket
--   2 sequence      integer, above 0: the number of the report
--   3 revision      integer, above 0: the revision of the holder's policy
--   4 rate          units drained a microsecond, 1 to 9.007e12
--   5 capacity      units, 1 to 9.007e15
--   6 spent         units: the total that it has spent in its life, modulo 2^53
--   7 acknowledged  units: the part of that total whose report was answered, likewise
--   8 keeps         units: held by it and not yet spent
--   9 wants         units: how many more it asks for
--   10 least        units, above 0: a smaller grant is of no use
--   11 earmark      units: so many are saved for it unless as many are granted; 0 for none
--   12 lease_us     microseconds, above 0: the length of a lease
-- RETURNS
--   { GRANTED, clock_us, granted, used, out, wait_us, holders, before }
--                          units in addition to `keeps`, -1 if a later report has arrived; the new
--                          level; all leased units; if less than `least` or `earmark` was granted,
--                          the time until there may be as many: what others hold is back or drains
--                          within their lease, what is missing beyond it drains, for all who ask; how
--                          many have units, asked in vain within the length of a lease, or have an
--                          earmark, the caller included; and how many of these are before it in the
--                          order of their names
--   { STALE, revision }    a newer revision was published: nothing has changed
-- ERRORS
--   only those of wrong arguments
-- TTL
--   until the bucket is empty and all leases have ended

local ceil_div = require('ceil_div')
local clock = require('now')
local carried_over = require('state/carried_over')
local EARMARKS = require('state/earmarks')
local keep_learned = require('state/policy_of').keep_learned
local learn = require('state/policy_of').learn
local policy_of = require('state/policy_of').policy_of
local pool_of = require('state/pool_of').pool_of
local settle_pool = require('state/pool_of').settle_pool

local now_us = clock(ARGV)

local GRANTED, STALE, MODULUS = 0, 1, 2 ^ 53
local MOST_IN_VAIN = 64 -- so many holders are kept at most if they have nothing
local holder, sequence = ARGV[1], tonumber(ARGV[2])
local revision, rate, capacity = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local spent, acknowledged, keeps = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local wants, least = tonumber(ARGV[9]), tonumber(ARGV[10])
local earmark, lease_us = tonumber(ARGV[11]), tonumber(ARGV[12])

local policy = policy_of(redis.call, KEYS[2])
learn(policy, revision)
if policy.newest > revision then
  return { STALE, policy.newest }
end

-- After a step back of the clock all instants are moved to its present time: nothing drains, and no
-- lease ends earlier because of it.
local function rebase(pool, now)
  local ahead = pool.at_us - now
  if ahead > 0 then
    for _, share in pairs(pool.shares) do
      share.until_us = share.until_us - ahead
    end
    for _, saved in pairs(pool.earmarks) do
      saved.since_us, saved.until_us = saved.since_us - ahead, saved.until_us - ahead
    end
    pool.at_us, pool.is_changed = now, true
  end
end

-- After a change of policy the time to drain is unchanged; leased units are rounded up, and nothing
-- is saved.
local function reshape(pool)
  if pool.rate == rate then
    return
  end
  for _, share in pairs(pool.shares) do
    if share.out > 0 then
      share.out = math.min(capacity, carried_over(share.out, pool.rate, rate, capacity) + 1)
    end
  end
  for of in pairs(pool.earmarks) do
    pool.earmarks[of], pool.gone[#pool.gone + 1] = nil, 'e:' .. of
  end
  pool.used, pool.rate, pool.is_changed = carried_over(pool.used, pool.rate, rate, capacity), rate, true
end

local function write_share(of, share)
  redis.call('HSET', KEYS[1], 'h:' .. of,
    string.format('%d %d %d %d', share.out, share.until_us, share.sequence, share.spent))
end

local function write(pool, mine, holders)
  local is_kept = mine.out > 0 or (wants > 0 or earmark > 0) and holders <= MOST_IN_VAIN
  pool.shares[holder] = is_kept and mine or nil
  pool.gone[#pool.gone + 1], pool.gone[#pool.gone + 2] = 'h:' .. holder, 'e:' .. holder
  redis.call('HDEL', KEYS[1], unpack(pool.gone))
  for of, share in pairs(pool.shares) do
    if share == mine or pool.is_changed then
      write_share(of, share)
    end
  end
  for of, saved in pairs(pool.earmarks) do
    if of == holder or pool.is_changed then
      redis.call('HSET', KEYS[1], 'e:' .. of, string.format('%d %d %d', saved.units, saved.since_us, saved.until_us))
    end
  end
  redis.call('HSET', KEYS[1], 'rate', string.format('%d', rate), 'used', string.format('%d', pool.used), 'at_us',
    string.format('%d', pool.at_us))
  local expires_ms = math.ceil((mine.until_us + capacity / rate) / 1000) + 1000
  redis.call('PEXPIREAT', KEYS[1], string.format('%d', expires_ms))
end

local pool = pool_of(redis.call('HGETALL', KEYS[1]))
pool.rate = pool.rate or rate
local now = now_us(1)
rebase(pool, now)
settle_pool(pool, now)
reshape(pool)
local known = pool.shares[holder]
local others = EARMARKS.others_of(pool, holder)
local out, holders, before = 0, 1, 0
for of in pairs(others) do
  local share = pool.shares[of]
  out, holders, before = out + (share and share.out or 0), holders + 1, before + (of < holder and 1 or 0)
end
if known and sequence <= known.sequence then
  return { GRANTED, now, -1, pool.used, out + known.out, 0, holders, before }
end
local since = spent - (known and known.spent or acknowledged)
since = since < 0 and since + MODULUS or since
pool.used = since > capacity - pool.used and capacity or pool.used + since
local own = EARMARKS.claimed(pool, holder, least)
local promised = EARMARKS.promised(pool, holder, own, holders, now)
local free = math.max(0, capacity - pool.used - out - keeps - promised)
local granted = math.min(wants, free)
granted = granted < least and 0 or granted
local asked, wait_us = math.max(least, earmark), 0
if wants > 0 and granted < asked then
  local missing = asked - (free - granted)
  wait_us = math.max(0, math.min(lease_us, ceil_div(missing, rate)), ceil_div(missing - out, rate))
end
if own and granted > 0 then
  pool.earmarks[holder] = nil
end
if granted < earmark then
  wait_us = EARMARKS.earmark(pool, holder, earmark,
    { now = now, wait_us = wait_us, others = others, sharers = holders, lease_us = lease_us })
end
write(pool, { out = keeps + granted, until_us = now + lease_us, sequence = sequence, spent = spent }, holders)
keep_learned(redis.call, policy)
return { GRANTED, now, granted, pool.used, out + keeps + granted, wait_us, holders, before }
