-- Takes the demands of a charge other than rates. `call` runs a command.

local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local PERMITS_KEPT_US = require('kinds/permit').PERMITS_KEPT_US
local permits_until = require('kinds/permit').permits_until
local LEASED = require('leased')

local GENERATED = '-' -- asked by a hold with a generated id, as Hold.java has it

-- Stores the counters of the limits after a denial, or after the charge was taken.
local function keep_counters(charge, what)
  for _, demand in ipairs(charge.others) do
    put_counter(demand.counters, demand.name, demand.standing[what], charge.now)
  end
end

-- A generated id is unique. One that a service chose may be that of another hold of the limit, too: it is held by the
-- key of the hold.
local function hold_permit(charge, demand, stored, call)
  local held, key, until_us = charge.hold, demand.permits_key, charge.now + charge.hold.lease_us
  LEASED.hold(call, key, held.asked == GENERATED and held.id or held.key, until_us)
  local kept_us = permits_until(stored, charge.now)
  -- While a permit is held, the key keeps its TTL.
  if kept_us ~= stored[1] or demand.held == 0 and call('PTTL', key) < 0 then
    call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', charge.now))
    call('PEXPIREAT', key, string.format('%d', math.ceil((kept_us + charge.hold.lease_us + PERMITS_KEPT_US) / 1000)))
  end
end

-- Numbers with a comma between, "-" for none.
local function list_of(numbers)
  return numbers and #numbers > 0 and table.concat(numbers, ',') or '-'
end

-- A reservation is stored as it was requested, in three lines; reservation_from reads it:
--
--   open <expires_us> <refunds> <cost> <price> <lease_us> <taken_us> <unpaid> <uncharged>
--     mark=<mark> asked=<asked>
--   the demands other than rates, text as of others_of
--   the template, packed as of charge.lua
--
-- unpaid are the numbers of demands of the template that took nothing, uncharged those of the
-- others. The mark is that of kinds/marks.lua.
local function reservation_text(charge, looked, unpaid)
  local held = charge.hold
  local head = string.format('open %d %d %d %d %d %d %s %s mark=%d asked=%s\n', charge.now + held.lease_us,
    held.refunds and 1 or 0, looked.asked, looked.price, held.lease_us, charge.now, list_of(unpaid),
    list_of(looked.uncharged), charge.mark, held.asked)
  return head .. charge.others_text .. '\n' .. charge.template_text
end

-- Takes all of them; `unpaid` has the numbers of the template's demands that took nothing. `index`
-- is the key of open reservations.
local function take_others(charge, looked, unpaid, index, call)
  local now, held = charge.now, charge.hold
  for _, demand in ipairs(charge.others) do
    if demand.letter == 'p' then
      hold_permit(charge, demand, stored_of(demand.counters, demand.name), call)
    end
  end
  keep_counters(charge, 'taken')
  if held and held.reserves then
    local expires_us, key = now + held.lease_us, held.key
    call('SET', key, reservation_text(charge, looked, unpaid), 'PXAT',
      string.format('%d', math.ceil((expires_us + PERMITS_KEPT_US) / 1000)))
    LEASED.hold(call, index, key, expires_us)
  end
end

return { keep_counters = keep_counters, take_others = take_others }
