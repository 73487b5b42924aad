-- Values that are derived from texts alone, kept between the calls of a library; a script forgets
-- them at its end. They have two generations: when the young one is full, it becomes the old one, and
-- the old one is dropped. A value that is used becomes young again. So their memory is bounded, and
-- what is in use is rarely derived anew.

local MOST_BYTES = 12582912
local generations, bytes = {}, 0

-- Counts what is kept beside a value.
local function grow(more)
  bytes = bytes + more
  if bytes > MOST_BYTES then
    for i = 1, #generations do
      generations[i].old, generations[i].young = generations[i].young, {}
    end
    bytes = more
  end
end

-- A function that derives the value of a text once, while it is kept. `bytes_of` says roughly what Lua needs for the
-- value of a text. A value must not be changed, but for what is kept beside it: `renew` drops that when the value
-- becomes young again.
local function memo(derive, bytes_of, renew)
  local values = { young = {}, old = {} }
  generations[#generations + 1] = values
  return function(text)
    local value = values.young[text]
    if value ~= nil then
      return value
    end
    grow(bytes_of(text))
    value = values.old[text]
    if value == nil then
      value = derive(text)
    elseif renew then
      renew(value)
    end
    values.young[text] = value
    return value
  end
end

return { memo = memo, grow = grow }
