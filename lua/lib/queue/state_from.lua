-- A state as a table: its time, its revision, its buckets by name, and when its queue has to be
-- swept. Only a bucket with a queue has more than its level.

local LAYOUT = require('state/layout')

local function state_from(layout, numbers)
  local state = { at_us = numbers[LAYOUT.AT], revision = numbers[LAYOUT.REVISION],
    expires_ms = numbers[LAYOUT.EXPIRES], buckets = {}, layout = layout }
  local buckets = state.buckets
  for i, part in ipairs(layout.parts) do
    local value, name = numbers[i + LAYOUT.BEFORE_FIELDS], part.name
    if not name then
      state[part.what] = value
    else
      local bucket = buckets[name]
      if not bucket then
        bucket = { key = part.key, rate = part.rate, used = 0, waiting = 0, unclaimed = 0, slot = 0, debt = 0 }
        buckets[name] = bucket
      end
      bucket[part.what] = value
    end
  end
  return state
end

return state_from
