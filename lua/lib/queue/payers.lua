-- Selects the buckets that pay for a request, as Payers.java does: of a bucket and its overflow,
-- the first that is ready, else the one that is ready earlier. A caller with a place pays from the
-- buckets in the shares of its place. Returns the paying demands and, bit by bit from the lowest
-- on, which of the pairs overflow.

local CODES = require('codes')
local is_ready = require('queue/slot_of').is_ready
local turn_at = require('queue/slot_of').turn_at

local function stands_in(shares, demand)
  local letter = demand.scope == CODES.KEY and 'k' or 't'
  for of, field in string.gmatch(shares, ' (%l)[+-](%S+)=') do
    if of == letter and string.match(field, '^[^@]+') == demand.name then
      return true
    end
  end
  return false
end

local function overflows(demand, other, now, shares)
  if demand.cost > demand.capacity or other.cost > other.capacity then
    return demand.cost > demand.capacity
  elseif shares and demand.scope < CODES.CLUSTER and stands_in(shares, demand) then
    return false
  elseif shares and other.scope < CODES.CLUSTER and stands_in(shares, other) then
    return true
  end
  return not is_ready(demand, now) and (is_ready(other, now) or turn_at(other, now) < turn_at(demand, now))
end

local function payers_of(demands, now, shares)
  local payers, paid, bit, i = {}, 0, 1, 1
  while i <= #demands do
    local other = demands[i + 1]
    if other and other.overflow then
      local is_other = overflows(demands[i], other, now, shares)
      payers[#payers + 1] = is_other and other or demands[i]
      paid = is_other and paid + bit or paid
      bit, i = bit * 2, i + 2
    else
      payers[#payers + 1] = demands[i]
      i = i + 1
    end
  end
  return payers, paid
end

return payers_of
