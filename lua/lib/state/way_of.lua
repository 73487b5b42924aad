-- How a state of a layout takes charges by the demands of one scope of a template, as numbers. A way is a table
-- of
--   layout     that of the numbers it leaves: the fields of the state, and those of the demands that it has not. An
--              own way has it, its index and its rates once they are needed (state/own_way.lua)
--   count, format, index, rates, lows   of this layout
--   fields, text   its fields; `text` only if these are others than those of the state
--   is_own     whether they are those of the demands, in their order
--   bytes, whole, last   the length of a value, the format of all of it, and the place of its last number
--   1, 2, 3... three numbers for each bucket: its rate, its capacity, and the units of an operation; `once`, by the
--              place of the bucket, if they are of a request
--   is_simple  whether it is own, and each demand takes its units once for each operation
--   is_marking whether it has the lowest level of each bucket of the demands

local grow = require('memo').grow
local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')
local MOST_FIELDS = require('state/own_way').MOST_FIELDS
local completed = require('state/template_of').completed

local BYTES_OF_WAY = 600
local NOTHING = {}

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

-- False if a bucket has another rate, or the state has something else than levels.
local function made(of_scope, layout)
  local own = of_scope.own
  if own and layout.text == own.fields then
    return own
  end
  local text = layout.is_plain and text_with(layout, of_scope)
  if not text then
    return false
  end
  local grown = layout_of(text)
  if grown ~= layout and grown.count > MOST_FIELDS then
    return false
  end
  local is_own = own and text == own.fields
  local way = { layout = grown, rates = grown.rates, count = grown.count, format = grown.format, index = grown.index,
    fields = text, lows = grown.lows, text = grown ~= layout and text or nil, is_own = is_own, is_simple = is_own,
    last = LAYOUT.BEFORE_FIELDS + grown.count, bytes = LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * grown.count + #text,
    whole = grown.format .. 'c' .. #text, once = {}, is_marking = of_scope.is_marking }
  for j = 1, grown.count do
    way[3 * j - 2], way[3 * j - 1], way[3 * j] = grown.rates[j] or 0, math.huge, 0
  end
  for _, demand in ipairs(of_scope.demands) do
    local j = grown.index[demand.field] - LAYOUT.BEFORE_FIELDS
    way[3 * j - 1], way[3 * j], way.once[j] = demand.capacity, demand.units, demand.requests
    way.is_simple = way.is_simple and not demand.requests
  end
  return way
end

-- Kept with the demands. One that leaves the fields as they are is the first to be tried.
local function way_of(of_scope, layout)
  if of_scope.alone then
    completed(of_scope)
  end
  local way = of_scope.ways[layout]
  if way == nil then
    way = made(of_scope, layout)
    grow(BYTES_OF_WAY + 100 * layout.count)
    of_scope.ways[layout] = way
    of_scope.usual = way and not way.text and way.count > 0 and way or of_scope.usual
  end
  return way
end

return way_of
