-- Congestion: the fill level of a bucket, as Congestion.java has it. Parameters:
--
--   <bucket> <rate> <capacity> <units> <requests> <price> <shed> <period> <cutoff>:<multiplier>,...
--
-- requests and price are 1 or 0, shed is a multiplier or 0, period is in microseconds or -1 for a
-- curve, whose points are in basis points. Multipliers are thousandths. A counter of steps has:
-- until, and for each step since when it is reached.

local ceil_div = require('ceil_div')
local KINDS = require('kinds/kinds').KINDS
local ONE = require('kinds/kinds').ONE
local ROOM = require('kinds/kinds').ROOM

local HUNDRED_PERCENT, PER_THOUSANDTH = 10000, 10

local function steps_of(demand, stored, used, now)
  local points, starts, multiplier, is_calm = demand.points, {}, ONE, true
  local is_known = #stored == #points + 1
  for i, point in ipairs(points) do
    local known = is_known and stored[i + 1] or 0
    local start = known == 0 and now or math.min(known, now)
    local is_reached = used >= point.at
    starts[i] = is_reached and start or 0
    is_calm = is_calm and not is_reached
    if is_reached and now - start >= demand.period then
      multiplier = point.multiplier
    end
  end
  local empty_us = ceil_div(demand.capacity, demand.rate)
  return multiplier, is_calm and {} or { now + empty_us, unpack(starts) }
end

-- The fill level, rounded down. Computed in two steps because the full product would exceed 2^53.
-- Capacities are whole thousands of units.
local function basis_points(demand, used)
  local thousandth = demand.capacity / 1000
  local rest = math.fmod(used, thousandth)
  return (used - rest) / thousandth * PER_THOUSANDTH + math.floor(rest * PER_THOUSANDTH / thousandth)
end

-- The lowest level with this fill, in two steps likewise.
local function cutoff(demand, points)
  local thousandth, rest = demand.capacity / 1000, math.fmod(points, PER_THOUSANDTH)
  return (points - rest) / PER_THOUSANDTH * thousandth + ceil_div(thousandth * rest, PER_THOUSANDTH)
end

local function curve_of(demand, used)
  local at = math.min(HUNDRED_PERCENT, basis_points(demand, used))
  local below
  for _, point in ipairs(demand.points) do
    if point.at > at then
      return below and below.multiplier + math.floor((point.multiplier - below.multiplier) * (at - below.at)
        / (point.at - below.at)) or point.multiplier
    end
    below = point
  end
  return below.multiplier
end

local function level_of(demand, stored, used, now)
  if demand.period >= 0 then
    return steps_of(demand, stored, used, now)
  end
  return curve_of(demand, used), {}
end

-- The time until the level is below the first point that sheds, without new requests.
local function calm_after(demand, used)
  local lowest = 0
  for _, point in ipairs(demand.points) do
    if point.multiplier >= demand.shed then
      lowest = demand.period >= 0 and point.at or cutoff(demand, point.at)
      break
    end
  end
  return ceil_div(math.max(1, used - lowest + 1), demand.rate)
end

KINDS.c = {
  read = function(demand, text, at)
    local bucket, numbers, points = string.match(text, '^(%S+) ([^;]*) ([^%s;]+)', at)
    local rate, capacity, units, requests, price, shed, period =
      string.match(numbers, '^(%d+) (%d+) (%d+) (%d) (%d) (%d+) (%S+)$')
    demand.bucket, demand.rate, demand.capacity = bucket, tonumber(rate), tonumber(capacity)
    demand.units, demand.requests, demand.is_price = tonumber(units), requests == '1', price == '1'
    demand.shed = tonumber(shed)
    demand.period, demand.points = tonumber(period), {}
    for level, multiplier in string.gmatch(points, '(%d+):(%d+)') do
      demand.points[#demand.points + 1] = { at = tonumber(level), multiplier = tonumber(multiplier) }
    end
  end,
  price = function(demand, stored, asked)
    return demand.is_price and level_of(demand, stored, asked.used_of(demand.bucket), asked.now) or ONE
  end,
  standing = function(demand, stored, asked)
    local used = asked.used_of(demand.bucket)
    local multiplier, before = level_of(demand, stored, used, asked.now)
    local units = demand.units * (demand.requests and 1 or asked.cost)
    local after = math.min(demand.capacity, used + math.min(units, demand.capacity + 1))
    local _, admitted = level_of(demand, before, after, asked.now)
    local is_shed = demand.shed > 0 and multiplier >= demand.shed
    return { wait = is_shed and calm_after(demand, used) or ROOM, used = multiplier, reset = 0,
      near = multiplier > ONE, taken = admitted, denied = before }
  end,
}
