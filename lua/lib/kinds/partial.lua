-- How much a charge takes that accepts less than its cost: the most that all of its limits have room for now. It is the
-- least if it shows a ticket, whose place is for that, and if others wait for one of its buckets: what is left
-- is due to them. PartialCharge.java has the same.

local SHORT = require('kinds/charge_short')
local priced = require('kinds/kinds').priced
local unpriced = require('kinds/kinds').unpriced
local bounded = require('kinds/mixed').bounded
local most_of = require('kinds/mixed').most_of
local of_others = require('kinds/room').of_others

-- The operations that the limits have room for, and the price; nil if the least is decided on.
local function room_of(lane, charge)
  if charge.asked.ticket ~= '' then
    return nil
  end
  local of_rates = SHORT.room(lane, charge)
    or require('kinds/charge_long').room(lane, charge) -- a script builds it when it is needed
  if not of_rates then
    return nil
  end
  local others, price = of_others(charge, lane.ledger, lane.call)
  return others and math.min(of_rates, others), price
end

-- The cost that is decided on. If not even the least has room, that is denied.
local function amount_of(lane, charge)
  local least = charge.least
  local most = math.max(least, math.min(charge.cost, most_of(charge))) -- more never fits
  charge.cost = least
  local room, price = room_of(lane, charge)
  if not room then
    return least
  end
  charge.cost = most
  if priced(most, bounded(price, charge)) <= room then
    return most
  end
  return math.max(least, math.min(most, unpriced(room, price)))
end

return amount_of
