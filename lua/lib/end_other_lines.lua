-- Slots of another rate are no slots: whoever waits in a state of which a draw has another rate begins anew.
-- Changes the states; gives the numbers of those whose line has ended.
local function end_other_lines(draws, read)
  local ended = {}
  for _, draw in ipairs(draws) do
    local state = read[draw.state]
    local bucket = state.buckets[draw.name]
    if state.has_line and bucket and bucket.key ~= draw.key then
      for _, other in pairs(state.buckets) do
        without_line(other)
      end
      state.has_line = false
      ended[#ended + 1] = draw.state
    end
  end
  return ended
end
