-- The wait of callers of a window.

local number_of = require('window_range').number_of

local SHORTEST_US, LONGEST_US, USUAL_US, ASKED_A_PAUSE = 10000, 60000000, 1000000, 4

-- There may be room after the average time between two ranges. If nothing has happened for longer,
-- the wait grows with the pause, up to a second.
local function pace_us(window, now)
  local gap = number_of(window, 'gap_us')
  if gap == 0 then
    return USUAL_US
  end
  local pause = math.max(0, now - number_of(window, 'committed_us')) / ASKED_A_PAUSE
  return math.min(LONGEST_US, math.max(SHORTEST_US, gap, math.min(USUAL_US, pause)))
end

return { SHORTEST_US = SHORTEST_US, pace_us = pace_us }
