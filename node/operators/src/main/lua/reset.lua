-- Forgets what an owner has used: levels of its buckets, uses of its quotas, and who waits for it. What
-- others have used in shared buckets stays, and so do permits and reservations that are held.
--
-- KEYS
--   1      the state of a key, a tenant or the cluster
--   2      <state>:counters
--   3      <state>:tickets
--   4...   <state>:leased:<bucket>  leased buckets; what nodes hold of them stays leased
-- ARGV
--   1      rates       the names of buckets with a space between, '*' for all, '' for none
--   2      quotas      the names of quotas with a space between, '' for none
--   3      queue       1 to forget all places and tickets, 0 to keep them
--   4      is_rehearsal  1 to change nothing, 0 to forget
-- RETURNS
--   kind, name, number, ...   what is forgotten: of a 'rate' the time until it would have been empty, in
--                      microseconds; of a 'quota' its use; of a 'queue' the name of a bucket, or '' for
--                      the key itself, and in how many bins something is due, or how many tickets of the
--                      key are open
-- ERRORS
--   the key holds no state, and those of a Redis that accepts no writes
-- TTL
--   unchanged; a state without anything is removed

local ceil_div = require('ceil_div')
local counters_at = require('kinds/ledger').counters_at
local new_ledger = require('kinds/ledger').new_ledger
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local write_counters = require('kinds/ledger_write').write_counters
local clock = require('now')
local pool_of = require('state/pool_of').pool_of
local settle_pool = require('state/pool_of').settle_pool
local STATE = require('state/state')

local END, USED, BEFORE = 2, 3, 4
local now = clock(ARGV)(1)
local forgotten = {}

local function tell(kind, name, number)
  forgotten[#forgotten + 1], forgotten[#forgotten + 2], forgotten[#forgotten + 3] = kind, name, number
end

local function is_chosen(name)
  return ARGV[1] == '*' or string.find(' ' .. ARGV[1] .. ' ', ' ' .. name .. ' ', 1, true) ~= nil
end

local function forget_rates(state)
  for name, bucket in pairs(state.buckets) do
    if is_chosen(name) then
      tell('rate', name, ceil_div(bucket.used, bucket.rate))
      state.buckets[name] = nil
    end
  end
end

local function forget_queue(state)
  for name, calendar in pairs(state.calendars) do
    tell('queue', name, calendar.n)
  end
  local open = redis.call('BITCOUNT', KEYS[3])
  if open > 0 or state.waiter or next(state.lines) then
    tell('queue', '', open)
  end
  state.calendars, state.lines, state.waiter = {}, {}, false
end

local function forget_quotas(is_rehearsal)
  local book = new_ledger()
  local counters = counters_at(book, redis.call, string.sub(KEYS[2], 1, -1 - #':counters'), now)
  for name in string.gmatch(ARGV[2], '%S+') do
    local counter = stored_of(counters, name)
    local used = (counter[USED] or 0) + (counter[BEFORE] or 0)
    if used > 0 then
      tell('quota', name, used)
      put_counter(counters, name, { counter[1], counter[END], 0, 0 }, now)
    end
  end
  if not is_rehearsal then
    write_counters(book, redis.call)
  end
end

local function forget_leased(key, is_rehearsal)
  local pool = pool_of(redis.call('HGETALL', key))
  if not pool.rate then
    return
  end
  settle_pool(pool, math.max(now, pool.at_us))
  if pool.used > 0 then
    tell('rate', string.sub(key, #KEYS[1] + #':leased:' + 1), ceil_div(pool.used, pool.rate))
    if not is_rehearsal then
      redis.call('HSET', key, 'used', '0', 'at_us', string.format('%d', pool.at_us))
      if #pool.gone > 0 then
        redis.call('HDEL', key, unpack(pool.gone))
      end
    end
  end
end

local is_rehearsal = ARGV[4] == '1'
local value = redis.call('GET', KEYS[1])
if value then
  local state = STATE.read(value, now)
  if not state then
    return redis.error_reply(KEYS[1] .. ' holds no state')
  end
  STATE.move_to(state, math.max(now, state.at_us))
  forget_rates(state)
  if ARGV[3] == '1' then
    forget_queue(state)
  end
  local is_empty = not next(state.buckets) and not next(state.calendars) and not next(state.lines) and not state.waiter
  if #forgotten > 0 and not is_rehearsal then
    if is_empty then
      redis.call('UNLINK', KEYS[1])
    else
      redis.call('SET', KEYS[1], STATE.value(state, {}), 'PXAT', string.format('%d', state.expires_ms))
    end
    if ARGV[3] == '1' then
      redis.call('UNLINK', KEYS[3])
    end
  end
end
for i = 4, #KEYS do
  forget_leased(KEYS[i], is_rehearsal)
end
forget_quotas(is_rehearsal)
return forgotten
