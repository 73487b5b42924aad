-- How much a charge takes that accepts less than its cost: the most that all of its limits have now, by bisection. It
-- is the least if it shows a ticket, whose place is for that, and if others wait for one of its buckets: what is left
-- is due to them. PartialCharge.java has the same.

local EFFORT = require('effort')
local SHORT = require('kinds/charge_short')
local most_of = require('kinds/mixed').most_of

-- Whether the limits have room for a cost now; nil if others wait.
local function fits(lane, charge, cost)
  charge.cost = cost
  local is_fit = SHORT.fits(lane, charge)
  if is_fit == nil then
    EFFORT.spend(lane, #charge.template.demands)
    return require('kinds/charge_long').fits(lane, charge) -- a script builds it when it is needed
  end
  return is_fit
end

-- The cost that is decided on. If not even the least has room, that is denied.
local function amount_of(lane, charge)
  local low = charge.least
  -- A cost that can never fit is not tried: each step costs time, and the caller chooses the cost.
  local high = math.max(low, math.min(charge.cost, most_of(charge)))
  if charge.asked.ticket ~= '' then
    return low
  elseif fits(lane, charge, high) then
    return high
  elseif not fits(lane, charge, low) then
    return low
  end
  while high - low > 1 do
    local middle = low + math.floor((high - low) / 2)
    if fits(lane, charge, middle) then
      low = middle
    else
      high = middle
    end
  end
  return low
end

return amount_of
