-- The demands of a charge other than rates, over all kinds: all are checked first, then all are
-- taken or none. `call` runs a command.

local CODES = require('codes')
local gathered = require('kinds/counters').gathered
local MOST_PRICED = require('kinds/kinds').MOST_PRICED
local NEVER = require('kinds/kinds').NEVER
local ONE = require('kinds/kinds').ONE
local ROOM = require('kinds/kinds').ROOM
local priced = require('kinds/kinds').priced
local counters_at = require('kinds/ledger').counters_at
local stored_of = require('kinds/ledger').stored_of
local permits_key = require('kinds/permits_key')
local reservation_standing = require('kinds/reservation_standing')

-- The hold of a request is packed:
--
--   lease_us  7 bytes
--   reserves  1 byte: 1 if it is a reservation, else 0
--   refunds   1 byte: 1 if an expired reservation gives everything back
--   then      <id> <asked>, text: asked stands for the content of the request
local function hold_of(text, state_key)
  local lease_us, reserves, refunds, at = struct.unpack('>I7BB', text)
  local id, asked = string.match(text, '^(%S+) (%S+)$', at)
  return { id = id, asked = asked, lease_us = lease_us, reserves = reserves == 1, refunds = refunds == 1,
    key = state_key .. ':hold:' .. id }
end

-- The code of the answer if the reservation of a charge already exists, and its cost; nil if it does not. A
-- record of an older release does not contain the request.
local function known_reservation(charge, call)
  local held = charge.hold
  local text = held and held.reserves and call('GET', held.key)
  local standing = text and reservation_standing(text, charge.now)
  if standing ~= 'open' then
    return standing and CODES.ENDED
  end
  local asked = string.match(text, '^[^\n]* asked=(%S+)\n')
  return asked and asked ~= held.asked and CODES.REUSED or CODES.AGAIN,
    tonumber(string.match(text, '^open %d+ %d+ (%d+)'))
end

-- The number of permits in use.
local function held_of(charge, demand, call)
  demand.permits_key = permits_key(charge.state_keys[demand.scope], demand.name)
  return call('ZCOUNT', demand.permits_key, string.format('(%d', charge.now), '+inf')
end

-- The most that all of these hold when they are empty; of a pair of which one pays, the larger.
-- `most` returns it for one.
local function most_at_once(demands, most)
  local least = math.huge
  for i, demand in ipairs(demands) do
    local other = demands[i + 1]
    if not demand.overflow then
      least = math.min(least, math.max(most(demand), other and other.overflow and most(other) or 0))
    end
  end
  return least
end

-- The price in thousandths before any bound; reads the counters of all demands.
local function price_of(charge, ledger, call, asked)
  local price = ONE
  for _, demand in ipairs(charge.others) do
    demand.counters = counters_at(ledger, call, charge.state_keys[demand.scope], charge.now)
    if demand.kind.price then
      price = math.max(price, demand.kind.price(demand, stored_of(demand.counters, demand.name), asked))
    end
  end
  return price
end

local function most_of_bucket(demand)
  return demand.requests and math.huge or (demand.capacity - math.fmod(demand.capacity, demand.units)) / demand.units
end

local function most_of_other(demand)
  return demand.kind.most and demand.kind.most(demand) or math.huge
end

-- The highest cost that fits when all limits are empty, and no price is above one.
local function most_of(charge)
  return math.min(most_at_once(charge.template.demands, most_of_bucket), most_at_once(charge.others, most_of_other))
end

-- Limits the price so that no request becomes impossible: the cost at it is at most the capacity of
-- the limits.
local function bounded(price, charge)
  if price == ONE then
    return price
  end
  local most = most_of(charge)
  if most > MOST_PRICED or charge.cost > most then
    return price
  end
  local product = most * ONE
  return math.min(price, math.max(ONE, (product - math.fmod(product, charge.cost)) / charge.cost))
end

-- The first of a limit and its overflow with room is charged; if neither has room, the one that has room earlier
-- determines the wait. Returns whether the overflow is left out.
local function leave_out(first, other)
  local is_other = first.wait ~= ROOM and other.wait ~= NEVER and (first.wait == NEVER or other.wait < first.wait)
  local left_out = is_other and first or other
  left_out.wait, left_out.taken, left_out.is_uncharged = ROOM, left_out.denied, true
  return not is_other
end

-- The standing of all demands: the price and the cost at it, the longest wait of those without
-- room, and whether one can never have room. Nil if the parameters of one are not for this instant.
local function look_at(charge, ledger, call)
  local looked = { asked = charge.cost, price = ONE, cost = charge.cost }
  local asked = { now = charge.now, cost = charge.cost, used_of = charge.used_of }
  looked.price = bounded(price_of(charge, ledger, call, asked), charge)
  looked.cost = priced(charge.cost, looked.price)
  asked.cost = looked.cost
  for i, demand in ipairs(charge.others) do
    demand.held = demand.letter == 'p' and held_of(charge, demand, call)
    local standing = demand.kind.standing(demand, stored_of(demand.counters, demand.name), asked)
    if not standing then
      return nil
    end
    demand.standing = standing
    if demand.overflow then
      looked.uncharged = looked.uncharged or {}
      local is_left_out = leave_out(charge.others[i - 1].standing, standing)
      looked.uncharged[#looked.uncharged + 1] = is_left_out and i or i - 1
    end
  end
  for _, demand in ipairs(charge.others) do
    local wait = demand.standing.wait
    if wait >= 0 then
      looked.wait_us = math.max(looked.wait_us or 0, wait)
    elseif wait == NEVER then
      looked.is_never = true
    end
  end
  return looked
end

-- The answer to a charge of several kinds: its code, the units used of each bucket, for each other
-- limit <wait> <used> <reset> <flags>, the overflows that paid, as bits, the cost at its price, and the cost.
local function answer_of(code, used, charge, looked, paid)
  local numbers, n = gathered, 1 + #used
  numbers[1] = code
  for i = 1, #used do
    numbers[1 + i] = used[i]
  end
  for _, demand in ipairs(charge.others) do
    local standing = demand.standing
    numbers[n + 1], numbers[n + 2], numbers[n + 3] = standing.wait, standing.used, standing.reset
    numbers[n + 4] = (standing.near and 1 or 0) + (standing.is_uncharged and 2 or 0)
    n = n + 4
  end
  numbers[n + 1], numbers[n + 2], numbers[n + 3] = paid, looked.cost, looked.asked
  return { unpack(numbers, 1, n + 3) }
end

-- The answer if another limit than a rate is full; it tells an estimate.
local function full_until(wait_us, used, charge, looked, paid)
  local answer = answer_of(CODES.DENIED, used, charge, looked, paid)
  answer[#answer + 1], answer[#answer + 2] = wait_us, 1
  return answer
end

return { answer_of = answer_of, bounded = bounded, full_until = full_until, held_of = held_of, hold_of = hold_of,
  known_reservation = known_reservation, look_at = look_at, most_at_once = most_at_once, most_of = most_of,
  price_of = price_of }
