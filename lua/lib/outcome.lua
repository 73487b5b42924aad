-- Judges all draws at once, whoever waits: one that can never pass outweighs those that cannot pass now.
local function outcome(draws)
  local status = ALLOWED
  for _, draw in ipairs(draws) do
    if draw.cost > draw.capacity then
      return NEVER_ALLOWED
    end
    if draw.bucket.used > draw.capacity - draw.cost then
      status = DENIED
    end
  end
  return status
end
