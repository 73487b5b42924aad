-- What is told to those who have to wait for a window.
local SHORTEST_US, LONGEST_US, USUAL_US, ASKED_A_PAUSE = 10000, 60000000, 1000000, 4

-- In so long there may be room: so long it takes from one range to the next. Where nothing has happened for longer, it
-- is asked less and less often, up to once a second.
local function pace_us(window, now)
  local gap = number_of(window, 'gap_us')
  if gap == 0 then
    return USUAL_US
  end
  local pause = math.max(0, now - number_of(window, 'committed_us')) / ASKED_A_PAUSE
  return math.min(LONGEST_US, math.max(SHORTEST_US, gap, math.min(USUAL_US, pause)))
end
