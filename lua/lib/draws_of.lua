-- The draws of a charge of this cost. A cost above the capacity is cut to one unit above it.
-- Uses ceil_div.
local function draws_of(template, cost)
  local draws = {}
  for i, draw in ipairs(template.draws) do
    local units = draw.units * cost
    units = units > draw.capacity and draw.capacity + 1 or units
    local need_us = ceil_div(units, draw.rate)
    draws[i] = { scope = draw.scope, field = draw.field, name = draw.name, rate = draw.rate,
      capacity = draw.capacity, cost = units, need_us = need_us, free_us = draw.capacity / draw.rate - need_us }
  end
  return draws
end

-- Whether one of them can never pass.
local function is_never(draws)
  for _, draw in ipairs(draws) do
    if draw.cost > draw.capacity then
      return true
    end
  end
  return false
end
