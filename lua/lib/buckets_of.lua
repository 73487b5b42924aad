-- Reads the reply of HGETALL on a state key: its time, its revision and its buckets by name. Only a
-- bucket with a line has more than its level.
local function buckets_of(reply)
  local state = { at_us = 0, revision = 0, buckets = {}, fields = {}, has_line = false }
  for i = 1, #reply, 2 do
    local field, value = reply[i], tonumber(reply[i + 1])
    local name, mtps, part = string.match(field, '^(.+)@(%d+)%.?(%l*)$')
    if name then
      local bucket = state.buckets[name]
      if not bucket then
        bucket = { key = name .. '@' .. mtps, mtps = tonumber(mtps),
          used = 0, waiting = 0, holes = 0, slot = 0, estimate = 0 }
        state.buckets[name] = bucket
      end
      state.fields[#state.fields + 1] = field
      bucket[part == '' and 'used' or part] = value
      state.has_line = state.has_line or part == 'waiting'
    elseif field == 'at_us' then
      state.at_us = value
    elseif field == 'revision' then
      state.revision = value
    elseif field == 'line_us' then
      state.line_us = value
    end
  end
  return state
end
