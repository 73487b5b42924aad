-- The counters of a key, a tenant or the cluster, of limits other than rates, packed, most
-- significant byte first:
--
--   count    2 bytes: how many numbers
--   numbers  7 bytes for each
--   limits   text: <limit>=<how many numbers it has>, with a space between
--
-- The first number of a limit is the instant after which it is forgotten; an absent limit is 0.
-- There are few layouts and many owners, so each layout is kept.

local memo = require('memo').memo

local COUNTERS_BEFORE = 2
-- Buffer for the numbers of one value or answer at a time: a new table would grow step by step.
local gathered = {}

local function bytes_of(text)
  return 500 + 40 * #text
end

local counters_layout = memo(function(text)
  local layout = { text = text, count = 0, parts = {}, by_name = {} }
  for name, width in string.gmatch(text, '(%S+)=(%d+)') do
    local part = { name = name, width = tonumber(width), at = COUNTERS_BEFORE + 1 + 7 * layout.count }
    part.format = '>' .. string.rep('I7', part.width)
    layout.count, layout.parts[#layout.parts + 1], layout.by_name[name] = layout.count + part.width, part, part
  end
  layout.format = '>I2' .. string.rep('I7', layout.count)
  return layout
end, bytes_of)

-- The layout of a value, which is false if there is none; nil if the value holds no counters.
local function counters_layout_of(value)
  if not value then
    return counters_layout('')
  end
  local high, low = string.byte(value, 1, 2)
  local count = 256 * (high or 0) + (low or 0)
  local layout = counters_layout(string.sub(value, COUNTERS_BEFORE + 1 + 7 * count))
  return layout.count == count and #value > COUNTERS_BEFORE and layout or nil
end

-- The numbers of one limit.
local function counter_in(value, part)
  local numbers = { struct.unpack(part.format, value, part.at) }
  numbers[part.width + 1] = nil -- drops the position after the numbers, which unpack appends
  return numbers
end

return { counter_in = counter_in, counters_layout = counters_layout, counters_layout_of = counters_layout_of,
  gathered = gathered }
