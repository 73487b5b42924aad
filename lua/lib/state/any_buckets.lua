-- A charge on states without a queue, with any buckets. The numbers of a state that a charge of the call has
-- changed stay unpacked for the next one: a tenant's or the cluster's state takes many charges of a call.

local grow = require('memo').grow
local drained = require('state/drained')
local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')
local value_of = require('state/states').value_of

local BYTES_OF_WAY = 600
local NOTHING = {}
local FIELDS_AT_MOST = 64 -- in a larger state the queue lane removes empty buckets

-- The fields of a layout and those of these demands that it has not; nil if a bucket has another rate.
local function text_with(layout, of_scope)
  local text = layout.text
  for _, demand in ipairs(of_scope.demands) do
    if not layout.index[demand.field] then
      if layout.names[demand.name] then
        return nil
      end
      text = text == '' and demand.field or text .. ' ' .. demand.field
    end
  end
  for _, demand in ipairs(of_scope.is_marking and of_scope.demands or NOTHING) do
    local low = demand.field .. '.low'
    text = layout.index[low] and text or text .. ' ' .. low
  end
  return text
end

-- How a state of a layout takes charges by the demands of one scope: for each of its numbers the
-- rate, the units of an operation, and the capacity. False if a bucket has another rate, or the
-- state has a queue.
local function way_of(of_scope, layout)
  local text = layout.is_plain and text_with(layout, of_scope)
  if not text then
    return false
  end
  local grown = layout_of(text)
  if grown ~= layout and grown.count > FIELDS_AT_MOST then
    return false
  end
  local way = { layout = grown, rates = grown.rates, count = grown.count, format = grown.format,
    is_own = text == of_scope.text, text = grown ~= layout and text or nil, index = grown.index, lows = grown.lows,
    units = {}, once = {}, capacity = {}, is_marking = of_scope.is_marking }
  for j = 1, grown.count do
    way.units[j], way.capacity[j] = 0, math.huge
  end
  for _, demand in ipairs(of_scope.demands) do
    local j = grown.index[demand.field] - LAYOUT.BEFORE_FIELDS
    way.units[j], way.once[j], way.capacity[j] = demand.units, demand.requests, demand.capacity
  end
  return way
end

-- The layout of a value, and its numbers; nil if the long way has to read it.
local function unpacked(value, now)
  if not value then
    return layout_of(''), { 0, now, 0, 0 }
  end
  local high, low = string.byte(value, 1, 2)
  local held = 256 * (high or 0) + (low or 0)
  if held >= LAYOUT.HAS_QUEUE then
    return nil
  end
  local layout = layout_of(string.sub(value, LAYOUT.HEAD_BYTES + 1 + LAYOUT.NUMBER_BYTES * held))
  if held ~= layout.count or #value < LAYOUT.HEAD_BYTES then
    return nil
  end
  local numbers = { struct.unpack(layout.format, value) }
  numbers[LAYOUT.BEFORE_FIELDS + held + 1] = nil -- drops the position after the value, which unpack appends
  return layout, numbers
end

-- The way of a state, its numbers, and the table for those that a charge leaves: another one if these are the
-- present numbers of the call. Nil if it has no way.
local function way_and_numbers(states, k, of_scope, now)
  local layout, numbers = states.layouts[k], states.numbers[k]
  local left = numbers and (states.spares[k] or {})
  if not numbers then
    layout, numbers = unpacked(value_of(states, k), now)
    if not layout then
      return nil
    end
  end
  local way = of_scope.ways[layout]
  if way == nil then
    way = way_of(of_scope, layout)
    grow(BYTES_OF_WAY + 100 * layout.count)
    of_scope.ways[layout] = way
  end
  return way or nil, numbers, left or numbers
end

-- The same demands, for reservations: the way has the lowest level of each bucket.
local function marking(of_scope)
  if not of_scope.marking then
    of_scope.marking = { text = of_scope.text, demands = of_scope.demands, ways = {}, is_marking = true }
    grow(BYTES_OF_WAY)
  end
  return of_scope.marking
end

-- The lowest levels with those of now, before a charge, by their positions. Nil if one is 0 and stays so:
-- the long way removes it.
local function lowered(way, numbers, elapsed)
  local lowest, lows, rates = {}, way.lows, way.rates
  for i = 1, #lows, 2 do
    local at = lows[i + 1]
    local level = drained(numbers[at] or 0, rates[at - LAYOUT.BEFORE_FIELDS], elapsed)
    local low = math.min(numbers[lows[i]] or 0, level)
    if low == 0 and not way.is_marking then
      return nil
    end
    lowest[lows[i]] = low
  end
  return lowest
end

-- The numbers of a state at `now` with the cost of `count` charges, into `left`. Returns when the
-- last bucket is empty, how many of the charges fit, -1 if the cost is above a capacity, and the lowest
-- levels by their positions, before the charges.
-- Returns nil for other cases, among them a level above the capacity, which counts only up to it.
local function taken(way, numbers, left, revision, cost, count, now)
  local elapsed = now - numbers[2]
  if elapsed < 0 or numbers[3] > revision then
    return nil
  end
  local rates, units, once, capacity, fit, longest_us = way.rates, way.units, way.once, way.capacity, count, 0
  local is_never, lowest = false, way.lows and lowered(way, numbers, elapsed) or NOTHING
  if way.lows and lowest == NOTHING then
    return nil
  end
  for j = 1, way.count do
    local rate, each, at = rates[j], once[j] and units[j] or units[j] * cost, j + LAYOUT.BEFORE_FIELDS
    local level = drained(numbers[at] or 0, rate, elapsed)
    local used = level + each * count
    if used > capacity[j] then
      local free = capacity[j] - level
      if free < 0 then
        return nil
      end
      is_never = is_never or each > capacity[j]
      fit = fit * each > free and (free - math.fmod(free, each)) / each or fit
    end
    left[at] = used
    if used > longest_us * rate then
      longest_us = used / rate
    end
  end
  for at, low in pairs(lowest) do
    left[at] = low
  end
  left[1], left[2], left[3], left[4] = way.count, now, revision, numbers[4]
  return now + longest_us, is_never and -1 or fit, lowest
end

return { marking = marking, taken = taken, way_and_numbers = way_and_numbers }
