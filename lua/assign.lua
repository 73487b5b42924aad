-- Takes the report of a client that spends a part of a divided limit, and answers with its next
-- assignment: a token bucket for some seconds. The sum of the rates, and that of the bursts, of all
-- clients is at most the limit: a lower rate is given to others once it has arrived or the former
-- one has ended, and a burst that has ended counts as used.
--
-- KEYS
--   1      the limit, a hash: level, used burst that no client has, in parts times microseconds of
--          the period; at_us, the time of that level; sequence, of the last answer; for each client
--          h:<client>: the highest rate that it may have, its burst, until when, the rate that it was
--          sent, the answer with it first, its record, when an assignment of it was in force
--          for sure, its measured demand, what it used since, when that was measured, and when it
--          last used anything; and for each assignment that ends e:<record>: rate, burst,
--          until when. Numbers have spaces between; rates and bursts are in parts: the limit has 2^16
-- ARGV
--   1 client      text: its name
--   2 record      integer: the first answer to the client by its connection; 0 if there is none, -1
--                 if the client has no assignment
--   3 arrived     integer: the newest answer that has arrived for sure; 0 for none
--   4 age_us      microseconds since that was requested
--   5 used        parts times microseconds that its requests need since its last report, to 2^52
--   6 period_us   microseconds in which the limit drains, 1e6 to 8.64e10
--   7 least       parts, above 0: the smallest burst
-- RETURNS
--   { ASSIGNED, rate, burst, sequence, record }    with a rate of 0 there is nothing for it now
--   { ABANDONED, 0, 0, sequence, 0 }               it has not used the limit for a while
-- ERRORS
--   only those of wrong arguments
-- TTL
--   until all assignments have ended, and what they left has drained

local clock = require('now')
local floor_div = require('floor_div')
local assigned_of = require('state/assigned_of').assigned_of
local complete = require('state/assigned_of').complete
local fair_rate = require('state/fair_rate')
local settle = require('state/assigned_of').settle
local sum_of = require('state/assigned_of').sum_of

local now_us = clock(ARGV)

local ASSIGNED, ABANDONED = 0, 1
local WHOLE, MOST_HOLDERS, FREE_PER_BURST = 65536, 256, 16
local HELD_US, PROLONGED_US, IDLE_US, MEASURED_US = 11500000, 8500000, 10000000, 500000
local DRAINS, FIRST_DEMAND, MOST_DEMAND, MOST_USED = WHOLE / 64, WHOLE / 64, 2 * WHOLE, 2 ^ 52
local client, record, arrived = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local age_us, used, period_us, least = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local pool = assigned_of(redis.call('HGETALL', KEYS[1]))
local now = now_us(1)

local function end_assignments(mine)
  pool.holders[client], pool.gone[#pool.gone + 1] = nil, 'h:' .. client
  local of = string.format('%d', mine.record)
  pool.endings[of] = { rate = mine.rate, burst = mine.burst, until_us = mine.until_us, is_new = true }
end

-- The client as it is known; nil if its assignment may have ended, or has. One that moves to another
-- connection has a new record, so that the former connection lost it.
local function known_holder()
  local mine = pool.holders[client] and complete(pool.holders[client])
  if mine and record == mine.record then
    mine.reached_us = arrived > 0 and math.max(mine.reached_us, now - age_us) or mine.reached_us
    mine.rate = arrived >= mine.sent_sequence and mine.sent_rate or mine.rate
  end
  local is_same = mine and (record == 0 or record == mine.record)
  if is_same and now <= mine.reached_us + PROLONGED_US then
    mine.record = record == 0 and pool.sequence + 1 or mine.record
    return mine
  elseif mine then
    end_assignments(mine)
  end
  return nil
end

local function new_holder()
  local free = floor_div(WHOLE * period_us - pool.level, period_us) - sum_of(pool, 'burst')
  local holders = 0
  for _ in pairs(pool.holders) do holders = holders + 1 end
  for _ in pairs(pool.endings) do holders = holders + 1 end
  if free < least or holders >= MOST_HOLDERS then
    return nil
  end
  local first = pool.sequence + 1
  return { rate = 0, burst = math.max(least, floor_div(free, FREE_PER_BURST)), until_us = now, sent_rate = 0,
    sent_sequence = first, record = first, reached_us = now, demand = FIRST_DEMAND, counted = 0, measured_us = now,
    used_us = now }
end

local function measure(mine)
  mine.counted = math.min(MOST_USED, mine.counted + used)
  mine.used_us = used > 0 and now or mine.used_us
  local elapsed_us = now - mine.measured_us
  if elapsed_us >= MEASURED_US then
    mine.demand = math.min(MOST_DEMAND, floor_div(mine.counted, elapsed_us))
    mine.counted, mine.measured_us = 0, now
  end
end

-- Each change replaces the client's token bucket. A lower rate may be all that another one gets.
local function is_little_more(rate, before)
  return rate >= before and (rate - before) * 128 < before
end

local function assign(mine)
  pool.holders[client] = mine
  local most = WHOLE - (sum_of(pool, 'rate') - mine.rate)
  local rate = math.min(math.max(1, fair_rate(pool, mine, WHOLE - (pool.level > 0 and DRAINS or 0))), most)
  pool.sequence = pool.sequence + 1
  if mine.rate <= mine.sent_rate and not is_little_more(rate, mine.sent_rate) and rate ~= mine.sent_rate then
    mine.sent_rate, mine.sent_sequence = rate, pool.sequence
  end
  mine.rate, mine.until_us = math.max(mine.rate, mine.sent_rate), now + HELD_US
  return { ASSIGNED, mine.sent_rate, mine.burst, pool.sequence, mine.record }
end

local function write_holder(of, one)
  redis.call('HSET', KEYS[1], 'h:' .. of, string.format('%d %d %d %d %d %d %d %d %d %d %d', one.rate, one.burst,
    one.until_us, one.sent_rate, one.sent_sequence, one.record, one.reached_us, one.demand, one.counted,
    one.measured_us, one.used_us))
end

local function write()
  if #pool.gone > 0 then
    redis.call('HDEL', KEYS[1], unpack(pool.gone))
  end
  for of, holder in pairs(pool.holders) do
    if of == client or pool.is_moved then
      write_holder(of, holder)
    end
  end
  for of, ending in pairs(pool.endings) do
    if ending.is_new or pool.is_moved then
      redis.call('HSET', KEYS[1], 'e:' .. of, string.format('%d %d %d', ending.rate, ending.burst, ending.until_us))
    end
  end
  redis.call('HSET', KEYS[1], 'level', string.format('%d', pool.level), 'at_us', string.format('%d', pool.at_us),
    'sequence', string.format('%d', pool.sequence))
  local drains_us = math.ceil(pool.level / WHOLE) + math.ceil(sum_of(pool, 'burst') * period_us / WHOLE)
  redis.call('PEXPIRE', KEYS[1], math.ceil((HELD_US + drains_us) / 1000) + 1000)
end

settle(pool, now, WHOLE, period_us)
local mine = known_holder()
local answer = { ASSIGNED, 0, 0, pool.sequence, 0 }
if mine then
  measure(mine)
end
if mine and now - mine.used_us >= IDLE_US then
  end_assignments(mine)
  pool.sequence = pool.sequence + 1
  answer = { ABANDONED, 0, 0, pool.sequence, 0 }
else
  mine = mine or new_holder()
  answer = mine and assign(mine) or answer
end
write()
return answer
