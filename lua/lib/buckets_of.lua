-- The time, the revision and the buckets by name that an unpacked state holds. Only a bucket with a line has
-- more than its level.
local function buckets_of(unpacked_state)
  local numbers, layout = unpacked_state.numbers, unpacked_state.layout
  local state = { at_us = numbers[AT], revision = numbers[REVISION], expires_ms = numbers[EXPIRES],
    buckets = {}, has_line = false }
  for i, field in ipairs(layout.fields) do
    local value = numbers[i + BEFORE_FIELDS]
    local at = string.find(field, '@', 1, true)
    if at then
      local name, dot = string.sub(field, 1, at - 1), string.find(field, '.', at, true)
      local bucket = state.buckets[name]
      if not bucket then
        local key = dot and string.sub(field, 1, dot - 1) or field
        bucket = { key = key, mtps = tonumber(string.sub(key, at + 1)),
          used = 0, waiting = 0, holes = 0, slot = 0, estimate = 0 }
        state.buckets[name] = bucket
      end
      local part = dot and string.sub(field, dot + 1) or 'used'
      bucket[part] = value
      state.has_line = state.has_line or part == 'waiting'
    else
      state[field] = value
    end
  end
  state.line_us_before = state.line_us
  return state
end
