-- Reads the replies of all state keys of a request: their states, the latest instant among them and the
-- clock, and the newest revision among them and the published one.
local function states_of(replies, clock, published)
  local states, now, newest = {}, clock, tonumber(published or 0)
  for i, reply in ipairs(replies) do
    local state = buckets_of(reply)
    states[i] = state
    now = math.max(now, state.at_us)
    newest = math.max(newest, state.revision)
  end
  return states, now, newest
end
