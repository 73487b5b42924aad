-- The views of a charge: one for each of its demands (queue/view.lua).

local VIEW = require('queue/view')

local VIEWS = {}

-- A cost above the capacity is cut to one unit above it.
function VIEWS.of(template, cost, states, now)
  local views, demands = {}, template.demands
  for i = 1, #demands do
    local demand = demands[i]
    local units, capacity = demand.requests and demand.units or demand.units * cost, demand.capacity
    views[i] = VIEW.of(demand, units > capacity and capacity + 1 or units, states, now)
  end
  return views
end

-- Whether a demand can never pass, and the demand it overflows to cannot either.
function VIEWS.is_never(views)
  for i = 1, #views do
    local view, other = views[i], views[i + 1]
    if view.cost > view.capacity and not view.demand.overflow
      and not (other and other.demand.overflow and other.cost <= other.capacity) then
      return true
    end
  end
  return false
end

return VIEWS
