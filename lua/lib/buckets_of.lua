-- Reads the reply of HGETALL on a state key: its time, its revision and its buckets by name.
local function buckets_of(reply)
  local state = { at_us = 0, revision = 0, buckets = {} }
  for i = 1, #reply, 2 do
    local field, value = reply[i], tonumber(reply[i + 1])
    local name, mtps = string.match(field, '^(.+)@(%d+)$')
    if name then
      state.buckets[name] = { field = field, mtps = tonumber(mtps), used = value }
    elseif field == 'at_us' then
      state.at_us = value
    elseif field == 'revision' then
      state.revision = value
    end
  end
  return state
end
