-- Reads the reply of HGETALL on a state key: its time, its revision and its buckets by name. Only a
-- bucket with a line has more than its level.
local function buckets_of(reply)
  local state = { at_us = 0, revision = 0, buckets = {}, fields = {}, has_line = false }
  for i = 1, #reply, 2 do
    local field, value = reply[i], tonumber(reply[i + 1])
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
    state.fields[#state.fields + 1] = field
  end
  state.line_us_before, state.sweep_us_before = state.line_us, state.sweep_us
  return state
end
