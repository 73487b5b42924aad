-- An adaptive limit of requests under way, by the time of answers: raised by one while their
-- average is within the target, lowered above it and after errors. `words` are the minimum, the
-- maximum, the initial limit, and the target in microseconds.

local SMOOTHING, FEWER, MANY_FEWER, FAR = 0.2, 0.95, 0.85, 3

-- The limit and the average after a sample: the time of a good answer, or -1 for an error.
local function adapted(words, limit, average_us, sample_us)
  local least, most, first, target_us = string.match(words, '^(%d+) (%d+) (%d+) (%d+)$')
  target_us, limit = tonumber(target_us), limit or tonumber(first)
  if sample_us > 0 then
    average_us = average_us and average_us + SMOOTHING * (sample_us - average_us) or sample_us
  end
  if sample_us < 0 or average_us > FAR * target_us then
    limit = math.floor(limit * MANY_FEWER)
  elseif average_us > target_us then
    limit = math.max(limit - 1, math.floor(limit * FEWER))
  else
    limit = limit + 1
  end
  return math.max(tonumber(least), math.min(tonumber(most), limit)), average_us
end

return adapted
