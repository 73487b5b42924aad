-- Judges all draws at once: one that can never pass outweighs those that cannot pass now.
local function outcome(draws, levels)
  local status = ALLOWED
  for i, draw in ipairs(draws) do
    if draw.cost > draw.capacity then
      return NEVER_ALLOWED
    end
    if levels[i] > draw.capacity - draw.cost then
      status = DENIED
    end
  end
  return status
end
