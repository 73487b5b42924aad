-- Reads the replies of all state keys of a request: their states, the latest instant among them and the
-- clock, and the newest revision among them and the published one.
local function states_of(replies, clock, published)
  local states, now, newest, has_line = {}, clock, tonumber(published or 0), false
  for i, reply in pairs(replies) do
    local state = buckets_of(reply)
    states[i] = state
    now = math.max(now, state.at_us)
    newest = math.max(newest, state.revision)
    has_line = has_line or state.has_line
  end
  return states, now, newest, has_line
end
