-- The demands of a charge of this cost. A cost above the capacity is cut to one unit above it.

local ceil_div = require('ceil_div')

local function demands_of(template, cost)
  local demands = {}
  for i, demand in ipairs(template.demands) do
    local units = demand.requests and demand.units or demand.units * cost
    units = units > demand.capacity and demand.capacity + 1 or units
    local need_us = ceil_div(units, demand.rate)
    demands[i] = { scope = demand.scope, field = demand.field, name = demand.name, rate = demand.rate,
      units = demand.units, requests = demand.requests, overflow = demand.overflow, capacity = demand.capacity,
      cost = units, need_us = need_us, free_us = demand.capacity / demand.rate - need_us }
  end
  return demands
end

-- Whether a demand can never pass, and the demand it overflows to cannot either.
local function is_never(demands)
  for i, demand in ipairs(demands) do
    local overflow = demands[i + 1] and demands[i + 1].overflow and demands[i + 1]
    if not demand.overflow and demand.cost > demand.capacity
      and (not overflow or overflow.cost > overflow.capacity) then
      return true
    end
  end
  return false
end

return { demands_of = demands_of, is_never = is_never }
