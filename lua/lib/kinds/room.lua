-- How many operations limits have room for now, for charges that accept a part of their cost. Room.java has the same.

local ROOM = require('kinds/kinds').ROOM
local stored_of = require('kinds/ledger').stored_of
local held_of = require('kinds/mixed').held_of
local most_at_once = require('kinds/mixed').most_at_once
local price_of = require('kinds/mixed').price_of

-- The room of a bucket with so many units used; any number if it counts requests and has room for one more.
local function of_bucket(demand, used)
  local free = math.max(0, demand.capacity - used)
  if demand.requests then
    return free >= demand.units and math.huge or 0
  end
  return (free - math.fmod(free, demand.units)) / demand.units
end

local function of_other(demand, standing)
  if demand.kind.room then
    return demand.kind.room(demand, standing)
  end
  return standing.wait == ROOM and math.huge or 0
end

-- The room of all limits other than rates; second, the price before any bound. Nil if the parameters of one are not
-- for this instant.
local function of_others(charge, ledger, call)
  local asked, rooms = { now = charge.now, cost = charge.cost, used_of = charge.used_of }, {}
  local price = price_of(charge, ledger, call, asked)
  for _, demand in ipairs(charge.others) do
    demand.held = demand.letter == 'p' and held_of(charge, demand, call)
    local standing = demand.kind.standing(demand, stored_of(demand.counters, demand.name), asked)
    if not standing then
      return nil
    end
    rooms[demand] = of_other(demand, standing)
  end
  return most_at_once(charge.others, function(demand)
    return rooms[demand]
  end), price
end

return { of_bucket = of_bucket, of_others = of_others }
