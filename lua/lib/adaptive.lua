-- How many requests may be under way, by how long answers take: more by one while their average is within the target,
-- fewer above it, and after errors. `words` are the least, the most, the first, and the target in microseconds.
local SMOOTHING, FEWER, MANY_FEWER, FAR = 0.2, 0.95, 0.85, 3

-- The window and the average after a sample: how long a good answer took, or -1 for an error.
local function adapted(words, window, average_us, sample_us)
  local least, most, first, target_us = string.match(words, '^(%d+) (%d+) (%d+) (%d+)$')
  target_us, window = tonumber(target_us), window or tonumber(first)
  if sample_us > 0 then
    average_us = average_us and average_us + SMOOTHING * (sample_us - average_us) or sample_us
  end
  if sample_us < 0 or average_us > FAR * target_us then
    window = math.floor(window * MANY_FEWER)
  elseif average_us > target_us then
    window = math.max(window - 1, math.floor(window * FEWER))
  else
    window = window + 1
  end
  return math.max(tonumber(least), math.min(tonumber(most), window)), average_us
end
