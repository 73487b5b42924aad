-- What a charge of this cost draws by its terms. A cost that no capacity holds is one unit above it.
local function draws_of(terms, cost)
  local draws = {}
  for i, draw in ipairs(terms.draws) do
    local units = draw.units * cost
    draws[i] = {
      state = draw.scope,
      key = draw.field,
      name = string.match(draw.field, '^[^@]+'),
      mtps = draw.mtps,
      capacity = draw.capacity,
      cost = units > draw.capacity and draw.capacity + 1 or units,
    }
  end
  return draws
end
