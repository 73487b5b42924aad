-- Removes a place that was not used, at its deadline: its capacity is unclaimed from then on in the
-- buckets of a state, whose letter is `letter`. If the state is already past the deadline, it is
-- unknown how much of the capacity has drained: none is left. Changes the state, whose buckets are
-- at its at_us.

local drain = require('queue/drain')
local release = require('queue/release').release

local function let_go(state, letter, place)
  local is_late = place.deadline < state.at_us
  if place.deadline > state.at_us then
    for _, bucket in pairs(state.buckets) do
      drain(bucket, state.at_us, place.deadline)
    end
    state.at_us = place.deadline
  end
  for of, mark, key, units in string.gmatch(place.shares, '(%l)([+-])(%S+)=(%d+)') do
    local bucket = state.buckets[string.match(key, '^(.+)@')]
    if of == letter and mark == '+' and bucket and bucket.key == key then
      release(bucket, is_late and 0 or tonumber(units))
    end
  end
end

return let_go
