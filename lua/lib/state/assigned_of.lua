-- A divided limit as a table, from the fields of its hash: the used burst that no client has, what
-- each client may have, the assignments that end, and the fields to delete.

local ceil_div = require('ceil_div')

local RATE_BURST_UNTIL, DEMAND = '^(%d+) (%d+) (%d+)', '^%d+ %d+ %d+ %d+ %d+ %d+ %d+ (%d+)'

local function ending_of(text)
  local rate, burst, until_us = string.match(text, RATE_BURST_UNTIL)
  return { rate = tonumber(rate), burst = tonumber(burst), until_us = tonumber(until_us) }
end

-- The numbers of a client that the others depend on: all are read for each report.
local function brief_holder_of(text)
  local holder = ending_of(text)
  holder.demand, holder.text = tonumber((string.match(text, DEMAND))), text
  return holder
end

-- Reads the other numbers of a client, once.
local function complete(holder)
  if not holder.text then
    return holder
  end
  local numbers = {}
  for number in string.gmatch(holder.text, '%d+') do
    numbers[#numbers + 1] = tonumber(number)
  end
  holder.sent_rate, holder.sent_sequence, holder.record, holder.reached_us = unpack(numbers, 4, 7)
  holder.counted, holder.measured_us, holder.used_us = unpack(numbers, 9, 11)
  holder.text = nil
  return holder
end

local function assigned_of(fields)
  local pool = { level = 0, at_us = 0, sequence = 0, holders = {}, endings = {}, gone = {} }
  for i = 1, #fields, 2 do
    local field, text = fields[i], fields[i + 1]
    local prefix, of = string.sub(field, 1, 2), string.sub(field, 3)
    if prefix == 'h:' then
      pool.holders[of] = brief_holder_of(text)
    elseif prefix == 'e:' then
      pool.endings[of] = ending_of(text)
    else
      pool[field] = tonumber(text)
    end
  end
  return pool
end

-- After a step back of the clock all instants are moved to its present time. Nobody knows how much
-- time has passed since the last report, so none of the assignments was in force for sure.
local function rebase(pool, now)
  local ahead = pool.at_us - now
  if ahead <= 0 then
    return
  end
  pool.at_us, pool.is_moved = now, true
  for _, ending in pairs(pool.endings) do
    ending.until_us = ending.until_us - ahead
  end
  for _, holder in pairs(pool.holders) do
    complete(holder)
    holder.until_us, holder.reached_us = holder.until_us - ahead, 0
    holder.measured_us, holder.used_us = holder.measured_us - ahead, holder.used_us - ahead
  end
end

-- Adds up a field of all clients and of all assignments that end.
local function sum_of(pool, field)
  local sum = 0
  for _, holder in pairs(pool.holders) do
    sum = sum + holder[field]
  end
  for _, ending in pairs(pool.endings) do
    sum = sum + ending[field]
  end
  return sum
end

local function drained(level, rate, micros)
  local is_empty = rate > 0 and micros >= ceil_div(level, rate)
  return is_empty and 0 or level - rate * micros
end

local function collect_over(over, all, prefix, pool, now)
  for of, one in pairs(all) do
    if one.until_us <= now then
      over[#over + 1] = one
      all[of], pool.gone[#pool.gone + 1] = nil, prefix .. of
    end
  end
end

-- Advances a pool to `now`: a burst counts as used at the instant of its end.
local function settle(pool, now, whole, period_us)
  rebase(pool, now)
  local free, over = whole - sum_of(pool, 'rate'), {}
  collect_over(over, pool.holders, 'h:', pool, now)
  collect_over(over, pool.endings, 'e:', pool, now)
  table.sort(over, function(a, b) return a.until_us < b.until_us end)
  for _, one in ipairs(over) do
    local ended = math.max(pool.at_us, one.until_us)
    pool.level = drained(pool.level, free, ended - pool.at_us) + one.burst * period_us
    free, pool.at_us = free + one.rate, ended
  end
  pool.level, pool.at_us = drained(pool.level, free, now - pool.at_us), now
end

return { assigned_of = assigned_of, complete = complete, settle = settle, sum_of = sum_of }
