-- Amounts of buckets, bounded as all numbers are.

local carried_over = require('state/carried_over')
local TIMES = require('times')

-- The units of so many operations.
local function units_of(operations, each)
  return operations > math.floor(TIMES.MAX_UNITS / each) and TIMES.MAX_UNITS or operations * each
end

-- Units of a bucket that drains at one rate, for the bucket that drains at another.
local function scaled(units, from, to)
  return from == to and units or carried_over(units, from, to, TIMES.MAX_UNITS)
end

return { scaled = scaled, units_of = units_of }
