-- Reads the value of a state, as of state/layout.lua, apart from its queue.

local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')

-- The layout of a value, false if there is none, its numbers, and where its queue begins, nil if it has none. Nil
-- if it is not a state.
local function unpacked(value, now)
  if not value then
    return layout_of(''), { 0, now, 0, 0 }
  end
  local high, low = string.byte(value, 1, 2)
  local count = 256 * (high or 0) + (low or 0)
  local has_queue = count >= LAYOUT.HAS_QUEUE
  count = has_queue and count - LAYOUT.HAS_QUEUE or count
  local at = LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * count + 1
  local ends = has_queue and string.find(value, '\n', at, true)
  if has_queue and not ends then
    return nil
  end
  local layout = layout_of(string.sub(value, at, ends and ends - 1 or -1))
  if layout.count ~= count or #value < LAYOUT.HEAD_BYTES then
    return nil
  end
  local numbers = { struct.unpack(layout.format, value) }
  numbers[count + LAYOUT.BEFORE_FIELDS + 1] = nil -- drops the position behind them, which unpack appends
  for i = 2, count + LAYOUT.BEFORE_FIELDS do
    if numbers[i] >= 2 ^ 53 then
      return nil
    end
  end
  return layout, numbers, ends and ends + 1 or nil
end

return unpacked
