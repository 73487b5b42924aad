-- The demands of a charge of this cost. A cost above the capacity is cut to one unit above it.
-- Uses ceil_div.
local function demands_of(template, cost)
  local demands = {}
  for i, demand in ipairs(template.demands) do
    local units = demand.units * cost
    units = units > demand.capacity and demand.capacity + 1 or units
    local need_us = ceil_div(units, demand.rate)
    demands[i] = { scope = demand.scope, field = demand.field, name = demand.name, rate = demand.rate,
      capacity = demand.capacity, cost = units, need_us = need_us, free_us = demand.capacity / demand.rate - need_us }
  end
  return demands
end

-- Whether one of them can never pass.
local function is_never(demands)
  for _, demand in ipairs(demands) do
    if demand.cost > demand.capacity then
      return true
    end
  end
  return false
end
