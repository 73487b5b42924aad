-- What is told to those who have to wait for a window.
local SHORTEST_US, LONGEST_US, USUAL_US = 10000, 60000000, 1000000

-- In so long there may be room: so long it takes from one range to the next.
local function pace_us(window)
  local gap = number_of(window, 'gap_us')
  return gap > 0 and math.min(LONGEST_US, math.max(SHORTEST_US, gap)) or USUAL_US
end
