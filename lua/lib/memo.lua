-- Values that are derived from texts alone, kept between the calls of a library; a script forgets
-- them at its end. All are dropped together when they are many, so their memory is bounded.

local MOST_BYTES, BYTES_OF_VALUE = 1048576, 200
local kept, bytes = {}, 0

-- Counts what is kept beside a value.
local function grow(more)
  bytes = bytes + more
  if bytes > MOST_BYTES then
    for _, values in ipairs(kept) do
      for text in pairs(values) do
        values[text] = nil
      end
    end
    bytes = more
  end
end

-- A function that derives the value of a text once, while it is kept. A value must not be changed.
local function memo(derive)
  local values = {}
  kept[#kept + 1] = values
  return function(text)
    local value = values[text]
    if value == nil then
      grow(#text + BYTES_OF_VALUE)
      value = derive(text)
      values[text] = value
    end
    return value
  end
end

return { memo = memo, grow = grow }
