-- Reads the value of a state, false if there is none: its layout and its numbers. Nil if the value
-- is not a state.

local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')

local function unpacked(value)
  if not value then
    return layout_of(''), { 0, 0, 0, 0 }
  end
  local high, low = string.byte(value, 1, 2)
  local count = 256 * (high or 0) + (low or 0)
  local layout = layout_of(string.sub(value, LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * count + 1))
  if layout.count ~= count or #value < LAYOUT.HEAD_BYTES then
    return nil
  end
  local numbers = { struct.unpack(layout.format, value) }
  for i = 1, #numbers do
    if numbers[i] >= 2 ^ 53 then
      return nil
    end
  end
  return layout, numbers
end

return unpacked
