-- The kinds of demand other than rates, by their letters in arguments. Each is a table of
--
--   read(demand, text, at)              takes its parameters from text, where they begin at `at`
--                                       and end at a semicolon
--   standing(demand, stored, asked)     its present standing: { wait, used, reset, near, taken,
--                                       denied }, the last two being the numbers to store after
--                                       each decision; nil if its parameters are not for this
--                                       instant
--   price(demand, stored, asked)        optional: the multiplier of a request's cost, in
--                                       thousandths
--   most(demand)                        optional: the most operations that a request can ever be
--                                       charged
--   room(demand, standing)              optional: how many operations it has room for
--   counts(demand, cost)                optional: how many operations of a request it counts
--   settled(demand, stored, delta, now, taken_us)
--                                       optional: the numbers to store after adding delta
--                                       operations, which may be negative, to a request that was
--                                       admitted at taken_us
--
-- `stored` is the numbers of a counter, empty if there is none. `asked` is now, cost, and
-- used_of(bucket).

local ceil_div = require('ceil_div')

local KINDS = {}
local ROOM, NEVER, ONE = -1, -2, 1000
local MOST, MAX_COST, MOST_PRICED = 9007000000000000, 9007199254740991, 9000000000000

-- A cost at a price in thousandths, rounded up; at most the largest cost that a charge can have.
local function priced(cost, price)
  local rest = math.fmod(price, ONE)
  local times = (price - rest) / ONE
  if price == ONE then
    return cost
  end
  if cost > MOST_PRICED or cost > math.floor(MAX_COST / (times + 1)) then
    return MAX_COST
  end
  return cost * times + ceil_div(cost * rest, ONE)
end

-- The highest cost that is at most this at a price.
local function unpriced(cost, price)
  local rest = math.fmod(cost, price)
  local highest = (cost - rest) / price * ONE + math.floor(rest * ONE / price)
  if price == ONE then
    return highest
  end
  return math.min(highest, MOST_PRICED, math.floor(MAX_COST / (math.floor(price / ONE) + 1)))
end

return { KINDS = KINDS, MOST = MOST, MOST_PRICED = MOST_PRICED, NEVER = NEVER, ONE = ONE, ROOM = ROOM,
  priced = priced, unpriced = unpriced }
