-- Reads the value of a state, false where there is none. Nil where it is no value of a state.
local function unpacked(value, known)
  if not value then
    return { layout = layout_of('', known), numbers = { 0, 0, 0, 0 } }
  end
  local high, low = string.byte(value, 1, 2)
  local count = 256 * (high or 0) + (low or 0)
  local layout = layout_of(string.sub(value, BEFORE_NUMBERS + 7 * count + 1), known)
  if layout.count ~= count or #value < BEFORE_NUMBERS then
    return nil
  end
  local numbers = { struct.unpack(layout.format, value) }
  for i = 1, #numbers do
    if numbers[i] >= 2 ^ 53 then
      return nil
    end
  end
  return { layout = layout, numbers = numbers }
end
