-- Lets go a place that nobody kept, at its deadline: it leaves a hole in the buckets of a state, whose letter is
-- `letter`. Changes the state, whose buckets stand at its at_us. Uses drain, TIMES.
local function let_go(state, letter, place)
  if place.deadline > state.at_us then
    for _, bucket in pairs(state.buckets) do
      drain(bucket, state.at_us, place.deadline)
    end
    state.at_us = place.deadline
  end
  for of, mark, key, units in string.gmatch(place.shares, '(%l)([+-])(%S+)=(%d+)') do
    local bucket = state.buckets[string.match(key, '^(.+)@')]
    if of == letter and mark == '+' and bucket and bucket.key == key then
      release(bucket, tonumber(units))
    end
  end
end
