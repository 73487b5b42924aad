-- How a state that has exactly the buckets of some demands of one scope, in their order, takes charges, as numbers:
-- what most charges need, made of the demands alone. See state/way_of.lua for other states, and for the fields.

local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')

local OWN_WAY = { MOST_FIELDS = 64 } -- the long way removes empty buckets of a larger state

-- A way without its buckets.
function OWN_WAY.new(fields, count)
  local format = LAYOUT.HEAD .. string.rep(LAYOUT.NUMBER, count)
  return { count = count, format = format, fields = fields, is_own = true, is_simple = true,
    last = LAYOUT.BEFORE_FIELDS + count, bytes = LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * count + #fields,
    whole = format .. 'c' .. #fields }
end

-- Sets the bucket at a place, from 1.
function OWN_WAY.put(way, place, rate, capacity, units)
  way[3 * place - 2], way[3 * place - 1], way[3 * place] = rate, capacity, units
end

function OWN_WAY.of_demands(fields, demands)
  local way = OWN_WAY.new(fields, #demands)
  for i, demand in ipairs(demands) do
    OWN_WAY.put(way, i, demand.rate, demand.capacity, demand.units)
    if demand.requests then
      way.is_simple, way.once = false, way.once or {}
      way.once[i] = true
    end
  end
  return way
end

-- The layout of what a way leaves. Few charges need that of an own way.
function OWN_WAY.layout(way)
  way.layout = way.layout or layout_of(way.fields)
  return way.layout
end

return OWN_WAY
