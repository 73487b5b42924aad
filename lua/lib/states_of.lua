-- Reads the replies of all state keys of a request; second, whether anybody waits in one of them.
local function states_of(hashes_read)
  local states, has_line = {}, false
  for i, reply in pairs(hashes_read) do
    states[i] = buckets_of(reply)
    has_line = has_line or states[i].has_line
  end
  return states, has_line
end
